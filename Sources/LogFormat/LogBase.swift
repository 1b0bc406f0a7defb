import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// The archive snapshot of a log: replaces history whose values were moved to an archive. Every fold begins with it.
public struct LogBase: Hashable, Sendable {
    /// The events whose values are in the archive; some may be here as well.
    public let vector: VersionVector
    /// The size of the snapshot in bytes.
    public let byteCount: UInt64

    // As a row: bytes (8), hash over the hashes of its pieces (32), then replica (16) and number (8) for each replica.
    package static let key = [UInt8]("base".utf8)
    /// The maximum size of a row of the table `base`, in bytes.
    package static let pieceSize = 1 << 20

    /// Creates the description of a snapshot of `byteCount` bytes at `vector`.
    public init(vector: VersionVector, byteCount: UInt64) {
        self.vector = vector
        self.byteCount = byteCount
    }

    package func bytes(hash: Hash256) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.append(littleEndian: byteCount)
        writer.append(hash)
        for entry in vector.entries {
            writer.append(entry.replica)
            writer.append(littleEndian: entry.sequence)
        }
        return writer.bytes
    }

    package static func parse(_ row: RawSpan) -> (base: LogBase, hash: Hash256)? {
        guard row.byteCount >= 40, (row.byteCount - 40).isMultiple(of: 24) else { return nil }
        var vector = VersionVector()
        for start in stride(from: 40, to: row.byteCount, by: 24) {
            vector[ReplicaID(at: start, of: row)] = row.uint64(at: start + 16)
        }
        return (LogBase(vector: vector, byteCount: row.uint64(at: 0)), Hash256(at: 8, of: row))
    }
}

extension LogTables {
    /// Returns the description of the archive snapshot; `nil` if nothing was archived.
    package func base(in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> LogBase? {
        guard let row = try transaction.value(LogBase.key, in: meta) else { return nil }
        guard let (base, _) = row.withSpan({ LogBase.parse($0) }) else {
            throw EventLogError.damaged("the record of archived history")
        }
        return base
    }

    /// Stores the archive snapshot in pieces, and its description.
    package func putBase(
        _ snapshot: [UInt8], at vector: VersionVector, in transaction: borrowing WriteTransaction
    ) throws {
        try transaction.removeAll(in: base)
        var hashes = ByteWriter()
        for (number, start) in stride(from: 0, to: snapshot.count, by: LogBase.pieceSize).enumerated() {
            try snapshot.withSpan { bytes in
                let piece = bytes.extracting(start..<min(start + LogBase.pieceSize, snapshot.count))
                hashes.append(Hash256(hashing: piece))
                try transaction.append(piece, for: UInt64(number), in: base)
            }
        }
        let description = LogBase(vector: vector, byteCount: UInt64(snapshot.count))
        let row = description.bytes(hash: hashes.withSpan { Hash256(hashing: $0) })
        try transaction.put(row.span.bytes, for: LogBase.key, in: meta)
    }
}

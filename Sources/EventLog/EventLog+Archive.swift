import ByteCoding
import Events
import LMDB

/// What stands in a log for history whose values were moved to an archive: a snapshot that every fold begins with.
public struct LogBase: Hashable, Sendable {
    /// The events whose values are elsewhere; some may be here all the same.
    public let vector: VersionVector
    /// Bytes of the snapshot.
    public let byteCount: UInt64

    // As a row: bytes (8), hash over the hashes of its pieces (32), then replica (16) and number (8) each.
    static let key = [UInt8]("base".utf8)
    /// What one row of the table `base` holds at most.
    package static let pieceSize = 1 << 20

    /// The base for `vector` with a snapshot of so many bytes.
    public init(vector: VersionVector, byteCount: UInt64) {
        self.vector = vector
        self.byteCount = byteCount
    }

    func bytes(hash: Hash256) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.append(littleEndian: byteCount)
        writer.append(hash)
        for entry in vector.entries {
            writer.append(entry.replica)
            writer.append(littleEndian: entry.sequence)
        }
        return writer.bytes
    }

    static func parse(_ row: RawSpan) -> (base: LogBase, hash: Hash256)? {
        guard row.byteCount >= 40, (row.byteCount - 40).isMultiple(of: 24) else { return nil }
        var vector = VersionVector()
        for start in stride(from: 40, to: row.byteCount, by: 24) {
            vector[ReplicaID(at: start, of: row)] = row.uint64(at: start + 16)
        }
        return (LogBase(vector: vector, byteCount: row.uint64(at: 0)), Hash256(at: 8, of: row))
    }
}

extension EventLog {
    /// What stands here for archived history; `nil` where nothing was archived. Cost: a look-up.
    public func base() throws -> LogBase? {
        try read { transaction in try Self.base(in: transaction, LogTables(in: transaction)) }
    }

    static func base(in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables) throws -> LogBase? {
        guard let row = try transaction.value(LogBase.key, in: tables.meta) else { return nil }
        guard let (base, _) = row.withSpan({ LogBase.parse($0) }) else {
            throw EventLogError.damaged("the record of archived history")
        }
        return base
    }

    /// Hands out the snapshot that stands for archived history, piece by piece. Cost: O(bytes).
    public func forEachPieceOfBase(_ body: ([UInt8]) throws -> Void) throws {
        try read { transaction in
            try transaction.forEach(in: LogTables(in: transaction).base) { _, piece in
                try body(piece.toArray())
                return true
            }
        }
    }

    /// Takes the values of the events of `vector` out of this log, where an archive has them; every fold then begins with
    /// `snapshot`.
    ///
    /// The log is written anew, as ``erase(_:dropCopies:)`` does: leaves, roots, positions and runs stay.
    ///
    /// - Parameters:
    ///   - isKept: Whether the values of an event stay all the same.
    ///   - snapshot: Bytes of a snapshot at `vector`.
    /// - Returns: How many events had values until now and have none any more.
    /// - Throws: As ``erase(_:dropCopies:)``; then nothing has changed.
    /// - Precondition: `vector` is of whole batches, all here, and covers that of the present base.
    /// - Complexity: O(bytes of the log); `snapshot` is in memory as a whole, and nothing else that grows with the log.
    @discardableResult
    public func archive(
        _ vector: VersionVector, keeping isKept: (Frame, RawSpan) -> Bool, behind snapshot: [UInt8]
    ) throws -> Int {
        var count = 0
        try rewrite { old, new in
            count = 0
            try Self.copyAll(old, new) { frame, bytes in
                guard vector.contains(frame.id), !frame.isPartial, !isKept(frame, bytes) else { return .same }
                count += 1
                return .withheld
            }
            try Self.put(snapshot, at: vector, in: new)
        }
        return count
    }

    /// Puts the values back that an archive has, and the base away.
    ///
    /// - Parameter restored: The whole frame of an event, as it was; `nil` where nobody has it.
    /// - Throws: ``EventLogError/archived(_:)`` where an archived event has no values elsewhere, `damaged` where a frame is
    ///   not that of the event here. Then nothing has changed.
    public func restore(_ restored: (EventID) throws -> [UInt8]?) throws {
        try rewrite { old, new in try Self.copyRestoring(old, new, restored) }
    }

    /// Writes this log with the values that an archive has to a new file at `path`: see ``restore(_:)``.
    public func copy(to path: String, restoring restored: (EventID) throws -> [UInt8]?) throws {
        try read { old in
            try Environment.create(at: path, options: options) { new in
                try Self.copyRestoring(old, new, restored)
            }
        }
    }

    /// Has this log, which is new and empty of archived history, begin with what `other` begins with.
    ///
    /// - Complexity: O(bytes of the snapshot), which is in memory as a whole meanwhile.
    public func adoptBase(of other: EventLog) throws {
        guard let base = try other.base() else { return }
        var snapshot: [UInt8] = []
        snapshot.reserveCapacity(Int(base.byteCount))
        try other.forEachPieceOfBase { snapshot += $0 }
        try write { transaction in try Self.put(snapshot, at: base.vector, in: transaction) }
    }

    private static func copyRestoring(
        _ old: borrowing ReadTransaction, _ new: borrowing WriteTransaction, _ restored: (EventID) throws -> [UInt8]?
    ) throws {
        let tables = try LogTables(in: old)
        let archived = try base(in: old, tables)?.vector ?? VersionVector()
        let elsewhere = try erased(in: old, tables).union(events(tables.lacking, in: old))
        try copyAll(old, new) { frame, bytes in
            guard frame.isWithheld, archived.contains(frame.id), !elsewhere.contains(frame.id) else { return .same }
            guard let whole = try restored(frame.id) else { throw EventLogError.archived(frame.id) }
            try whole.withSpan { whole in
                let found = try Frame(verifying: whole, at: 0)
                let isSame =
                    found.id == frame.id && found.length == whole.byteCount && !found.isWithheld
                    && whole.extracting(found.header).elementsEqual(bytes.extracting(frame.header))
                    && whole.extracting(found.shape).elementsEqual(bytes.extracting(frame.shape))
                    && Hash256(hashing: whole.extracting(found.values))
                        == Hash256(at: 0, of: bytes.extracting(frame.values))
                guard isSame else { throw EventLogError.damaged("the archive: it has a different event \(frame.id)") }
            }
            return .other(whole)
        }
    }

    /// Writes the base and its pieces.
    static func put(
        _ snapshot: [UInt8], at vector: VersionVector, in transaction: borrowing WriteTransaction
    ) throws {
        let tables = try LogTables(in: transaction)
        try transaction.removeAll(in: tables.base)
        var hashes = ByteWriter()
        for (number, start) in stride(from: 0, to: snapshot.count, by: LogBase.pieceSize).enumerated() {
            try snapshot.withSpan { bytes in
                let piece = bytes.extracting(start..<min(start + LogBase.pieceSize, snapshot.count))
                hashes.append(Hash256(hashing: piece))
                try transaction.append(piece, for: UInt64(number), in: tables.base)
            }
        }
        let base = LogBase(vector: vector, byteCount: UInt64(snapshot.count))
        let row = base.bytes(hash: hashes.withSpan { Hash256(hashing: $0) })
        try transaction.put(row.span.bytes, for: LogBase.key, in: tables.meta)
    }
}

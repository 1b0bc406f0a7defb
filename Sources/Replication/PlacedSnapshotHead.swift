import GroundwaveByteCoding
import GroundwaveEvents

/// What a store says of a snapshot that it has left at a remote, signed with its key. Without a head, a snapshot does not
/// exist; nothing of one is used before it agrees with its head.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWN1` |
/// | 16 | log |
/// | 32 | public key of the store's replica |
/// | 64 | signature, Ed25519, of `groundwave placed snapshot` in ASCII, the log and the statement |
/// | … | the statement |
/// | 4 | CRC-32C of everything before it |
///
/// | size | the statement |
/// |---|---|
/// | 8 | when the snapshot was made: milliseconds since 1970 |
/// | 8 | the layout of the views that it can be loaded into |
/// | 8 | its length in bytes |
/// | 32 | its hash: SHA-256 of all but its last 32 bytes, which are this hash |
/// | 4, 32 each | the SHA-256 of each part |
/// | 4, 24 each | its vector: replica (16) and number of the last event (8), in order of replica |
package struct PlacedSnapshotHead: Hashable, Sendable {
    /// The size of every part but the last one, in bytes.
    package static let partBytes = 4 << 20
    /// The maximum number of parts: 4 GiB.
    static let partLimit = 1024
    /// The maximum size of a head in bytes.
    static let byteLimit = 256 << 10

    private static let magic: UInt32 = 0x314E_5747
    private static let prefixSize = 116

    /// The log that the snapshot is of.
    package let log: LogID
    /// When it was made, by the clock of its writer: milliseconds since 1970.
    package let created: Int64
    /// The layout of the views that it can be loaded into.
    package let layout: UInt64
    /// The events that it includes.
    package let vector: VersionVector
    /// The size of the snapshot in bytes.
    package let byteCount: Int
    /// The hash of the snapshot, which its file ends with.
    package let hash: Hash256
    /// The hashes of its parts, in order.
    package let parts: [Hash256]

    /// Describes a snapshot; `nil` if it is too large to be left at a remote.
    package init?(
        log: LogID, created: Int64, layout: UInt64, vector: VersionVector, byteCount: Int, hash: Hash256,
        parts: [Hash256]
    ) {
        guard byteCount > 0, parts.count == Self.partCount(byteCount), parts.count <= Self.partLimit,
            Self.prefixSize + 68 + 32 * parts.count + 24 * vector.entries.count <= Self.byteLimit,
            PlacedSnapshotName(created: created, hash: hash) != nil
        else { return nil }
        (self.log, self.created, self.layout, self.vector) = (log, created, layout, vector)
        (self.byteCount, self.hash, self.parts) = (byteCount, hash, parts)
    }

    /// Its name at a remote.
    package var name: PlacedSnapshotName {
        guard let name = PlacedSnapshotName(created: created, hash: hash) else {
            preconditionFailure("A head has a name.")
        }
        return name
    }

    /// Returns how many parts a snapshot of `byteCount` bytes has.
    package static func partCount(_ byteCount: Int) -> Int {
        byteCount / partBytes + (byteCount % partBytes == 0 ? 0 : 1)
    }

    /// Returns the size of the part `number`, counted from 1, in bytes.
    package func size(ofPart number: Int) -> Int {
        min(Self.partBytes, byteCount - (number - 1) * Self.partBytes)
    }

    private static func message(_ log: LogID, _ statement: [UInt8]) -> [UInt8] {
        Array("groundwave placed snapshot".utf8) + log.bytes + statement
    }
}

extension PlacedSnapshotHead {
    /// Returns the encoded head.
    package func bytes(signedBy identity: Identity) -> [UInt8] {
        var statement = ByteWriter()
        statement.append(littleEndian: created)
        statement.append(littleEndian: layout)
        statement.append(littleEndian: UInt64(byteCount))
        statement.append(hash)
        statement.append(littleEndian: UInt32(parts.count))
        for part in parts { statement.append(part) }
        statement.append(littleEndian: UInt32(vector.entries.count))
        for entry in vector.entries {
            statement.append(entry.replica)
            statement.append(littleEndian: entry.sequence)
        }
        var writer = ByteWriter(capacity: Self.prefixSize + statement.count + 4)
        writer.append(littleEndian: Self.magic)
        writer.append(log)
        writer.append(contentsOf: identity.publicKey)
        writer.append(contentsOf: identity.sign(Self.message(log, statement.bytes)))
        writer.append(contentsOf: statement.bytes)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Reads the head called `name` of a snapshot of `log`, and checks it: every number has its limit, the key belongs to a
    /// replica whose events the snapshot includes, and the signature is by that key.
    package init(reading bytes: [UInt8], as name: PlacedSnapshotName, of log: LogID) throws(PlacedSnapshotError) {
        let span = bytes.span.bytes
        guard span.byteCount > Self.prefixSize + 4, span.byteCount <= Self.byteLimit, span.uint32(at: 0) == Self.magic
        else { throw .notAHead }
        let end = span.byteCount - 4
        guard CRC32C.checksum(span.extracting(0..<end)) == span.uint32(at: end) else { throw .changed("head") }
        let found = LogID(at: 4, of: span)
        guard found == log else { throw .otherLog(found) }
        let statement = span.extracting(Self.prefixSize..<end)
        do { self = try Self(statement, of: log) } catch { throw .notAHead }
        let key = span.extracting(20..<52).toArray()
        guard vector[Identity.replica(publicKey: key)] > 0,
            Identity.isValid(span.extracting(52..<116).toArray(), of: Self.message(log, statement.toArray()), by: key)
        else { throw .wrongSignature }
        guard self.name == name else { throw .otherName }
    }

    /// Decodes a statement.
    private init(_ bytes: RawSpan, of log: LogID) throws {
        var reader = ByteReader()
        let created = Int64(bitPattern: try reader.uint64(in: bytes))
        let layout = try reader.uint64(in: bytes)
        let length = try reader.uint64(in: bytes)
        guard length <= UInt64(Self.partLimit * Self.partBytes) else { throw PlacedSnapshotError.notAHead }
        let hash = Hash256(at: try reader.skip(32, in: bytes).lowerBound, of: bytes)
        var parts: [Hash256] = []
        let partCount = try reader.uint32(in: bytes)
        guard partCount == Self.partCount(Int(length)) else { throw PlacedSnapshotError.notAHead }
        for _ in 0..<partCount { parts.append(Hash256(at: try reader.skip(32, in: bytes).lowerBound, of: bytes)) }
        var vector = VersionVector()
        for _ in 0..<(try reader.uint32(in: bytes)) {
            let replica = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
            let isInOrder = vector.entries.last.map { $0.replica < replica } ?? true
            let sequence = try reader.uint64(in: bytes)
            guard isInOrder, sequence > 0 else { throw PlacedSnapshotError.notAHead }
            vector[replica] = sequence
        }
        try reader.finish(in: bytes)
        guard
            let head = Self(
                log: log, created: created, layout: layout, vector: vector, byteCount: Int(length), hash: hash,
                parts: parts)
        else { throw PlacedSnapshotError.notAHead }
        self = head
    }
}

/// Why a snapshot at a remote is not used. Nothing is lost: an older one is, or none.
package enum PlacedSnapshotError: Error, Hashable, Sendable {
    /// The object with the name of a head is no head.
    case notAHead
    /// Its head or a part has changed since it was written.
    case changed(String)
    /// It is of another log.
    case otherLog(LogID)
    /// Its head is not signed by a store whose events it includes.
    case wrongSignature
    /// Its head has the name of another one.
    case otherName
    /// An object of it is gone.
    case gone(String)
    /// It is from another version of this program.
    case otherVersion
    /// The file to be left there has changed meanwhile.
    case changedHere
    /// It has more bytes, or more replicas, than a head can state.
    case tooLarge
}

extension PlacedSnapshotError: CustomStringConvertible {
    /// What is wrong, in words that continue "it cannot be used: ".
    package var description: String {
        switch self {
        case .notAHead: "its head is malformed"
        case .changed(let what): "its \(what) was changed or cut short"
        case .otherLog(let log): "it is from another log, \(log.short)"
        case .wrongSignature: "its signature is not that of a store of this log"
        case .otherName: "its head has the name of another one"
        case .gone(let what): "its \(what) is gone"
        case .otherVersion: "it is from another version of this program"
        case .changedHere: "the file was changed meanwhile"
        case .tooLarge: "it is too large"
        }
    }
}

import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords

// A snapshot: everything that is needed to resume folding from one vector, in one portable file. It has the format of
// ChunkedFile, with the magic `GWS1`. Between head and end are the records of each kind in order of kind and id, the
// blocks of their series, and the residue. The first 16 bytes of its checksum are its ID.
//
// For the contents see SnapshotHead, SnapshotEnd and Records.RecordColumnsWriter. A chunk of records is the kind
// (text), a varint count and the columns. For blocks see SnapshotBlocks.swift. The residue is unchanged frames of the
// log, one after another.

/// Why a file is not a usable snapshot. None of these is dangerous: the fold then starts from an earlier point.
public enum SnapshotError: Error, Hashable, Sendable {
    /// The file does not begin or end as a snapshot does.
    case notASnapshot
    /// A checksum is wrong, or what it covers is malformed.
    case damaged(String)
    /// It was made for another layout of the views than that of this program.
    case otherVersion
    /// It is of another log, or of another history of this one.
    case otherHistory
}

enum SnapshotFormat {
    static let magic: UInt32 = 0x3153_5747
    /// The chunks between head and end, in this order.
    static let chunks: Set<ChunkedFile.ChunkType> = [.records, .blocks, .residue]
    /// The limits at which a chunk of records is full.
    static let recordsPerChunk = 1 << 14
    static let bytesPerChunk = 4 << 20
}

/// The description of a snapshot, before its records.
struct SnapshotHead {
    /// The state of one replica.
    struct Replica {
        /// The last event of the replica.
        var last: EventID
        /// The right edge of its tree at that event, from which the tree can be extended.
        var edge: MerkleEdge
        /// The vector that the author of that event had seen.
        var context: VersionVector
    }

    var log: LogID
    /// When the snapshot was made, in milliseconds since 1970.
    var created: Int64
    /// The layout of the views that the records were read from: see ``Kinds/layout(for:of:)``.
    var layout: UInt64
    var replicas: [Replica]
    var names: Names

    var vector: VersionVector {
        var vector = VersionVector()
        for replica in replicas { vector[replica.last.replica] = replica.last.sequence }
        return vector
    }

    // | part | format |
    // |---|---|
    // | log | 16 bytes |
    // | created | 8 bytes, milliseconds |
    // | layout | 8 bytes |
    // | replicas | varint count, then each: replica (16), last number (varint), subtrees of the edge (32 each, as many as the number has bits set), the vector its author had seen: varint count, then replica (16) and number (varint) each |
    // | names | varint length, then as in the views |
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(log)
        writer.append(littleEndian: created)
        writer.append(littleEndian: layout)
        writer.append(varint: replicas.count)
        for replica in replicas {
            writer.append(replica.last.replica)
            writer.append(varint: replica.last.sequence)
            for subtree in replica.edge.subtrees { writer.append(subtree) }
            writer.append(varint: replica.context.entries.count)
            for entry in replica.context.entries {
                writer.append(entry.replica)
                writer.append(varint: entry.sequence)
            }
        }
        writer.append(lengthPrefixed: names.encode())
        return writer.bytes
    }

    init(log: LogID, created: Int64, layout: UInt64, replicas: [Replica], names: Names) {
        self.log = log
        self.created = created
        self.layout = layout
        self.replicas = replicas
        self.names = names
    }

    init(_ bytes: RawSpan) throws(ByteCodingError) {
        var reader = ByteReader()
        log = LogID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
        created = Int64(bitPattern: try reader.uint64(in: bytes))
        layout = try reader.uint64(in: bytes)
        replicas = []
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount / 17)) {
            let id = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
            let sequence = try reader.varint(in: bytes)
            var subtrees: [Hash256] = []
            for _ in 0..<sequence.nonzeroBitCount {
                subtrees.append(Hash256(at: try reader.skip(32, in: bytes).lowerBound, of: bytes))
            }
            var context = VersionVector()
            for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount / 17)) {
                let other = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
                context[other] = try reader.varint(in: bytes)
            }
            guard sequence > 0, let edge = MerkleEdge(count: sequence, subtrees: subtrees) else {
                throw .malformedVarint(offset: reader.offset)
            }
            replicas.append(Replica(last: EventID(id, sequence), edge: edge, context: context))
        }
        let range = try reader.lengthPrefixed(in: bytes)
        names = try Names(decoding: bytes.extracting(range))
        try reader.finish(in: bytes)
    }
}

/// The counts of a snapshot, after its records.
///
/// | part | format |
/// |---|---|
/// | kinds | varint count, then each: name (text), records (varint), of these visible (varint) |
/// | residue | varint count of the events that are stored unchanged |
struct SnapshotEnd: Hashable, Sendable {
    var kinds: [SnapshotInformation.Kind] = []
    var residue = 0

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(varint: kinds.count)
        for kind in kinds {
            writer.append(text: kind.name)
            writer.append(varint: kind.records)
            writer.append(varint: kind.visible)
        }
        writer.append(varint: residue)
        return writer.bytes
    }

    init() {}

    init(_ bytes: RawSpan) throws(ByteCodingError) {
        var reader = ByteReader()
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount)) {
            let name = try reader.text(in: bytes)
            let records = try reader.count(in: bytes, limit: Int.max)
            kinds.append(.init(name: name, records: records, visible: try reader.count(in: bytes, limit: Int.max)))
        }
        residue = try reader.count(in: bytes, limit: Int.max)
        try reader.finish(in: bytes)
    }
}

/// The description of a snapshot, available without reading its records.
public struct SnapshotInformation: Hashable, Sendable {
    /// The records of one kind.
    public struct Kind: Hashable, Sendable {
        /// The name of the kind.
        public var name: String
        /// The number of records.
        public var records: Int
        /// The number of visible records.
        public var visible: Int
    }

    /// The ID of the snapshot: the first 16 bytes of ``hash``.
    public var id: SnapshotID { SnapshotID(high: hash.id.high, low: hash.id.low) }
    /// The hash of the file, without the hash itself.
    public let hash: Hash256
    /// The log that the snapshot is of.
    public let log: LogID
    /// The vector of the events that the snapshot includes.
    public let vector: VersionVector
    /// When the snapshot was made, in milliseconds since 1970.
    public let created: Int64
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The records of each kind, in order of kind.
    public let kinds: [Kind]
    /// The number of events that the writer could not fold and stored unchanged.
    public let residue: Int

    /// The total number of records.
    public var recordCount: Int { kinds.reduce(0) { $0 + $1.records } }
}

/// The ID of a snapshot: the first 16 bytes of the hash of its bytes.
public struct SnapshotID: SixteenByteID {
    /// The first eight bytes, read big-endian.
    public let high: UInt64
    /// The last eight bytes, read big-endian.
    public let low: UInt64

    /// Creates an ID from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

import ByteCoding
import Events
import LMDB

// The tables of log.mdb. Nothing in it is keyed at random: everything is appended or is one row a replica.
//
// | table | key | value |
// |---|---|---|
// | events | position (8, big-endian) | frame |
// | runs | replica (16), first sequence (8) | position of that first event (8): the run goes on until the next one |
// | heads | replica (16) | last sequence, its position, its stamp (8 each) |
// | arrivals | first position of a commit (8) | wall ms, monotonic ms, boot id (16): when this store got them |
// | trees | replica (16) | number of leaves hashed, then the roots of the subtrees on the right edge |
// | nodes | replica (16), block (8) | root of the 256 leaves of that block |
// | erased | replica (16), first sequence (8) | last sequence (8) of a run of events whose values are refused for ever |
// | signed | stream (16) | the latest head that is signed of the history that ends with it: number (8), root (32), key (32), signature (64) |
// | waiting | replica (16), first sequence (8), first 8 bytes of the root after the last one | a range that came before its predecessors, or that ends within a batch |
// | streams | stream (16) | the stream that it goes on from (16), and after which of its events (8): see Streams |
// | base | number from 0 (8, big-endian) | a piece of the snapshot that stands for archived history, 1 MiB but the last |
// | meta | name | format, log, epoch; `state`: next position, checksum of the last frame, clock (8, 4, 8); `base`: see LogBase; `claim`: see Claim;
// | | | `lacking`: there while values may be lacking that never came; `readings`: see NameState |

/// A key that is a replica.
struct ReplicaKey: TableKey, Hashable {
    let replica: ReplicaID

    func withKeyBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try replica.bytes.withSpan(body)
    }

    init(_ replica: ReplicaID) { self.replica = replica }

    init?(keyBytes: RawSpan) {
        guard keyBytes.byteCount == 16 else { return nil }
        replica = ReplicaID(at: 0, of: keyBytes)
    }
}

/// A key that is a replica and a number: the first event of a run, or a block of its tree.
struct ReplicaNumberKey: TableKey, Hashable {
    let replica: ReplicaID
    let number: UInt64

    init(_ replica: ReplicaID, _ number: UInt64) {
        self.replica = replica
        self.number = number
    }

    init?(keyBytes: RawSpan) {
        guard keyBytes.byteCount == 24 else { return nil }
        replica = ReplicaID(at: 0, of: keyBytes)
        number = keyBytes.bigEndianUInt64(at: 16)
    }

    func withKeyBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        var writer = ByteWriter(capacity: 24)
        writer.append(replica)
        writer.append(bigEndian: number)
        return try writer.withSpan(body)
    }
}

/// The tables, opened once a transaction.
struct LogTables {
    /// How many bytes of frames may be written before a page is full is LMDB's business; how many tables there are, ours.
    static let count = 12

    let events: Table<UInt64>
    let runs: Table<ReplicaNumberKey>
    let heads: Table<ReplicaKey>
    let arrivals: Table<UInt64>
    let trees: Table<ReplicaKey>
    let nodes: Table<ReplicaNumberKey>
    let erased: Table<ReplicaNumberKey>
    let signed: Table<ReplicaKey>
    let waiting: Table<[UInt8]>
    let streams: Table<ReplicaKey>
    let base: Table<UInt64>
    let meta: Table<[UInt8]>

    static func create(in transaction: borrowing WriteTransaction) throws {
        _ = try transaction.openOrCreate("events", of: UInt64.self)
        _ = try transaction.openOrCreate("runs", of: ReplicaNumberKey.self)
        _ = try transaction.openOrCreate("heads", of: ReplicaKey.self)
        _ = try transaction.openOrCreate("arrivals", of: UInt64.self)
        _ = try transaction.openOrCreate("trees", of: ReplicaKey.self)
        _ = try transaction.openOrCreate("nodes", of: ReplicaNumberKey.self)
        _ = try transaction.openOrCreate("erased", of: ReplicaNumberKey.self)
        _ = try transaction.openOrCreate("signed", of: ReplicaKey.self)
        _ = try transaction.openOrCreate("waiting", of: [UInt8].self)
        _ = try transaction.openOrCreate("streams", of: ReplicaKey.self)
        _ = try transaction.openOrCreate("base", of: UInt64.self)
        _ = try transaction.openOrCreate("meta", of: [UInt8].self)
    }

    init(in transaction: borrowing some Reading & ~Copyable) throws {
        guard let events = try transaction.table("events", of: UInt64.self),
            let runs = try transaction.table("runs", of: ReplicaNumberKey.self),
            let heads = try transaction.table("heads", of: ReplicaKey.self),
            let arrivals = try transaction.table("arrivals", of: UInt64.self),
            let trees = try transaction.table("trees", of: ReplicaKey.self),
            let nodes = try transaction.table("nodes", of: ReplicaNumberKey.self),
            let erased = try transaction.table("erased", of: ReplicaNumberKey.self),
            let signed = try transaction.table("signed", of: ReplicaKey.self),
            let waiting = try transaction.table("waiting", of: [UInt8].self),
            let streams = try transaction.table("streams", of: ReplicaKey.self),
            let base = try transaction.table("base", of: UInt64.self),
            let meta = try transaction.table("meta", of: [UInt8].self)
        else { throw EventLogError.notALog }
        self.events = events
        self.runs = runs
        self.heads = heads
        self.arrivals = arrivals
        self.trees = trees
        self.nodes = nodes
        self.erased = erased
        self.signed = signed
        self.waiting = waiting
        self.streams = streams
        self.base = base
        self.meta = meta
    }
}

/// The last event of a replica, as the log keeps it.
struct HeadRow: Hashable {
    var sequence: SequenceNumber
    var position: Position
    var stamp: Stamp

    init(sequence: SequenceNumber, position: Position, stamp: Stamp) {
        self.sequence = sequence
        self.position = position
        self.stamp = stamp
    }

    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 24 else { return nil }
        self.init(
            sequence: bytes.uint64(at: 0), position: bytes.uint64(at: 8), stamp: Stamp(rawValue: bytes.uint64(at: 16)))
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 24)
        writer.append(littleEndian: sequence)
        writer.append(littleEndian: position)
        writer.append(littleEndian: stamp.rawValue)
        return writer.bytes
    }
}

/// Where the log goes on: changed by every commit, in the same transaction.
struct LogState: Hashable {
    var nextPosition: Position
    var lastChecksum: UInt32
    var clock: Stamp

    static let key = [UInt8]("state".utf8)

    init(nextPosition: Position, lastChecksum: UInt32, clock: Stamp) {
        self.nextPosition = nextPosition
        self.lastChecksum = lastChecksum
        self.clock = clock
    }

    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 20 else { return nil }
        self.init(
            nextPosition: bytes.uint64(at: 0), lastChecksum: bytes.uint32(at: 8),
            clock: Stamp(rawValue: bytes.uint64(at: 12)))
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 20)
        writer.append(littleEndian: nextPosition)
        writer.append(littleEndian: lastChecksum)
        writer.append(littleEndian: clock.rawValue)
        return writer.bytes
    }
}

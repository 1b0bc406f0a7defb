import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

// The tables of log.mdb. No table has random keys: rows are appended, or there is one row per replica. Every value
// except the frames ends with a checksum: see LogTable.
//
// | table | key | value |
// |---|---|---|
// | events | position (8, big-endian) | frame |
// | runs | replica (16), first sequence (8) | position of that first event (8); the run extends to the next run of the replica |
// | heads | replica (16) | last sequence, its position, its stamp (8 each) |
// | arrivals | first position of a commit (8) | wall ms, monotonic ms, boot id (16): when this store received the events; their number (varint) |
// | trees | replica (16) | number of leaves hashed, then the roots of the subtrees on the right edge |
// | nodes | replica (16), block (8) | root of the 256 leaves of that block |
// | erased | the event that erases: replica (16), sequence (8); replica (16), first sequence (8) | last sequence (8) of a run of events whose values are refused because of it |
// | signed | branch (16) | the latest signed head of the history that ends with it: number (8), root (32), key (32), signature (64) |
// | waiting | replica (16), first sequence (8), first 8 bytes of the root after the last event | a range that arrived before its predecessors, or that ends within a batch |
// | streams | branch (16) | the parent branch (16), and the number of the parent's last shared event (8): see Streams |
// | base | number from 0 (8, big-endian) | a piece of the archive snapshot, 1 MiB except for the last one |
// | holes | replica (16), first sequence (8) | last sequence (8) of a run of events that were lost with a damaged file |
// | lacking | replica (16), first sequence (8) | last sequence (8) of a run of events without values that other stores may have |
// | late | arrival number from 1 (8, big-endian) | position (8), then the frame that replaces the one at that position: see LateRow |
// | filled | position (8, big-endian) | arrival number of the frame that replaces the one there (8) |
// | meta | name | format, log, epoch; `generation`: see LogGeneration; `state`: see LogState; `base`: see LogBase; `claim`: see Claim; `readings`: see NameState |

/// A key that is a replica.
package struct ReplicaKey: TableKey, Hashable {
    package let replica: ReplicaID

    package func withKeyBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        let words: [2 of UInt64] = [replica.high.bigEndian, replica.low.bigEndian]
        return try body(words.span.bytes)
    }

    package init(_ replica: ReplicaID) { self.replica = replica }

    package init?(keyBytes: RawSpan) {
        guard keyBytes.byteCount == 16 else { return nil }
        replica = ReplicaID(at: 0, of: keyBytes)
    }
}

/// A key that is a replica and a number: the first event of a run, or a block of its tree.
package struct ReplicaNumberKey: TableKey, Hashable {
    package let replica: ReplicaID
    package let number: UInt64

    package init(_ replica: ReplicaID, _ number: UInt64) {
        self.replica = replica
        self.number = number
    }

    package init?(keyBytes: RawSpan) {
        guard keyBytes.byteCount == 24 else { return nil }
        replica = ReplicaID(at: 0, of: keyBytes)
        number = keyBytes.bigEndianUInt64(at: 16)
    }

    package func withKeyBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        let words: [3 of UInt64] = [replica.high.bigEndian, replica.low.bigEndian, number.bigEndian]
        return try body(words.span.bytes)
    }
}

/// A key that is an event, and the first one of a run of events whose values are refused because of it.
package struct RefusalKey: TableKey, Hashable {
    package let event: EventID
    package let first: EventID

    package init(_ event: EventID, first: EventID) { (self.event, self.first) = (event, first) }

    package init?(keyBytes: RawSpan) {
        guard keyBytes.byteCount == 48 else { return nil }
        event = EventID(ReplicaID(at: 0, of: keyBytes), keyBytes.bigEndianUInt64(at: 16))
        first = EventID(ReplicaID(at: 24, of: keyBytes), keyBytes.bigEndianUInt64(at: 40))
    }

    package func withKeyBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        let words: [6 of UInt64] = [
            event.replica.high.bigEndian, event.replica.low.bigEndian, event.sequence.bigEndian,
            first.replica.high.bigEndian, first.replica.low.bigEndian, first.sequence.bigEndian,
        ]
        return try body(words.span.bytes)
    }

    /// Parses a row of the table `erased`; `nil` if it is malformed.
    package static func refusal(_ key: RawSpan, _ value: RawSpan) -> (event: EventID, run: EventRange)? {
        guard let key = RefusalKey(keyBytes: key), value.byteCount == 8 else { return nil }
        return EventRange(key.first.replica, named: key.first.sequence, through: value.uint64(at: 0)).map {
            (key.event, $0)
        }
    }
}

/// The tables, opened once per transaction, except for those of late events, which are rarely needed: see
/// ``LateTables``.
package struct LogTables {
    /// The format of the file; other formats are refused.
    package static let format: UInt32 = 4

    package let events: Table<UInt64>
    package let runs: CheckedTable<ReplicaNumberKey>
    package let heads: CheckedTable<ReplicaKey>
    package let arrivals: CheckedTable<UInt64>
    package let trees: CheckedTable<ReplicaKey>
    package let nodes: CheckedTable<ReplicaNumberKey>
    package let erased: CheckedTable<RefusalKey>
    package let signed: CheckedTable<ReplicaKey>
    package let waiting: CheckedTable<[UInt8]>
    package let streams: CheckedTable<ReplicaKey>
    package let base: CheckedTable<UInt64>
    package let meta: CheckedTable<[UInt8]>
    package let holes: CheckedTable<ReplicaNumberKey>
    package let lacking: CheckedTable<ReplicaNumberKey>

    /// Creates the tables of a new log file and stores its generation.
    ///
    /// All log files are created here, so no two files share a generation.
    ///
    /// - Parameter previous: The generation of the file that the new one is copied from; `nil` for a new log.
    package static func create(in transaction: borrowing WriteTransaction, after previous: LogGeneration?) throws {
        _ = try transaction.openOrCreate("events", of: UInt64.self)
        for table in LogTable.allCases { _ = try transaction.openOrCreate(table.name, of: [UInt8].self) }
        var writer = ByteWriter(capacity: LogGeneration.byteCount)
        writer.append(LogGeneration(after: previous))
        let meta = try CheckedTable<[UInt8]>(.meta, in: transaction)
        try transaction.put(writer.bytes.span.bytes, for: LogGeneration.key, in: meta)
    }

    package init(in transaction: borrowing some ReadableTransaction & ~Copyable) throws {
        guard let events = try transaction.table("events", of: UInt64.self) else { throw EventLogError.notALog }
        self.events = events
        runs = try CheckedTable(.runs, in: transaction)
        heads = try CheckedTable(.heads, in: transaction)
        arrivals = try CheckedTable(.arrivals, in: transaction)
        trees = try CheckedTable(.trees, in: transaction)
        nodes = try CheckedTable(.nodes, in: transaction)
        erased = try CheckedTable(.erased, in: transaction)
        signed = try CheckedTable(.signed, in: transaction)
        waiting = try CheckedTable(.waiting, in: transaction)
        streams = try CheckedTable(.streams, in: transaction)
        base = try CheckedTable(.base, in: transaction)
        meta = try CheckedTable(.meta, in: transaction)
        holes = try CheckedTable(.holes, in: transaction)
        lacking = try CheckedTable(.lacking, in: transaction)
    }
}

/// The last event of a replica, as stored in the log.
package struct HeadRow: Hashable {
    package var sequence: SequenceNumber
    package var position: Position
    package var stamp: Stamp

    package init(sequence: SequenceNumber, position: Position, stamp: Stamp) {
        self.sequence = sequence
        self.position = position
        self.stamp = stamp
    }

    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 24 else { return nil }
        self.init(
            sequence: bytes.uint64(at: 0), position: bytes.uint64(at: 8), stamp: Stamp(rawValue: bytes.uint64(at: 16)))
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 24)
        writer.append(littleEndian: sequence)
        writer.append(littleEndian: position)
        writer.append(littleEndian: stamp.rawValue)
        return writer.bytes
    }
}

/// The end of the log; updated by every commit, in the same transaction.
///
/// As a row: next position (8), checksum of the last frame (4), clock (8), whether a commit may trail (1).
package struct LogState: Hashable {
    /// The position of the next event, from 1. A damaged or altered row may have 0.
    package var nextPosition: Position
    /// The checksum of the last frame, which the next frame stores as its predecessor's.
    package var lastChecksum: UInt32
    package var clock: Stamp
    /// Whether a commit after this one may be on the disk without a meta page that leads to it: see
    /// ``EventLog/bringBackTrailing()``.
    package var mayBeTrailed = false
    /// Whether this commit brings events that say who belongs to the log. Not stored.
    package var changesRoster = false

    package static let key = [UInt8]("state".utf8)

    package init(nextPosition: Position, lastChecksum: UInt32, clock: Stamp) {
        self.nextPosition = nextPosition
        self.lastChecksum = lastChecksum
        self.clock = clock
    }

    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 21, bytes.byte(at: 20) <= 1 else { return nil }
        self.init(
            nextPosition: bytes.uint64(at: 0), lastChecksum: bytes.uint32(at: 8),
            clock: Stamp(rawValue: bytes.uint64(at: 12)))
        mayBeTrailed = bytes.byte(at: 20) == 1
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 21)
        writer.append(littleEndian: nextPosition)
        writer.append(littleEndian: lastChecksum)
        writer.append(littleEndian: clock.rawValue)
        writer.append(mayBeTrailed ? 1 : 0)
        return writer.bytes
    }
}

import ByteCoding
import Events
import LMDB

/// How the names in events are read at present: the meta row `readings`, which is there once a history has parted.
struct NameState: Hashable {
    /// How often names have come to be read otherwise than before.
    var count: UInt64 = 0
    /// Whether it cannot be told yet of some author which history it meant.
    var isUncertain = false

    static let key = [UInt8]("readings".utf8)

    init() {}

    init?(_ row: RawSpan) {
        guard row.byteCount == 9 else { return nil }
        count = row.uint64(at: 0)
        isUncertain = row.byte(at: 8) != 0
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 9)
        writer.append(littleEndian: count)
        writer.append(UInt8(isUncertain ? 1 : 0))
        return writer.bytes
    }
}

extension EventLog {
    /// Which histories have parted, and where. Cost: a look-up in a log without forks.
    public func streams() throws -> Streams {
        try read { transaction in try Self.streams(in: transaction, LogTables(in: transaction)) }
    }

    /// How often names in events that are here have come to be read otherwise than before: a fold from before is of other
    /// names.
    public func readingsCount() throws -> UInt64 {
        try read { transaction in try Self.nameState(in: transaction, LogTables(in: transaction)).count }
    }

    /// Which events the author of the one at `position` meant by the names in `written`, which it holds as a value.
    public func events(_ written: EventSet, meantAt position: Position) throws -> EventSet {
        guard try !streams().isEmpty else { return written }
        let names = try withEvent(at: position) { frame, bytes in frame.names(in: bytes) }
        return names.map { names in EventSet(written.ranges.flatMap { names($0) }) } ?? written
    }

    /// Which of `events`, named by the event at `position` and read as the log reads it, are surely those that are here,
    /// and of which it cannot be told yet: see ``Meaning``.
    package func meaning(of events: EventSet, namedAt position: Position) throws -> Meaning {
        guard let event = try withEvent(at: position, { frame, _ in frame.id }) else {
            throw EventLogError.damaged("the event at position \(position)")
        }
        return try Meaning(of: events, namedBy: event, in: self)
    }

    static func streams(in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables) throws -> Streams {
        var streams = Streams()
        try transaction.forEach(in: tables.streams) { key, value in
            guard let key = ReplicaKey(keyBytes: key), let branch = branch(value) else {
                throw EventLogError.damaged("the forks of a replica's history")
            }
            streams.add(key.replica, to: branch.parent, after: branch.after)
            return true
        }
        guard streams.isSound else { throw EventLogError.damaged("the forks of a replica's history") }
        return streams
    }

    static func branch(_ row: RawSpan) -> Streams.Branch? {
        guard row.byteCount == 24 else { return nil }
        return Streams.Branch(parent: ReplicaID(at: 0, of: row), after: row.uint64(at: 16))
    }

    static func nameState(
        in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> NameState {
        guard let row = try transaction.value(NameState.key, in: tables.meta) else { return NameState() }
        guard let state = row.withSpan({ NameState($0) }) else {
            throw EventLogError.damaged("the record of how replica names are resolved")
        }
        return state
    }

    /// Has this log, which is new, name events as `other` does: for a copy of what that one has.
    package func adoptStreams(of other: EventLog) throws {
        let (streams, state) = try other.read { transaction in
            let tables = try LogTables(in: transaction)
            return (try Self.streams(in: transaction, tables), try Self.nameState(in: transaction, tables))
        }
        if streams.isEmpty { return }
        try write { transaction in
            let tables = try LogTables(in: transaction)
            try Self.put(streams, in: transaction, tables)
            try transaction.put(state.bytes.span.bytes, for: NameState.key, in: tables.meta)
        }
    }

    static func put(_ streams: Streams, in transaction: borrowing WriteTransaction, _ tables: LogTables) throws {
        for (stream, branch) in streams.branches {
            var writer = ByteWriter(capacity: 24)
            writer.append(branch.parent)
            writer.append(littleEndian: branch.after)
            try transaction.put(writer.bytes.span.bytes, for: ReplicaKey(stream), in: tables.streams)
        }
    }
}

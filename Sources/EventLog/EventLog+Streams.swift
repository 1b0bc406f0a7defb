import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns the branches of the log and their fork points. Cost: a look-up in a log without forks.
    public func streams() throws -> Streams {
        try read { transaction in try Self.streams(in: transaction, LogTables(in: transaction)) }
    }

    /// Returns how often the name resolutions of events here have changed: folds with an older count are outdated.
    public func resolutionsCount() throws -> UInt64 {
        try read { transaction in try Self.nameState(in: transaction, LogTables(in: transaction)).count }
    }

    /// Resolves the names in `written`, a value of the event at `position`, to the events that its author meant.
    public func events(_ written: EventSet, meantAt position: Position) throws -> EventSet {
        guard try !streams().isEmpty else { return written }
        let names = try withEvent(at: position) { frame, bytes in frame.names(in: bytes) }
        return names.map { names in EventSet(written.ranges.flatMap { names($0) }) } ?? written
    }

    /// Returns which of `events`, named by the event at `position` and already resolved, are certainly the events here,
    /// and which are undecided: see ``Meaning``.
    package func meaning(of events: EventSet, namedAt position: Position) throws -> Meaning {
        guard let event = try withEvent(at: position, { frame, _ in frame.id }) else {
            throw EventLogError.damaged("the event at position \(position)")
        }
        return try Meaning(of: events, namedBy: event, in: self)
    }

    static func streams(in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables) throws
        -> Streams
    {
        var streams = Streams()
        try transaction.forEach(in: tables.streams) { key, value in
            guard let key = ReplicaKey(keyBytes: key), let branch = Streams.Branch(value) else {
                throw EventLogError.damaged("the forks of a replica's history")
            }
            streams.add(key.replica, to: branch.parent, after: branch.after)
            return true
        }
        guard streams.isSound else { throw EventLogError.damaged("the forks of a replica's history") }
        return streams
    }

    static func nameState(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> NameState {
        guard let row = try transaction.value(NameState.key, in: tables.meta) else { return NameState() }
        guard let state = row.withSpan({ NameState($0) }) else {
            throw EventLogError.damaged("the record of how replica names are resolved")
        }
        return state
    }

    /// Copies the branches and the state of name resolution from `other` to this log, which is new.
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
            try transaction.put(branch.bytes.span.bytes, for: ReplicaKey(stream), in: tables.streams)
        }
    }
}

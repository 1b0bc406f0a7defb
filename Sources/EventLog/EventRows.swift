import ByteCoding
import Events
import LMDB

// Tables whose rows are runs of events: `erased`, `holes`, `lacking`. Key: the replica and the first number of a run;
// value: its last number (8). The runs of a table neither overlap nor touch.
extension EventLog {
    /// Parses a row into its run; `nil` if the row is malformed.
    static func range(_ key: RawSpan, _ value: RawSpan) -> EventRange? {
        guard let key = ReplicaNumberKey(keyBytes: key), value.byteCount == 8 else { return nil }
        return EventRange(key.replica, named: key.number, through: value.uint64(at: 0))
    }

    /// Returns all events in `table`.
    static func events(
        _ table: CheckedTable<ReplicaNumberKey>, in transaction: borrowing some Reading & ~Copyable
    ) throws -> EventSet {
        var events = EventSet()
        try transaction.forEach(in: table) { key, value in
            guard let range = range(key, value) else { throw EventLogError.damaged(table.kind.row) }
            events.insert(range)
            return true
        }
        return events
    }

    /// Replaces the content of `table` by `events`.
    static func put(
        _ events: EventSet, _ table: CheckedTable<ReplicaNumberKey>, in transaction: borrowing WriteTransaction
    ) throws {
        try transaction.removeAll(in: table)
        for range in events.ranges { try put(range, table, in: transaction) }
    }

    /// Adds events of one replica to `table`. Cost: O(runs of that replica).
    static func add(
        _ events: EventSet, of replica: ReplicaID, to table: CheckedTable<ReplicaNumberKey>,
        in transaction: borrowing WriteTransaction
    ) throws {
        try change(table, of: replica, in: transaction) { $0.formUnion(events) }
    }

    /// Removes `events` from `table`. Cost: O(runs of their replicas).
    static func remove(
        _ events: EventSet, from table: CheckedTable<ReplicaNumberKey>, in transaction: borrowing WriteTransaction
    ) throws {
        for replica in Set(events.ranges.map(\.replica)).sorted() {
            try change(table, of: replica, in: transaction) { $0 = $0.subtracting(events) }
        }
    }

    private static func change(
        _ table: CheckedTable<ReplicaNumberKey>, of replica: ReplicaID, in transaction: borrowing WriteTransaction,
        _ change: (inout EventSet) -> Void
    ) throws {
        var known = EventSet()
        try transaction.forEach(in: table, from: ReplicaNumberKey(replica, 0)) { key, value in
            guard let range = range(key, value) else { throw EventLogError.damaged(table.kind.row) }
            guard range.replica == replica else { return false }
            known.insert(range)
            return true
        }
        var changed = known
        change(&changed)
        let (before, after) = (Set(known.ranges), Set(changed.ranges))
        for range in before.subtracting(after) {
            _ = try transaction.remove(ReplicaNumberKey(replica, range.first), in: table)
        }
        for range in after.subtracting(before) { try put(range, table, in: transaction) }
    }

    /// Moves the events of `stream` after number `after` to the branch `part`, renumbered from 1, when a history
    /// forks there.
    static func move(
        _ table: CheckedTable<ReplicaNumberKey>, of stream: ReplicaID, behind after: SequenceNumber, to part: ReplicaID,
        in transaction: borrowing WriteTransaction
    ) throws {
        for range in try events(table, in: transaction).ranges where range.replica == stream && range.last > after {
            _ = try transaction.remove(ReplicaNumberKey(stream, range.first), in: table)
            if range.first <= after { try put(EventRange(stream, range.first, through: after), table, in: transaction) }
            let rest = Swift.max(range.first, after + 1) - after
            try put(EventRange(part, rest, through: range.last - after), table, in: transaction)
        }
    }

    private static func put(
        _ range: EventRange, _ table: CheckedTable<ReplicaNumberKey>, in transaction: borrowing WriteTransaction
    ) throws {
        var writer = ByteWriter(capacity: 8)
        writer.append(littleEndian: range.last)
        try transaction.put(writer.bytes.span.bytes, for: ReplicaNumberKey(range.replica, range.first), in: table)
    }
}

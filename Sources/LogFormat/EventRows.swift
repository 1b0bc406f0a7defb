import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

extension EventRange {
    /// Parses a row of a table of runs of events; `nil` if it is malformed.
    package init?(key: RawSpan, value: RawSpan) {
        guard let key = ReplicaNumberKey(keyBytes: key), value.byteCount == 8 else { return nil }
        self.init(key.replica, named: key.number, through: value.uint64(at: 0))
    }
}

// Tables whose rows are runs of events: `erased`, `holes`, `lacking`. Key: the replica and the first number of a run;
// value: its last number (8). The runs of a table neither overlap nor touch.
extension CheckedTable<ReplicaNumberKey> {
    /// Returns all events in this table.
    package func events(in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> EventSet {
        var events = EventSet()
        try transaction.forEach(in: self) { key, value in
            events.insert(try range(key, value))
            return true
        }
        return events
    }

    /// Replaces the content of this table by `events`.
    package func replace(with events: EventSet, in transaction: borrowing WriteTransaction) throws {
        try transaction.removeAll(in: self)
        for range in events.ranges { try put(range, in: transaction) }
    }

    /// Adds `events`. Cost: O(runs of their replicas).
    package func insert(_ events: EventSet, in transaction: borrowing WriteTransaction) throws {
        try change(by: events, in: transaction) { $0.formUnion($1) }
    }

    /// Removes `events`. Cost: O(runs of their replicas).
    package func remove(_ events: EventSet, in transaction: borrowing WriteTransaction) throws {
        try change(by: events, in: transaction) { $0 = $0.subtracting($1) }
    }

    /// Moves the events of `stream` after number `after` to the branch `part`, renumbered from 1, when a history
    /// forks there.
    package func move(
        _ stream: ReplicaID, behind after: SequenceNumber, to part: ReplicaID,
        in transaction: borrowing WriteTransaction
    ) throws {
        for range in try events(in: transaction).ranges where range.replica == stream && range.last > after {
            _ = try transaction.remove(ReplicaNumberKey(stream, range.first), in: self)
            if range.first <= after { try put(EventRange(stream, range.first, through: after), in: transaction) }
            let rest = Swift.max(range.first, after + 1) - after
            try put(EventRange(part, rest, through: range.last - after), in: transaction)
        }
    }

    private func change(
        by events: EventSet, in transaction: borrowing WriteTransaction, _ change: (inout EventSet, EventSet) -> Void
    ) throws {
        for replica in Set(events.ranges.map(\.replica)).sorted() {
            let known = try self.events(of: replica, in: transaction)
            var changed = known
            change(&changed, EventSet(events.ranges.filter { $0.replica == replica }))
            let (before, after) = (Set(known.ranges), Set(changed.ranges))
            for range in before.subtracting(after) {
                _ = try transaction.remove(ReplicaNumberKey(replica, range.first), in: self)
            }
            for range in after.subtracting(before) { try put(range, in: transaction) }
        }
    }

    private func events(of replica: ReplicaID, in transaction: borrowing WriteTransaction) throws -> EventSet {
        var events = EventSet()
        try transaction.forEach(in: self, from: ReplicaNumberKey(replica, 0)) { key, value in
            let range = try range(key, value)
            guard range.replica == replica else { return false }
            events.insert(range)
            return true
        }
        return events
    }

    private func range(_ key: RawSpan, _ value: RawSpan) throws -> EventRange {
        guard let range = EventRange(key: key, value: value) else { throw EventLogError.damaged(kind.row) }
        return range
    }

    private func put(_ range: EventRange, in transaction: borrowing WriteTransaction) throws {
        var writer = ByteWriter(capacity: 8)
        writer.append(littleEndian: range.last)
        try transaction.put(writer.bytes.span.bytes, for: ReplicaNumberKey(range.replica, range.first), in: self)
    }
}

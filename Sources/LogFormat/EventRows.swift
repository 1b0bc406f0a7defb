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

// Tables whose rows are runs of events: `holes`, `lacking`. Key: the replica and the first number of a run;
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

// The table `erased`: runs of events whose values are refused, each because of an event.
extension CheckedTable<RefusalKey> {
    /// Returns which values are refused, by the events because of which they are.
    package func refusals(in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> [EventID: EventSet]
    {
        var refusals: [EventID: EventSet] = [:]
        try transaction.forEach(in: self) { key, value in
            guard let (event, run) = RefusalKey.refusal(key, value) else { throw EventLogError.damaged(kind.row) }
            refusals[event, default: EventSet()].insert(run)
            return true
        }
        return refusals
    }

    /// Returns all events whose values are refused.
    package func events(in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> EventSet {
        try refusals(in: transaction).values.reduce(into: EventSet()) { $0.formUnion($1) }
    }

    /// Replaces the content of this table.
    package func replace(with refusals: [EventID: EventSet], in transaction: borrowing WriteTransaction) throws {
        try transaction.removeAll(in: self)
        for (event, events) in refusals {
            for run in events.ranges {
                var writer = ByteWriter(capacity: 8)
                writer.append(littleEndian: run.last)
                let key = RefusalKey(event, first: EventID(run.replica, run.first))
                try transaction.put(writer.bytes.span.bytes, for: key, in: self)
            }
        }
    }
}

extension EventSet {
    /// What distinguishes this set from others: the first 8 bytes, little-endian, of the SHA-256 of its runs.
    package var mark: UInt64 {
        var writer = ByteWriter()
        for range in ranges {
            writer.append(range.replica)
            writer.append(littleEndian: range.first)
            writer.append(littleEndian: range.last)
        }
        return writer.withSpan { Hash256(hashing: $0) }.prefix.byteSwapped
    }

    /// Returns the events as they are named once those of `stream` after number `after` are a branch, from 1 on.
    package func moving(_ stream: ReplicaID, behind after: SequenceNumber, to branch: ReplicaID) -> EventSet {
        EventSet(
            ranges.flatMap { range -> [EventRange] in
                guard range.replica == stream, range.last > after else { return [range] }
                let rest = Swift.max(range.first, after + 1) - after
                let moved = EventRange(branch, rest, through: range.last - after)
                return range.first <= after ? [EventRange(stream, range.first, through: after), moved] : [moved]
            })
    }
}

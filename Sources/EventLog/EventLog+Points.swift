import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// Every point of time travel is a vector. These look-ups find it.
extension EventLog {
    /// Returns what this log contained when the event at `position` was the last one, also inside a batch.
    ///
    /// Cost: O(runs).
    public func vector(through position: Position) throws -> VersionVector {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let heads = try Self.heads(in: transaction, tables)
            var vector = VersionVector()
            for (replica, head) in heads {
                vector[replica] = try Self.lastSequence(of: replica, head, through: position, in: transaction, tables)
            }
            return vector
        }
    }

    /// Returns the last event of `replica` stamped at or before `stamp`, rounded down to the end of a batch; 0 for
    /// none.
    ///
    /// Cost: O(log events) look-ups, since the stamps of one replica never go down.
    public func lastSequence(of replica: ReplicaID, stampedUpTo stamp: Stamp) throws -> SequenceNumber {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let head = try transaction.withValue(ReplicaKey(replica), in: tables.heads) { HeadRow($0) }
            guard let head, let head else { return 0 }
            var (low, high): (SequenceNumber, SequenceNumber) = (0, head.sequence)
            while low < high {
                let middle = (low + high + 1) / 2
                let found = try Self.frame(of: EventID(replica, middle), in: transaction, tables)
                if found.stamp <= stamp { low = middle } else { high = middle - 1 }
            }
            return try Self.batchEnd(atOrBefore: EventID(replica, low), in: transaction, tables)
        }
    }

    /// Returns the greatest vector of whole batches that this log has and that `vector` covers.
    public func alignedDown(_ vector: VersionVector) throws -> VersionVector {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            var aligned = VersionVector()
            for (replica, head) in try Self.heads(in: transaction, tables) {
                let last = Swift.min(head.sequence, vector[replica])
                aligned[replica] = try Self.batchEnd(atOrBefore: EventID(replica, last), in: transaction, tables)
            }
            return aligned
        }
    }

    /// Returns the numbers of the first and last event of the batch that contains `event`; `nil` if the event is not
    /// here.
    ///
    /// The last event may not have arrived yet.
    public func batch(of event: EventID) throws -> ClosedRange<SequenceNumber>? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            guard try Self.position(of: event, in: transaction, tables) != nil else { return nil }
            let last = event.sequence + UInt64(try Self.frame(of: event, in: transaction, tables).rest)
            return try Self.batchEnd(atOrBefore: EventID(event.replica, event.sequence - 1), in: transaction, tables)
                + 1...last
        }
    }

    /// Returns what the author of `event` had observed: its own events up to and including this one, and the heads of
    /// others that it had received by then. Some of these may not be in this log.
    ///
    /// - Returns: `nil` if the event is not here.
    /// - Complexity: O(events back to the one that stores all heads), at most 256 and the length of a batch.
    public func context(of event: EventID) throws -> VersionVector? {
        let streams = try streams()
        return try read { transaction in
            let tables = try LogTables(in: transaction)
            guard try Self.position(of: event, in: transaction, tables) != nil else { return nil }
            var context = VersionVector()
            var next: EventID? = event
            var names: WrittenNames?
            while let id = next {
                if id.sequence > context[id.replica] { context[id.replica] = id.sequence }
                let observed = try Self.withFrame(of: id, in: transaction, tables) { frame, bytes in
                    // The author's last event has the most complete name resolutions.
                    names = names ?? frame.names(in: bytes)
                    return (heads: frame.observed(in: bytes), areAll: frame.observesAll)
                }
                for head in observed.heads {
                    let meant = names?(head.event) ?? head.event
                    for event in streams.heads(upTo: meant) where event.sequence > context[event.replica] {
                        context[event.replica] = event.sequence
                    }
                }
                next = observed.areAll ? nil : streams.predecessor(of: id)
            }
            return context
        }
    }

    private static func heads(
        in transaction: borrowing ReadTransaction, _ tables: LogTables
    ) throws -> [(ReplicaID, HeadRow)] {
        var heads: [(ReplicaID, HeadRow)] = []
        try transaction.forEach(in: tables.heads) { key, value in
            guard key.byteCount == 16, let row = HeadRow(value) else {
                throw EventLogError.damaged("the last event of a replica")
            }
            heads.append((ReplicaID(at: 0, of: key), row))
            return true
        }
        return heads
    }

    /// Returns the greatest number at or before that of `event` at which a batch ends; 0 for none.
    private static func batchEnd(
        atOrBefore event: EventID, in transaction: borrowing ReadTransaction, _ tables: LogTables
    ) throws -> SequenceNumber {
        var sequence = event.sequence
        while sequence > 0 {
            if try frame(of: EventID(event.replica, sequence), in: transaction, tables).rest == 0 { return sequence }
            sequence -= 1
        }
        return 0
    }

    /// Returns the number of the last event of `replica` at or before `position`; 0 for none.
    private static func lastSequence(
        of replica: ReplicaID, _ head: HeadRow, through position: Position,
        in transaction: borrowing ReadTransaction, _ tables: LogTables
    ) throws -> SequenceNumber {
        if head.position <= position { return head.sequence }
        var run: (first: SequenceNumber, position: Position)?
        var next = head.sequence + 1
        try transaction.forEach(in: tables.runs, from: ReplicaNumberKey(replica, 0)) { key, value in
            guard let row = ReplicaNumberKey(keyBytes: key), row.replica == replica, value.byteCount == 8 else {
                return false
            }
            guard value.uint64(at: 0) <= position else {
                next = row.number
                return false
            }
            run = (row.number, value.uint64(at: 0))
            return true
        }
        return run.map { Swift.min(next - 1, $0.first + (position - $0.position)) } ?? 0
    }

    private static func frame(
        of event: EventID, in transaction: borrowing ReadTransaction, _ tables: LogTables
    ) throws -> Frame {
        try withFrame(of: event, in: transaction, tables) { frame, _ in frame }
    }

    static func withFrame<Result>(
        of event: EventID, in transaction: borrowing ReadTransaction, _ tables: LogTables,
        _ body: (Frame, RawSpan) throws -> Result
    ) throws -> Result {
        guard let position = try position(of: event, in: transaction, tables) else {
            throw EventLogError.damaged("the runs of a replica")
        }
        return try withEvent(event, at: position, in: transaction, tables, body)
    }
}

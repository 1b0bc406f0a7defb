import ByteCoding
import Events
import LMDB

extension EventLog {
    /// How many events are read under one LMDB snapshot: an open one keeps old pages from being used again.
    static let sliceCount = 16_384

    /// Hands out the events from `position` on, in the order in which they arrived, until `body` says `false`.
    ///
    /// The bytes are the frame in the map and are gone when `body` returns. Events that arrive meanwhile are included.
    /// Checksums are not looked at. The log is read in slices, so a long scan does not make the file grow.
    ///
    /// - Complexity: about 40 ns an event.
    @inlinable
    public func scan(
        from position: Position, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        try scanFrames(from: position) { position, bytes in
            let frame = try Frame(bytes, at: position)
            return try body(position, frame, bytes)
        }
    }

    /// As ``scan(from:_:)``, with the frames as they lie in the map, whatever they hold.
    @inlinable
    public func scanFrames(
        from position: Position, _ body: (_ position: Position, _ bytes: RawSpan) throws -> Bool
    ) throws {
        var next = Swift.max(1, position)
        var goesOn = true
        while goesOn {
            let start = next
            try readSlice { transaction, events in
                try transaction.withCursor(events) { cursor in
                    try cursor.forEach(from: start) { key, value in
                        let position = key.bigEndianUInt64(at: 0)
                        next = position &+ 1
                        goesOn = try body(position, value)
                        return goesOn && next &- start < UInt64(sliceLimit)
                    }
                }
            }
            if next == start { return }
        }
    }

    @usableFromInline var sliceLimit: Int { Self.sliceCount }

    @usableFromInline
    func readSlice(_ body: (borrowing ReadTransaction, Table<UInt64>) throws -> Void) throws {
        try read { transaction in try body(transaction, LogTables(in: transaction).events) }
    }

    /// Hands out the event at `position`, or returns `nil` where there is none. Cost: one look-up, about 0.6 us.
    public func withEvent<Result>(
        at position: Position, _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result? {
        try read { transaction in
            try transaction.withValue(position, in: LogTables(in: transaction).events) { bytes in
                let frame = try Frame(verifying: bytes, at: position)
                return try body(frame, bytes)
            }
        }
    }

    /// Hands out the events at `positions`, which ascend, under one LMDB snapshot.
    public func withEvents(
        at positions: some Sequence<Position>,
        _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Void
    ) throws {
        try read { transaction in
            let events = try LogTables(in: transaction).events
            for position in positions {
                _ = try transaction.withValue(position, in: events) { bytes in
                    let frame = try Frame(bytes, at: position)
                    try body(position, frame, bytes)
                }
            }
        }
    }

    /// Where `event` stands in this log, or `nil` where it is not here. Cost: one look-up among the runs.
    public func position(of event: EventID) throws -> Position? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            return try Self.position(of: event, in: transaction, tables)
        }
    }

    static func position(
        of event: EventID, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> Position? {
        let head = try transaction.withValue(ReplicaKey(event.replica), in: tables.heads) { HeadRow($0) }
        guard event.sequence >= 1, let head, let head, event.sequence <= head.sequence else { return nil }
        let wanted = ReplicaNumberKey(event.replica, event.sequence)
        return try transaction.withCursor(tables.runs) { cursor in
            var isThere = try cursor.seek(atOrAfter: wanted)
            if isThere, try cursor.withEntry({ key, _ in ReplicaNumberKey(keyBytes: key) }) != wanted {
                isThere = try cursor.previous()
            } else if !isThere {
                isThere = try cursor.last()
            }
            guard isThere else { throw EventLogError.damaged("the runs of a replica") }
            return try cursor.withEntry { key, value in
                guard let run = ReplicaNumberKey(keyBytes: key), run.replica == event.replica, value.byteCount == 8
                else {
                    throw EventLogError.damaged("the runs of a replica")
                }
                return value.uint64(at: 0) + (event.sequence - run.number)
            }
        }
    }

    /// Hands out the events of `range` in order, until `body` says `false`. Cost: a look-up for each run it spans.
    public func scan(
        _ range: EventRange, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        var next = range.first
        while next <= range.last {
            guard let start = try position(of: EventID(range.replica, next)) else { return }
            var goesOn = true
            let before = next
            try scan(from: start) { position, frame, bytes in
                guard frame.id.replica == range.replica, frame.id.sequence == next, next <= range.last else {
                    return false
                }
                next += 1
                goesOn = try body(position, frame, bytes)
                return goesOn
            }
            if !goesOn || next == before { return }
        }
    }

    /// When this store got the event at `position`; `nil` where there is none.
    public func arrival(of position: Position) throws -> Arrival? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            guard position < (try Self.state(in: transaction, tables.meta).nextPosition) else { return nil }
            return try transaction.withCursor(tables.arrivals) { cursor in
                var isThere = try cursor.seek(atOrAfter: position)
                if isThere, try cursor.withEntry({ key, _ in key.bigEndianUInt64(at: 0) }) != position {
                    isThere = try cursor.previous()
                } else if !isThere {
                    isThere = try cursor.last()
                }
                return isThere ? try cursor.withEntry { _, value in Arrival(value) } : nil
            }
        }
    }
}

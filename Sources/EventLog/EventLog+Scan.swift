import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// The number of events read under one LMDB snapshot: an open snapshot keeps old pages from being reused.
    static let sliceCount = 16_384

    /// Passes the events from `position` on to `body`, in order of arrival, until that returns `false`.
    ///
    /// The bytes are the frame in the map, and valid only until `body` returns. Events that arrive meanwhile are
    /// included. The log is read in slices, so a long scan does not make the file grow.
    ///
    /// - Throws: ``EventLogError/damagedFrame(position:_:)`` at a damaged event, `damaged` if a position has no event;
    ///   the events before it were passed on.
    /// - Complexity: about 60 ns an event.
    @inlinable
    public func scan(
        from position: Position, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        try scanFrames(from: position) { position, bytes in
            let frame = try Frame(verifying: bytes, at: position)
            return try body(position, frame, bytes)
        }
    }

    /// As ``scan(from:_:)``, with the unverified bytes of each frame; late frames replace those that they fill.
    @inlinable
    public func scanFrames(
        from position: Position, _ body: (_ position: Position, _ bytes: RawSpan) throws -> Bool
    ) throws {
        var next = Swift.max(1, position)
        var continues = true
        while continues {
            let start = next
            var late = NextLate()
            try readSlice { transaction, events, end in
                if start >= end { return }
                try transaction.withCursor(events) { cursor in
                    try cursor.forEach(from: start) { key, value in
                        try Self.check(key, next)
                        next &+= 1
                        continues =
                            try Frame.isPartial(value)
                            ? Self.withPresent(value, at: next &- 1, in: transaction, &late) { bytes in
                                try body(next &- 1, bytes)
                            } : body(next &- 1, value)
                        return continues && next &- start < UInt64(sliceLimit)
                    }
                }
                if continues, next &- start < UInt64(sliceLimit), next < end { throw Self.noEvent(at: next) }
            }
            if next == start { return }
        }
    }

    @usableFromInline var sliceLimit: Int { Self.sliceCount }

    /// Lends the table of events, and the position behind the last one.
    @usableFromInline
    func readSlice(_ body: (borrowing ReadTransaction, Table<UInt64>, _ end: Position) throws -> Void) throws {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            try body(transaction, tables.events, tables.state(in: transaction).nextPosition)
        }
    }

    /// Throws unless `key` is that of `position`: a frame does not contain its position.
    @inlinable
    static func check(_ key: RawSpan, _ position: Position) throws {
        guard key.byteCount == 8, key.bigEndianUInt64(at: 0) == position else { throw noEvent(at: position) }
    }

    @usableFromInline
    static func noEvent(at position: Position) -> EventLogError {
        .damaged("the event at position \(position)")
    }

    /// Passes the event at `position` to `body`; returns `nil` if there is none. Cost: one look-up, about 0.6 us.
    public func withEvent<Result>(
        at position: Position, _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            return try transaction.withCursor(tables.events) { cursor in
                guard try Self.seek(position, &cursor, transaction, tables) else { return nil }
                return try cursor.withEntry { _, row in
                    try Self.withPresent(row, at: position, in: transaction, body)
                }
            }
        }
    }

    /// Passes the events at `positions`, which ascend, to `body` under one LMDB snapshot. Positions behind the last
    /// event are skipped.
    public func withEvents(
        at positions: some Sequence<Position>,
        _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Void
    ) throws {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            try transaction.withCursor(tables.events) { cursor in
                for position in positions where try Self.seek(position, &cursor, transaction, tables) {
                    try cursor.withEntry { _, row in
                        try Self.withPresent(row, at: position, in: transaction) { frame, bytes in
                            try body(position, frame, bytes)
                        }
                    }
                }
            }
        }
    }

    /// Moves `cursor` to the event at `position`; returns `false` if the log ends before it.
    ///
    /// The key is not in the frame. A damaged key may equal another position, but not right behind the previous one: so
    /// this seeks the previous position and steps to the next row.
    static func seek(
        _ position: Position, _ cursor: inout Cursor<UInt64>, _ transaction: borrowing ReadTransaction,
        _ tables: LogTables
    ) throws -> Bool {
        if position == 0 { return false }
        var isThere = try position == 1 ? cursor.first() : cursor.seek(to: position - 1)
        if isThere, position > 1 { isThere = try cursor.next() }
        guard isThere else {
            guard try position >= tables.state(in: transaction).nextPosition else { throw noEvent(at: position) }
            return false
        }
        try cursor.withEntry { key, _ in try check(key, position) }
        return true
    }

    /// Passes `event`, which is at `position`, to `body`; throws if it is not there.
    static func withEvent<Result>(
        _ event: EventID, at position: Position, in transaction: borrowing some ReadableTransaction & ~Copyable,
        _ tables: LogTables, _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        let result = try transaction.withValue(position, in: tables.events) { row in
            try withPresent(row, at: position, in: transaction) { frame, bytes in
                guard frame.id == event else { throw noEvent(at: position) }
                return try body(frame, bytes)
            }
        }
        guard let result else { throw noEvent(at: position) }
        return result
    }

    /// Returns the position of `event` in this log; `nil` if it is not here. Cost: one look-up among the runs.
    public func position(of event: EventID) throws -> Position? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            return try Self.position(of: event, in: transaction, tables)
        }
    }

    static func position(
        of event: EventID, in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> Position? {
        let head = try transaction.withValue(ReplicaKey(event.replica), in: tables.heads) { HeadRow($0) }
        guard event.sequence >= 1, let head, let head, event.sequence <= head.sequence else { return nil }
        let wanted = ReplicaNumberKey(event.replica, event.sequence)
        let position = try transaction.withLast(atOrBefore: wanted, in: tables.runs) { key, value -> Position? in
            guard let run = ReplicaNumberKey(keyBytes: key), run.replica == event.replica, value.byteCount == 8 else {
                return nil
            }
            return value.uint64(at: 0) + (event.sequence - run.number)
        }
        guard let position, let position else { throw EventLogError.damaged("the runs of a replica") }
        return position
    }

    /// Passes the events of `range` in order to `body`, until that returns `false`. Cost: a look-up for each run of the
    /// range.
    public func scan(
        _ range: EventRange, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        var next = range.first
        while next <= range.last {
            guard let start = try position(of: EventID(range.replica, next)) else { return }
            var continues = true
            let before = next
            try scan(from: start) { position, frame, bytes in
                guard frame.id.replica == range.replica, frame.id.sequence == next, next <= range.last else {
                    return false
                }
                next += 1
                continues = try body(position, frame, bytes)
                return continues
            }
            if !continues { return }
            // A run contains its first event.
            guard next > before else { throw EventLogError.damaged("the runs of a replica") }
        }
    }
}

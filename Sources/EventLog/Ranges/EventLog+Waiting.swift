import ByteCoding
import Events
import LMDB

/// A range that came and could not enter the log.
public struct WaitingRange: Hashable, Sendable {
    /// Which events.
    public let range: EventRange
    /// The number of the event that has to come before it can enter: its predecessor, or the rest of its batch.
    public let expected: SequenceNumber
    /// Bytes that it takes here.
    public let byteCount: Int
}

extension EventLog {
    /// The ranges that wait for their predecessors, or for the end of a batch, in order of replica and number.
    ///
    /// Cost: a few look-ups for each.
    public func waiting() throws -> [WaitingRange] {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            var ranges: [WaitingRange] = []
            try Self.forEachWaiting(in: transaction, tables) { frame in
                ranges.append(WaitingRange(range: frame.range, expected: 0, byteCount: frame.bytes.count))
            }
            return try ranges.compactMap { waiting in
                let head = try transaction.withValue(ReplicaKey(waiting.range.replica), in: tables.heads) {
                    HeadRow($0)
                }
                let last = (head ?? nil)?.sequence ?? 0
                if waiting.range.last <= last { return nil }
                let expected = waiting.range.first > last + 1 ? last + 1 : waiting.range.last + 1
                return WaitingRange(range: waiting.range, expected: expected, byteCount: waiting.byteCount)
            }
        }
    }

    /// The ranges that are kept as they came, for whoever lacks them too: those that wait, and those whose events
    /// nobody would believe without them yet. Cost: O(bytes).
    public func keptFrames() throws -> [RangeFrame] {
        try read { transaction in
            var frames: [RangeFrame] = []
            try Self.forEachWaiting(in: transaction, LogTables(in: transaction)) { frames.append($0) }
            return frames
        }
    }

    /// The ranges of other histories than those that are here, in order of replica and number.
    package func forkedFrames() throws -> [RangeFrame] {
        try read { transaction in
            var frames: [RangeFrame] = []
            try transaction.withCursor(LogTables(in: transaction).forked) { cursor in
                try cursor.forEach(from: nil) { _, value in
                    frames.append(try Self.frame(value))
                    return true
                }
            }
            return frames
        }
    }

    /// The waiting ranges of one replica.
    static func waiting(
        of replica: ReplicaID, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> [RangeFrame] {
        var frames: [RangeFrame] = []
        try forEachWaiting(from: replica, in: transaction, tables) { frame in
            guard frame.range.replica == replica else { return false }
            frames.append(frame)
            return true
        }
        return frames
    }

    private static func forEachWaiting(
        in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables, _ body: (RangeFrame) -> Void
    ) throws {
        try forEachWaiting(from: nil, in: transaction, tables) {
            body($0)
            return true
        }
    }

    private static func forEachWaiting(
        from replica: ReplicaID?, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables,
        _ body: (RangeFrame) -> Bool
    ) throws {
        try transaction.withCursor(tables.waiting) { cursor in
            try cursor.forEach(from: replica.map { ReplicaNumberKey($0, 0) }) { _, value in
                body(try Self.frame(value))
            }
        }
    }

    private static func frame(_ row: RawSpan) throws -> RangeFrame {
        do throws(RangeError) { return try RangeFrame(checkedBefore: row.toArray()) } catch {
            throw EventLogError.damaged("a range that waits")
        }
    }

    /// Lets `frames` of one replica wait, beside `present`; where there are too many, those furthest away are left out.
    /// Returns those that did not wait already.
    static func park(
        _ frames: [RangeFrame], beside present: [RangeFrame], in transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws -> [RangeFrame] {
        let parking = Parking(frames, beside: present)
        for frame in parking.leaving { _ = try transaction.remove(key(of: frame), in: tables.waiting) }
        for frame in parking.coming {
            try transaction.put(frame.bytes.span.bytes, for: key(of: frame), in: tables.waiting)
        }
        return parking.coming
    }

    static func key(of frame: RangeFrame) -> ReplicaNumberKey {
        ReplicaNumberKey(frame.range.replica, frame.range.first)
    }

    /// Whether a range that waits, or a forked one, has values of `events`.
    static func rangesHold(
        _ events: EventSet, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> Bool {
        var isFound = false
        func look(_ row: RawSpan) throws -> Bool {
            let frame = try Self.frame(row)
            isFound = isFound || frame.withholding(events) != frame
            return !isFound
        }
        try transaction.withCursor(tables.waiting) { cursor in try cursor.forEach(from: nil) { try look($1) } }
        try transaction.withCursor(tables.forked) { cursor in try cursor.forEach(from: nil) { try look($1) } }
        return isFound
    }

    /// Takes the values of `events` out of the ranges that wait, and the forked ones.
    static func withholdFromRanges(_ events: EventSet, in transaction: borrowing WriteTransaction) throws {
        let tables = try LogTables(in: transaction)
        var waiting: [(key: ReplicaNumberKey, frame: RangeFrame)] = []
        try transaction.withCursor(tables.waiting) { cursor in
            try cursor.forEach(from: nil) { key, value in
                if let key = ReplicaNumberKey(keyBytes: key) { waiting.append((key, try Self.frame(value))) }
                return true
            }
        }
        for (key, frame) in waiting {
            try transaction.put(frame.withholding(events).bytes.span.bytes, for: key, in: tables.waiting)
        }
        var forked: [(key: [UInt8], frame: RangeFrame)] = []
        try transaction.withCursor(tables.forked) { cursor in
            try cursor.forEach(from: nil) { key, value in
                forked.append((key.toArray(), try Self.frame(value)))
                return true
            }
        }
        for (key, frame) in forked {
            try transaction.put(frame.withholding(events).bytes.span.bytes, for: key, in: tables.forked)
        }
    }
}

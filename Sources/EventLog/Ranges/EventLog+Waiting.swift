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
            return try Self.frames(in: tables.waiting, transaction).compactMap { frame in
                let range = frame.range
                let head = try transaction.withValue(ReplicaKey(range.replica), in: tables.heads) { HeadRow($0) }
                let last = (head ?? nil)?.sequence ?? 0
                if range.last <= last { return nil }
                let expected = range.first > last + 1 ? last + 1 : range.last + 1
                return WaitingRange(range: range, expected: expected, byteCount: frame.bytes.count)
            }
        }
    }

    /// The ranges that are kept as they came, for whoever lacks them too: those that wait, and those whose events
    /// nobody would believe without them yet. Cost: O(bytes).
    public func keptFrames() throws -> [RangeFrame] {
        try read { transaction in try Self.frames(in: LogTables(in: transaction).waiting, transaction) }
    }

    /// The ranges of other histories than those that are here, in order of replica and number.
    package func forkedFrames() throws -> [RangeFrame] {
        try read { transaction in try Self.frames(in: LogTables(in: transaction).forked, transaction) }
    }

    /// The ranges of one replica in one of the tables of ranges, or of all.
    static func frames(
        of replica: ReplicaID? = nil, in table: Table<[UInt8]>, _ transaction: borrowing some Reading & ~Copyable
    ) throws -> [RangeFrame] {
        var frames: [RangeFrame] = []
        try transaction.withCursor(table) { cursor in
            try cursor.forEach(from: replica?.bytes) { _, value in
                let frame = try Self.frame(value)
                if let replica, frame.range.replica != replica { return false }
                frames.append(frame)
                return true
            }
        }
        return frames
    }

    private static func frame(_ row: RawSpan) throws -> RangeFrame {
        do throws(RangeError) { return try RangeFrame(checkedBefore: row.toArray()) } catch {
            throw EventLogError.damaged("a range that waits")
        }
    }

    /// Puts what was decided into one of the tables of ranges; returns what was not there before.
    static func put(
        _ parking: Parking, in table: Table<[UInt8]>, _ transaction: borrowing WriteTransaction
    ) throws -> [RangeFrame] {
        for frame in parking.leaving { _ = try transaction.remove(frame.key, in: table) }
        for frame in parking.coming { try transaction.put(frame.bytes.span.bytes, for: frame.key, in: table) }
        return parking.coming
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
        for table in [tables.waiting, tables.forked] {
            var rows: [(key: [UInt8], frame: RangeFrame)] = []
            try transaction.withCursor(table) { cursor in
                try cursor.forEach(from: nil) { key, value in
                    rows.append((key.toArray(), try Self.frame(value)))
                    return true
                }
            }
            for (key, frame) in rows {
                try transaction.put(frame.withholding(events).bytes.span.bytes, for: key, in: table)
            }
        }
    }
}

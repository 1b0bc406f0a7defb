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
            let streams = try Self.streams(in: transaction, tables)
            return try waitingFrames().map { frame in
                let range = frame.range
                let ends = try streams.histories(from: range.replica).map { path in
                    try path.reduce(0) { $0 + (try Self.lastNumber(of: $1, in: transaction, tables)) }
                }
                // Of several histories of a replica it is not known which one this goes on from.
                let last = ends.filter { $0 < range.first }.max() ?? 0
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

    /// Those of them whose events are not in the log.
    public func waitingFrames() throws -> [RangeFrame] { try keptFrames().filter { try !holdsEvents(of: $0) } }

    /// The ranges of one replica that are kept, or of all.
    static func frames(
        of replica: ReplicaID? = nil, in table: CheckedTable<[UInt8]>, _ transaction: borrowing some Reading & ~Copyable
    ) throws -> [RangeFrame] {
        var frames: [RangeFrame] = []
        try transaction.forEach(in: table, from: replica?.bytes) { _, value in
            let frame = try Self.frame(value)
            if let replica, frame.range.replica != replica { return false }
            frames.append(frame)
            return true
        }
        return frames
    }

    private static func lastNumber(
        of stream: ReplicaID, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> SequenceNumber {
        (try transaction.withValue(ReplicaKey(stream), in: tables.heads) { HeadRow($0) } ?? nil)?.sequence ?? 0
    }

    private static func frame(_ row: RawSpan) throws -> RangeFrame {
        do throws(RangeError) { return try RangeFrame(checkedBefore: row.toArray()) } catch {
            throw EventLogError.damaged("a pending range")
        }
    }

    /// Puts what was decided into one of the tables of ranges; returns what was not there before.
    static func put(
        _ parking: Parking, in table: CheckedTable<[UInt8]>, _ transaction: borrowing WriteTransaction
    ) throws -> [RangeFrame] {
        for frame in parking.leaving { _ = try transaction.remove(frame.key, in: table) }
        for frame in parking.coming { try transaction.put(frame.bytes.span.bytes, for: frame.key, in: table) }
        return parking.coming
    }

    /// Whether a range that waits has values of `events`.
    func rangesHold(
        _ events: EventSet, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> Bool {
        var isFound = false
        let streams = try Self.streams(in: transaction, tables)
        func look(_ row: RawSpan) throws -> Bool {
            let frame = try Self.frame(row)
            isFound = try isFound || frame.withholding(events, streams, leaf: leaf) != frame
            return !isFound
        }
        try transaction.forEach(in: tables.waiting) { try look($1) }
        return isFound
    }

    /// Takes the values of `events` out of the ranges that wait.
    func withholdFromRanges(_ events: EventSet, in transaction: borrowing WriteTransaction) throws {
        let (table, streams) = (try LogTables(in: transaction).waiting, try streams())
        var rows: [(key: [UInt8], frame: RangeFrame)] = []
        try transaction.forEach(in: table) { key, value in
            rows.append((key.toArray(), try Self.frame(value)))
            return true
        }
        for (key, frame) in rows {
            let frame = try frame.withholding(events, streams, leaf: leaf)
            try transaction.put(frame.bytes.span.bytes, for: key, in: table)
        }
    }
}

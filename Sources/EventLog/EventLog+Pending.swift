import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// A received range that cannot enter the log yet.
public struct PendingRange: Hashable, Sendable {
    /// The events of the range.
    public let range: EventRange
    /// The number of the event that has to arrive first: the predecessor, or the rest of the batch.
    public let expected: SequenceNumber
    /// The size of the stored range in bytes.
    public let byteCount: Int
}

extension EventLog {
    /// Returns the ranges that are pending, for their predecessors or for the end of a batch, in order of replica and
    /// number.
    ///
    /// Cost: a few look-ups for each range.
    public func pendingRanges() throws -> [PendingRange] {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let streams = try Self.streams(in: transaction, tables)
            return try pendingFrames().map { frame in
                let range = frame.range
                let ends = try streams.histories(from: range.replica).map { path in
                    try path.reduce(0) { $0 + (try Self.lastNumber(of: $1, in: transaction, tables)) }
                }
                // If the replica has several histories, it is unknown which one this range continues.
                let last = ends.filter { $0 < range.first }.max() ?? 0
                let expected = range.first > last + 1 ? last + 1 : range.last + 1
                return PendingRange(range: range, expected: expected, byteCount: frame.bytes.count)
            }
        }
    }

    /// Returns the retained ranges, to be sent to peers: the pending ones, and those needed to prove events that no
    /// stored head proves yet. Cost: O(bytes).
    public func retainedFrames() throws -> [RangeFrame] {
        try read { transaction in try Self.frames(in: LogTables(in: transaction).waiting, transaction) }
    }

    /// Returns the retained ranges whose events are not in the log.
    public func pendingFrames() throws -> [RangeFrame] { try retainedFrames().filter { try !holdsEvents(of: $0) } }

    /// Returns the retained ranges of one replica, or of all.
    static func frames(
        of replica: ReplicaID? = nil, in table: CheckedTable<[UInt8]>,
        _ transaction: borrowing some ReadableTransaction & ~Copyable
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
        of stream: ReplicaID, in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> SequenceNumber {
        (try transaction.withValue(ReplicaKey(stream), in: tables.heads) { HeadRow($0) } ?? nil)?.sequence ?? 0
    }

    private static func frame(_ row: RawSpan) throws -> RangeFrame {
        do throws(RangeError) { return try RangeFrame(checkedBefore: row.toArray()) } catch {
            throw EventLogError.damaged("a pending range")
        }
    }

    /// Stores the result of a ``RetentionChange`` in a table of ranges; returns the ranges that were added.
    static func put(
        _ change: RetentionChange, in table: CheckedTable<[UInt8]>, _ transaction: borrowing WriteTransaction
    ) throws -> [RangeFrame] {
        for frame in change.released { _ = try transaction.remove(frame.key, in: table) }
        for frame in change.retained { try transaction.put(frame.bytes.span.bytes, for: frame.key, in: table) }
        return change.retained
    }

    /// Whether a retained range has values of `events`.
    func rangesHold(
        _ events: EventSet, in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> Bool {
        var isFound = false
        let streams = try Self.streams(in: transaction, tables)
        func visit(_ row: RawSpan) throws -> Bool {
            let frame = try Self.frame(row)
            isFound = try isFound || frame.withholding(events, streams, leaf: leaf) != frame
            return !isFound
        }
        try transaction.forEach(in: tables.waiting) { try visit($1) }
        return isFound
    }

    /// Removes the values of `events` from the retained ranges.
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

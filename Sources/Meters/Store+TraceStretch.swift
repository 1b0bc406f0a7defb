import GroundwaveEvents
import GroundwaveMetering
import GroundwaveStore

/// The summary of the rows of a trace from one moment up to another.
public struct StretchSummary: Hashable, Sendable {
    /// The summary of the rows in it that are known. Charge and energy are counted from the first of these rows on.
    public var rows = JoinedSummary()
    /// The number of rows in blocks that lie across an edge and whose samples are withheld: which of them are in the
    /// stretch is unknown here, so none of them counts in ``rows``.
    public var withheldCount: UInt64 = 0
    /// The number of rows that cannot be read: damaged, lost, or of a later version of this program. If not even their
    /// times can be read, they may be outside.
    public var unreadableCount: UInt64 = 0
    /// What ``rows`` are corrected by; empty if nothing is, or if they are shown as measured.
    public var calibration = Calibration.none

    /// The number of rows that are hidden or erased, or lie across an edge of such a stretch and of this one.
    public var hiddenCount: UInt64 = 0

    /// The channels of all layouts: see ``TraceSummary/channels``.
    public var channels: [(channel: Channel, cell: Cell)] { rows.channels }
}

extension Reading {
    /// Returns the summary of the rows of `trace` from `start` up to but not including `end`, in milliseconds since 1970.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(blocks at the edges + cells): the rows of two blocks are decoded, however long the stretch.
    public func summary(
        of trace: RecordID, showing values: TraceValues = .calibrated, from start: Int64, to end: Int64
    ) throws -> StretchSummary {
        var summary = try measuredSummary(of: trace, from: start, to: end)
        let calibration = try calibration(of: trace, showing: values)
        summary.calibration = calibration.limited(to: summary.channels.map(\.channel))
        summary.rows = summary.rows.calibrated(by: calibration)
        return summary
    }

    /// As ``summary(of:showing:from:to:)``, as measured: sums are corrected as a whole.
    private func measuredSummary(of trace: RecordID, from start: Int64, to end: Int64) throws -> StretchSummary {
        let stretches = try stretchesWithEdges(of: trace, start, end)
        var summary = StretchSummary()
        var isFirst = true
        for (index, stretch) in stretches.enumerated() where stretch.mayHaveRows(from: start, to: end) {
            // What a summary has counted from the row before its first one would be from outside, if there is an outside.
            let isWhole = stretch.isInside(start, end) && (!isFirst || start == .min)
            let before = isFirst ? nil : stretches[..<index].last?.lastRow
            switch stretch {
            case .cell(let cell): summary.rows.append(cell)
            case .block(let block, _) where isWhole: summary.rows.append(JoinedSummary(block))
            case .block(let block, let source):
                switch try rows(of: source) {
                case .here(let rows): summary.append(rows.rows(from: start, to: end), after: before)
                case .withheld where stretch.isInside(start, end): summary.rows.append(JoinedSummary(block))
                case .withheld: summary.withheldCount += block.count
                default: summary.unreadableCount += block.count
                }
            case .unread(let block): summary.unreadableCount += block.count
            case .rest(let block, _) where isWhole, .tail(let block, _) where isWhole:
                summary.rows.append(JoinedSummary(block))
            case .tail(_, let rows), .rest(_, let rows):
                summary.append(rows.rows(from: start, to: end), after: before)
            case .hidden(let count, _, _): summary.hiddenCount += count
            }
            isFirst = false
        }
        return summary
    }

    /// Returns the stretches of `trace`: cells of rows that are all inside or all outside of the range, but blocks at its
    /// edges, and beside them.
    private func stretchesWithEdges(of trace: RecordID, _ start: Int64, _ end: Int64) throws -> [TraceStretch] {
        func isOutside(_ cell: JoinedSummary) -> Bool {
            cell.parts.allSatisfy { !$0.mayHaveRows(from: start, to: end) }
        }
        func stretches(takingCellsAfter least: Int64, before greatest: Int64) throws -> [TraceStretch] {
            try self.stretches(of: trace, showing: .measured) { cell in
                if isOutside(cell) { return true }
                guard let first = cell.leastTime, let last = cell.greatestTime else { return false }
                return first >= start && last < end && first > least && last < greatest
            }
        }
        let all = try stretches(takingCellsAfter: .min, before: .max)
        let inside = all.compactMap { stretch -> JoinedSummary? in
            guard case .cell(let cell) = stretch, !isOutside(cell) else { return nil }
            return cell
        }
        guard let first = inside.first?.leastTime, let last = inside.last?.greatestTime else { return all }
        return try stretches(takingCellsAfter: first, before: last)
    }
}

extension StretchSummary {
    fileprivate mutating func append(_ rows: TraceRows?, after before: (row: RowBefore, end: UInt64)?) {
        guard let rows else { return }
        // Rows that were cut off at the start are those before.
        let isNext = before?.end == rows.first
        self.rows.append(JoinedSummary(BlockSummary(of: rows, after: isNext ? before?.row : nil)))
    }
}

extension TraceStretch {
    /// The last row and the number of the one behind it, if a single block or the tail has them.
    fileprivate var lastRow: (row: RowBefore, end: UInt64)? {
        switch self {
        case .block(let block, _), .rest(let block, _), .tail(let block, _): (block.lastRow, block.end)
        case .cell, .unread, .hidden: nil
        }
    }

    /// Whether a row may have a time from `start` up to but not including `end`.
    fileprivate func mayHaveRows(from start: Int64, to end: Int64) -> Bool {
        switch self {
        case .cell(let cell): cell.parts.contains { $0.mayHaveRows(from: start, to: end) }
        case .block(let block, _), .rest(let block, _), .tail(let block, _):
            block.mayHaveRows(from: start, to: end)
        case .unread: true
        case .hidden(_, let first, let last): last >= start && first < end
        }
    }

    /// Whether all of its rows have times from `start` up to but not including `end`.
    fileprivate func isInside(_ start: Int64, _ end: Int64) -> Bool {
        switch self {
        case .cell, .unread, .hidden: true
        case .block(let block, _), .rest(let block, _), .tail(let block, _):
            block.leastTime >= start && block.greatestTime < end
        }
    }
}

/// A part of the summary of a block.
public enum SummaryPart: Hashable, Sendable, CustomStringConvertible {
    /// The times of the rows.
    case times
    /// Which values the rows have.
    case patterns
    /// The meter's counter.
    case ticks
    /// The values of the channel with this name.
    case channel(String)
    /// Charge and energy.
    case totals
    /// The number of missing rows, and the number of gaps.
    case missing
    /// The number of repeated rows.
    case repeats

    /// A short name of the part.
    public var description: String {
        switch self {
        case .times: "the times"
        case .patterns: "the patterns"
        case .ticks: "the counter"
        case .channel(let name): name
        case .totals: "charge and energy"
        case .missing: "the missing rows"
        case .repeats: "the repeated rows"
        }
    }
}

extension BlockSummary {
    /// Returns the parts of this summary that disagree with `rows`, the rows of its block; empty if all agree.
    ///
    /// Charge and energy may or may not include the interval from the row before the first one: an interrupted
    /// recording does not know that row. Missing and repeated rows are recorded only in the marks, so their counts
    /// are compared with these.
    ///
    /// - Parameter before: The summary of the previous block. It holds the values of that block's last row even if
    ///   its rows are not on this device.
    /// - Complexity: O(values).
    public func parts(unlike rows: TraceRows, after before: BlockSummary?) -> [SummaryPart] {
        let rows = rows.compacted()
        let right = BlockSummary(compacted: rows, after: nil)
        guard right.layout == layout else { return [.patterns] }
        var parts: [SummaryPart] = []
        let times = [firstTime, lastTime, leastTime, greatestTime]
        if times != [right.firstTime, right.lastTime, right.leastTime, right.greatestTime] { parts.append(.times) }
        if patterns != right.patterns { parts.append(.patterns) }
        if (firstTick, lastTick) != (right.firstTick, right.lastTick) { parts.append(.ticks) }
        for (channel, (cell, rightCell)) in zip(layout.channels, zip(cells, right.cells)) where cell != rightCell {
            parts.append(.channel(channel.name))
        }
        let isBehind = before.map { $0.first &+ $0.count == rows.first } ?? false
        if totals != right.totals, !isBehind || totals != rows.totals(after: before?.lastRow) {
            parts.append(.totals)
        }
        if (missing, gapCount) != (right.missing, right.gapCount) { parts.append(.missing) }
        if repeatCount != right.repeatCount { parts.append(.repeats) }
        return parts
    }
}

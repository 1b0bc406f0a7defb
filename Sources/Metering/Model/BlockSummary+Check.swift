/// A part of what is said of a block.
public enum SummaryPart: Hashable, Sendable, CustomStringConvertible {
    /// When the rows came.
    case times
    /// The meter's counter.
    case ticks
    /// The values of the channel with this name.
    case channel(String)
    /// What flowed.
    case totals
    /// How many rows are missing, and in how many places.
    case missing
    /// How many rows came again.
    case repeats

    /// The part in a word or two.
    public var description: String {
        switch self {
        case .times: "the times"
        case .ticks: "the counter"
        case .channel(let name): name
        case .totals: "charge and energy"
        case .missing: "the missing rows"
        case .repeats: "the repeated rows"
        }
    }
}

extension BlockSummary {
    /// In which parts this says something else than `rows`, which are those of its block; none where all is right.
    ///
    /// Charge and energy may count from the row before the first one on, or not: a recording that was interrupted does not
    /// know that row. What is missing and what came again stands in the marks alone, so it is compared with these.
    ///
    /// - Parameter before: What is said of the block before, which has that row's values whether its rows are here or not.
    /// - Complexity: O(values).
    public func parts(unlike rows: TraceRows, after before: BlockSummary?) -> [SummaryPart] {
        let right = BlockSummary(of: rows, after: nil)
        var parts: [SummaryPart] = []
        let times = [firstTime, lastTime, leastTime, greatestTime]
        if times != [right.firstTime, right.lastTime, right.leastTime, right.greatestTime] { parts.append(.times) }
        if (firstTick, lastTick) != (right.firstTick, right.lastTick) { parts.append(.ticks) }
        for (channel, (cell, rightCell)) in zip(layout.channels, zip(cells, right.cells)) where cell != rightCell {
            parts.append(.channel(channel.name))
        }
        if totals != right.totals, totals != rows.totals(after: before?.lastReading(before: rows)) {
            parts.append(.totals)
        }
        if (missingCount, gapCount) != (right.missingCount, right.gapCount) { parts.append(.missing) }
        if repeatCount != right.repeatCount { parts.append(.repeats) }
        return parts
    }

    /// The last row, for the totals of `rows`; `nil` where it is not the one before them, or has another layout.
    private func lastReading(before rows: TraceRows) -> TraceRows.Reading? {
        guard layout == rows.layout, first &+ count == rows.first, let current = layout.currentChannel else {
            return nil
        }
        return (
            clock: layout.tick == nil ? lastTime : lastTick, current: cells[current].last,
            voltage: layout.voltageChannel.map { cells[$0].last } ?? 0
        )
    }
}

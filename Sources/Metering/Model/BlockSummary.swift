/// The summary of the rows of a block, or of several joined blocks: all that a listing, the totals and the plot of a
/// long trace need, without the rows.
public struct BlockSummary: Hashable, Sendable {
    /// The channels of all rows, and the counter if any row has it.
    public let layout: Layout
    /// The patterns of the rows of a block, each once, that of the last row last; empty if every row has all, and for
    /// joined blocks.
    public var patterns: [RowPattern]
    /// The number of the first row within the trace.
    public var first: UInt64
    /// The number of rows, at least 1.
    public var count: UInt64
    /// The number of the last row plus 1. For joined blocks it exceeds `first + count` if there are rows between them
    /// that are not joined.
    public var end: UInt64
    /// The times of the first and the last row, in milliseconds since 1970.
    public var firstTime, lastTime: Int64
    /// The earliest and the latest time of any row. They differ from the first and last only in rows that were
    /// recorded elsewhere.
    public var leastTime, greatestTime: Int64
    /// The meter's counter at the first and the last row that has it, without overflows; 0 if there is no counter.
    public var firstTick, lastTick: Int64
    /// The summary of each channel's values. If a row lacks the channel, it has fewer values than there are rows.
    public var cells: [Cell]
    /// Charge and energy, counted from the row before the first one if it is known.
    public var totals: Totals
    /// The number of missing rows in all gaps, by how they were told.
    public var missing: MissingRows
    /// The number of missing rows in all gaps.
    public var missingCount: UInt64 { missing.total }
    /// The number of gaps: places where rows are missing.
    public var gapCount: UInt64
    /// The number of repeated rows.
    public var repeatCount: UInt64
    /// The marks between the rows of a block; empty for joined blocks.
    public var marks: [Mark]

    /// Creates the summary of `rows`, which are not empty. Its layout lacks what no row has.
    ///
    /// - Parameter before: The row before these, if known, of whatever layout; it counts if it has a current.
    /// - Complexity: O(values).
    public init(of rows: TraceRows, after before: RowBefore?) {
        self.init(compacted: rows.compacted(), after: before)
    }

    /// Creates the summary of `rows`, which are as ``TraceRows/compacted()`` returns them.
    init(compacted rows: TraceRows, after before: RowBefore?) {
        precondition(rows.count > 0, "A block has rows.")
        layout = rows.layout
        patterns = rows.patternsByLastRow
        first = rows.first
        count = UInt64(rows.count)
        end = first &+ count
        (firstTime, lastTime) = (rows.times[0], rows.times[rows.count - 1])
        (leastTime, greatestTime) = (rows.times.min() ?? firstTime, rows.times.max() ?? lastTime)
        let all = 0..<rows.count
        firstTick = all.lazy.compactMap { rows.tick(at: $0) }.first ?? 0
        lastTick = all.reversed().lazy.compactMap { rows.tick(at: $0) }.first ?? 0
        cells = rows.columns.indices.map { rows.cell($0, in: all) ?? Cell(0) }
        totals = rows.totals(after: before)
        missing = rows.marks.reduce(into: MissingRows()) { $0.add($1) }
        gapCount = UInt64(rows.marks.reduce(0) { $1.kind.isGap ? $0 + 1 : $0 })
        repeatCount = rows.marks.reduce(0) { $1.kind == .repeats ? $0 &+ $1.count : $0 }
        marks = rows.marks
    }

    init(
        layout: Layout, patterns: [RowPattern], first: UInt64, count: UInt64, end: UInt64, firstTime: Int64,
        lastTime: Int64, leastTime: Int64,
        greatestTime: Int64, firstTick: Int64, lastTick: Int64, cells: [Cell], totals: Totals, missing: MissingRows,
        gapCount: UInt64, repeatCount: UInt64, marks: [Mark]
    ) {
        (self.layout, self.patterns) = (layout, patterns)
        (self.first, self.count, self.end) = (first, count, end)
        (self.firstTime, self.lastTime) = (firstTime, lastTime)
        (self.leastTime, self.greatestTime) = (leastTime, greatestTime)
        (self.firstTick, self.lastTick) = (firstTick, lastTick)
        (self.cells, self.totals, self.marks) = (cells, totals, marks)
        (self.missing, self.gapCount, self.repeatCount) = (missing, gapCount, repeatCount)
    }

    /// Returns the summary of these rows and those of `other`, which has the same layout and no row in common.
    ///
    /// The result does not depend on the order in which blocks are joined.
    public func joined(with other: BlockSummary) -> BlockSummary {
        let (one, next) = (first, count) <= (other.first, other.count) ? (self, other) : (other, self)
        let last = one.end > next.end ? one : next
        var joined = one
        joined.count = min(Self.countLimit, one.count &+ next.count)
        (joined.end, joined.lastTime, joined.lastTick) = (last.end, last.lastTime, last.lastTick)
        joined.leastTime = min(one.leastTime, next.leastTime)
        joined.greatestTime = max(one.greatestTime, next.greatestTime)
        for channel in joined.cells.indices {
            joined.cells[channel].append(next.cells[channel])
            joined.cells[channel].last = last.cells[channel].last
            joined.cells[channel].count = min(joined.cells[channel].count, Int(joined.count))
        }
        joined.totals.append(next.totals)
        joined.missing.add(next.missing)
        joined.gapCount &+= next.gapCount
        joined.repeatCount &+= next.repeatCount
        (joined.patterns, joined.marks) = ([], [])
        return joined
    }
}

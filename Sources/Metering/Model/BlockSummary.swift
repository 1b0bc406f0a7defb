/// What is said of the rows of a block, or of several blocks that were joined: all that a listing, a plot of a long trace
/// and the totals need, without the rows.
public struct BlockSummary: Hashable, Sendable {
    /// What each row has.
    public let layout: Layout
    /// The number of the first row within the trace.
    public var first: UInt64
    /// How many rows there are, at least 1.
    public var count: UInt64
    /// The number behind that of the last row: more than `count` behind the first where blocks in between are not joined.
    public var end: UInt64
    /// When the first and the last row reached the host: milliseconds since 1970.
    public var firstTime, lastTime: Int64
    /// The earliest and the latest time of any row: others than the above where the host's clock was set.
    public var leastTime, greatestTime: Int64
    /// The meter's counter of the first and the last row, without overflows; 0 where there is none.
    public var firstTick, lastTick: Int64
    /// Of each channel what is said of its values.
    public var cells: [Cell]
    /// What flowed, from the row before the first one on.
    public var totals: Totals
    /// How many rows are missing, in how many gaps.
    public var missingCount: UInt64
    /// In how many places rows are missing.
    public var gapCount: UInt64
    /// How many rows came again.
    public var repeatCount: UInt64
    /// What happened between the rows of a block; empty where several were joined.
    public var marks: [Mark]

    /// What is said of `rows`, which are not empty.
    ///
    /// - Parameter before: The row before the first, where it is known and of the same layout.
    /// - Complexity: O(values).
    public init(of rows: TraceRows, after before: TraceRows?) {
        precondition(rows.count > 0, "A block has rows.")
        layout = rows.layout
        first = rows.first
        count = UInt64(rows.count)
        end = first &+ count
        (firstTime, lastTime) = (rows.times[0], rows.times[rows.count - 1])
        (leastTime, greatestTime) = (rows.times.min() ?? firstTime, rows.times.max() ?? lastTime)
        (firstTick, lastTick) = (rows.ticks.first ?? 0, rows.ticks.last ?? 0)
        cells = rows.columns.map { Cell($0) ?? Cell(0) }
        totals = rows.totals(after: before?.lastReading(in: rows.layout))
        let gaps = rows.marks.filter { $0.kind == .gap }
        missingCount = gaps.reduce(0) { $0 &+ $1.count }
        gapCount = UInt64(gaps.count)
        repeatCount = rows.marks.reduce(0) { $1.kind == .repeats ? $0 &+ $1.count : $0 }
        marks = rows.marks
    }

    init(
        layout: Layout, first: UInt64, count: UInt64, end: UInt64, firstTime: Int64, lastTime: Int64, leastTime: Int64,
        greatestTime: Int64, firstTick: Int64, lastTick: Int64, cells: [Cell], totals: Totals, missingCount: UInt64,
        gapCount: UInt64, repeatCount: UInt64, marks: [Mark]
    ) {
        self.layout = layout
        (self.first, self.count, self.end) = (first, count, end)
        (self.firstTime, self.lastTime) = (firstTime, lastTime)
        (self.leastTime, self.greatestTime) = (leastTime, greatestTime)
        (self.firstTick, self.lastTick) = (firstTick, lastTick)
        (self.cells, self.totals, self.marks) = (cells, totals, marks)
        (self.missingCount, self.gapCount, self.repeatCount) = (missingCount, gapCount, repeatCount)
    }

    /// What is said of these rows and those of `other`, which has the same layout and no row in common.
    ///
    /// Blocks give the same whatever the order in which they are joined.
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
        }
        joined.totals.append(next.totals)
        joined.missingCount &+= next.missingCount
        joined.gapCount &+= next.gapCount
        joined.repeatCount &+= next.repeatCount
        joined.marks = []
        return joined
    }
}

extension TraceRows {
    /// The last row, for the totals of what follows; `nil` where its layout is another one.
    fileprivate func lastReading(in layout: Layout) -> Reading? {
        guard self.layout == layout, let current = layout.currentChannel, let row = times.indices.last else {
            return nil
        }
        return (
            clock: layout.tick == nil ? times[row] : ticks[row], current: columns[current][row],
            voltage: layout.voltageChannel.map { columns[$0][row] } ?? 0
        )
    }
}

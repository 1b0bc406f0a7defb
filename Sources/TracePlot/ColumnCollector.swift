import GroundwaveMetering

/// Reduces rows of a trace to the pixel columns of a plot: the first, last, least and greatest value of each channel
/// in each column. A line through these covers the same pixels as a line through all rows (M4: Jugel and others, "M4:
/// A Visualization-Oriented Time Series Data Aggregation", VLDB 2014).
///
/// Rows enter in the order of the trace. A row at `t` belongs to column floor((t - start) * columns / (end - start)).
/// Rows before `start` and from `end` on belong to no column; the rows next to the range may enter too, so that a gap
/// at its edge is visible. If the clock was set back, later rows join a column after the rows that it already has.
public struct ColumnCollector: Sendable {
    /// The channels that are collected.
    public let channels: [Channel]
    /// The number of columns.
    public let columnCount: Int
    /// The columns of each channel; `nil` if no row has a value there.
    public private(set) var columns: [[Cell?]]
    /// The columns after which rows are missing; -1 stands for the time before the first column.
    public private(set) var gapAfter: Set<Int> = []
    /// The ranges of rows whose samples are not here, for each channel: see ``add(absent:)``.
    public private(set) var bands: [[PlotSeries.Band]]

    private let start: Int64
    private let span: UInt64
    /// The column of the last row that entered: -1 before the range, `columnCount` after it.
    private var newest: Int?
    private var isGapPending = false

    /// Creates an empty collector of `channels` in `columnCount` columns, from `startMilliseconds` up to but not
    /// including `endMilliseconds`, both since 1970 in UTC.
    ///
    /// - Throws: ``PlotError/noTime`` if the end is not after the start; ``PlotError/columns(_:)`` if `columnCount`
    ///   is less than 1 or exceeds the upper bound of ``Plot/widths``.
    public init(
        _ channels: [Channel], startMilliseconds: Int64, endMilliseconds: Int64, columnCount: Int
    ) throws(PlotError) {
        guard endMilliseconds > startMilliseconds else { throw .noTime }
        guard columnCount >= 1, columnCount <= Plot.widths.upperBound else { throw .columns(columnCount) }
        self.channels = channels
        self.columnCount = columnCount
        start = startMilliseconds
        span = UInt64(bitPattern: endMilliseconds &- startMilliseconds)
        columns = Array(repeating: Array(repeating: nil, count: columnCount), count: channels.count)
        bands = Array(repeating: [], count: channels.count)
    }

    /// The collected columns, one series for each channel.
    public var series: [PlotSeries] {
        channels.indices.map {
            PlotSeries(channel: channels[$0], columns: columns[$0], gapAfter: gapAfter, bands: bands[$0])
        }
    }

    /// Returns whether values of `channel` are collected: as they are, or scaled to more decimals.
    public func takes(_ channel: Channel) -> Bool { channels.contains { $0.takes(channel) } }

    /// Adds `rows`. A channel that they lack, or have with more decimals, gets no values from them.
    ///
    /// - Complexity: O(rows times channels), about 2 ns each.
    public mutating func add(_ rows: TraceRows) {
        let sources = Layout(channels).sources(in: rows.layout)
        var gaps = rows.marks.lazy.filter { $0.kind.isGap }.map(\.row).makeIterator()
        var nextGap = gaps.next()
        var row = 0
        while row < rows.count {
            while let gap = nextGap, gap <= row {
                isGapPending = true
                nextGap = gaps.next()
            }
            // A run: rows of one column without a gap between them.
            let column = column(of: rows.times[row])
            let limits = limits(of: column)
            var end = row + 1
            while end < rows.count, end < nextGap ?? .max, limits.contains(rows.times[end]) { end += 1 }
            reach(column)
            if column >= 0, column < columnCount {
                for (channel, source) in sources.enumerated() {
                    if let source, let cell = rows.cell(source.column, in: row..<end) {
                        append(cell.scaled(by: source.factor), to: channel, column)
                    }
                }
            }
            row = end
        }
        // A gap after the last row precedes the next row that enters.
        if nextGap != nil { isGapPending = true }
    }

    /// Whether all rows with times from `least` through `greatest` lie in one column, or on one side outside the
    /// range.
    public func holdsInOneColumn(_ least: Int64, _ greatest: Int64) -> Bool {
        column(of: least) == column(of: greatest)
    }

    /// Adds rows by their summary.
    ///
    /// If they lie in one column, the result is the same as for the rows themselves: see ``holdsInOneColumn(_:_:)``.
    /// Otherwise their range of values is added to the first and the last of their columns.
    public mutating func add(_ block: BlockSummary) {
        add(block, isAfterGap: block.isAfterGap, isBeforeGap: block.isBeforeGap)
    }

    /// Adds the joined summary of blocks of one layout that are in order, like that of one block.
    public mutating func add(_ blocks: JoinedSummary) {
        precondition(
            blocks.isInOrder && blocks.parts.count <= 1, "The blocks are in order, so their last value is known.")
        // A gap between these blocks lies within a column.
        for part in blocks.parts { add(part, isAfterGap: blocks.isAfterGap, isBeforeGap: blocks.isBeforeGap) }
    }

    /// Adds rows whose samples are not here, by their summary, and returns whether they became ``bands``.
    ///
    /// They do if they lie in more than two columns, or only in part within the time of the plot. In one column, or in
    /// two adjacent ones, their range of values is drawn as that of other rows, since it is at most a column from where
    /// they were.
    public mutating func add(absent block: BlockSummary) -> Bool {
        let (first, last) = (column(of: block.leastTime), column(of: block.greatestTime))
        let isInPart = first != last && (first < 0 || last == columnCount)
        guard last - first > 1 || isInPart else {
            add(block)
            return false
        }
        if block.isAfterGap { isGapPending = true }
        reach(first)
        newest = last
        let drawn = max(first, 0)...min(last, columnCount - 1)
        for (index, source) in Layout(channels).sources(in: block.layout).enumerated() {
            guard let source else { continue }
            let cell = block.cells[source.column].scaled(by: source.factor)
            bands[index].append(.init(columns: drawn, least: cell.least, greatest: cell.greatest))
        }
        if block.isBeforeGap { isGapPending = true }
        return true
    }

    /// Adds rows of which nothing is known, not even their times: the line is broken there.
    public mutating func addUnknown() { isGapPending = true }

    private mutating func add(_ summary: BlockSummary, isAfterGap: Bool, isBeforeGap: Bool) {
        let (first, last) = (column(of: summary.leastTime), column(of: summary.greatestTime))
        let sources = Layout(channels).sources(in: summary.layout)
        if isAfterGap { isGapPending = true }
        for column in first == last ? [first] : [first, last] {
            reach(column)
            guard column >= 0, column < columnCount else { continue }
            for (index, source) in sources.enumerated() {
                guard let source else { continue }
                append(summary.cells[source.column].scaled(by: source.factor), to: index, column)
            }
        }
        if isBeforeGap { isGapPending = true }
    }

    private mutating func append(_ cell: Cell, to channel: Int, _ column: Int) {
        if columns[channel][column] == nil {
            columns[channel][column] = cell
        } else {
            columns[channel][column]?.append(cell)
        }
    }

    /// Records that the next row is in `column`, and the gap before it if there is one.
    private mutating func reach(_ column: Int) {
        // A gap within one column is too small to see. If time goes back, the columns in between are already drawn.
        if isGapPending, let newest, newest < column { gapAfter.insert(newest) }
        isGapPending = false
        newest = column
    }

    /// Returns the column of `time`: -1 before the range, `columnCount` after it.
    private func column(of time: Int64) -> Int {
        guard time >= start else { return -1 }
        let offset = UInt64(bitPattern: time &- start)
        guard offset < span else { return columnCount }
        return Int(span.dividingFullWidth(offset.multipliedFullWidth(by: UInt64(columnCount))).quotient)
    }

    /// Returns the times of `column`: those for which ``column(of:)`` returns it.
    private func limits(of column: Int) -> ClosedRange<Int64> {
        if column < 0 { return .min...(start - 1) }
        let end = start &+ Int64(bitPattern: span)
        if column >= columnCount { return end...(.max) }
        return time(ofEdge: column)...(time(ofEdge: column + 1) - 1)
    }

    /// Returns the first time that is in `column` or after it.
    private func time(ofEdge column: Int) -> Int64 {
        let product = span.multipliedFullWidth(by: UInt64(column))
        let (quotient, remainder) = UInt64(columnCount).dividingFullWidth(product)
        return start &+ Int64(bitPattern: quotient + (remainder == 0 ? 0 : 1))
    }
}

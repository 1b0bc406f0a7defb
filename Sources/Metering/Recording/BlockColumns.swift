// The columns of a block, as they are in ``SampleBlock``:
//
// | column | what |
// |---|---|
// | times | the time of each row |
// | patterns | the place of the row's pattern in the summary, from 0 on; only if there are two patterns or more |
// | ticks | the counter; only if the layout has one |
// | channels | one each |
//
// A value that a row lacks is written as the one before it, or as the first one that comes: that takes the fewest bytes.

/// Where the columns of a block are.
struct BlockColumns {
    private let layout: Layout
    private let patterns: [RowPattern]

    /// Creates the places of the columns of the block with this summary.
    init(of summary: BlockSummary) { (layout, patterns) = (summary.layout, summary.patterns) }

    private var hasPatterns: Bool { !patterns.isEmpty }
    private var tickColumn: Int { hasPatterns ? 2 : 1 }
    private var firstChannel: Int { tickColumn + (layout.tick == nil ? 0 : 1) }

    /// Returns the columns of `rows`.
    func encoded(_ rows: TraceRows) -> [[Int64]] {
        var columns = [rows.times]
        if hasPatterns {
            let numbers = Dictionary(uniqueKeysWithValues: zip(patterns, Int64(0)...))
            columns.append(rows.patterns.map { numbers[$0] ?? 0 })
        }
        if layout.tick != nil { columns.append(Self.held(rows.ticks) { rows.tick(at: $0) != nil }) }
        for channel in rows.columns.indices {
            columns.append(Self.held(rows.columns[channel]) { rows.has(channel, at: $0) })
        }
        return columns
    }

    /// Returns `values` with each value that a row lacks as the one before it, or the first one that comes.
    private static func held(_ values: [Int64], where isPresent: (Int) -> Bool) -> [Int64] {
        guard let first = values.indices.first(where: isPresent) else { return values }
        var (held, last) = (values, values[first])
        for row in values.indices { if isPresent(row) { last = values[row] } else { held[row] = last } }
        return held
    }

    /// The predictions of charge and energy: for each such column, the columns that it is a sum of.
    var sums: [Int: SampleBlock.Sum] {
        guard let current = layout.currentChannel else { return [:] }
        var sums: [Int: SampleBlock.Sum] = [:]
        for (index, channel) in layout.channels.enumerated() {
            switch channel.unit {
            case .ampereHour: sums[index + firstChannel] = SampleBlock.Sum(of: current + firstChannel)
            case .wattHour:
                if let voltage = layout.voltageChannel {
                    sums[index + firstChannel] = SampleBlock.Sum(
                        of: voltage + firstChannel, times: current + firstChannel)
                }
            default: break
            }
        }
        return sums
    }

    /// Returns the rows in `content`, with `channels` of the layout alone, and the counter if `hasTicks` is true.
    func rows(_ content: RawSpan, _ summary: BlockSummary, _ channels: [Int], hasTicks: Bool) throws -> TraceRows {
        let columns = try SampleBlock.decoded(content) { column in
            column < firstChannel ? column < tickColumn || hasTicks : channels.contains(column - firstChannel)
        }
        guard columns.count == firstChannel + layout.channels.count, UInt64(columns[0].count) == summary.count else {
            throw SummaryError.malformed
        }
        let tick = hasTicks ? layout.tick : nil
        var rows = TraceRows(Layout(channels.map { layout.channels[$0] }, tick: tick), first: summary.first)
        rows.times = columns[0]
        if tick != nil { rows.ticks = columns[tickColumn] }
        rows.columns = channels.map { columns[firstChannel + $0] }
        rows.marks = summary.marks
        if hasPatterns { try rows.take(patterns, columns[1], of: channels) }
        return rows
    }
}

extension TraceRows {
    /// Takes the pattern of each row, by its place in `all`, and makes what a row lacks 0.
    fileprivate mutating func take(_ all: [RowPattern], _ places: [Int64], of channels: [Int]) throws {
        let hasTicks = layout.tick != nil
        let own = all.map { pattern in
            RowPattern(
                channels: channels.indices.filter { pattern.has(channels[$0]) }, tick: hasTicks && pattern.hasTick)
        }
        patterns = try places.map { place in
            guard let index = Int(exactly: place), own.indices.contains(index) else { throw SummaryError.malformed }
            return own[index]
        }
        let common = RowPattern(all: layout)
        if own.allSatisfy({ $0 == common }) { return patterns = [] }
        for row in patterns.indices where patterns[row] != common {
            for channel in columns.indices where !patterns[row].has(channel) { columns[channel][row] = 0 }
            if !ticks.isEmpty, !patterns[row].hasTick { ticks[row] = 0 }
        }
    }

    /// Decodes the rows of a block.
    ///
    /// - Parameter summary: The summary of the block.
    /// - Throws: `SummaryError` if the content does not match it, `BlockError` or `ByteCodingError` if the
    ///   content is malformed.
    /// - Complexity: O(values), about 3 ns each.
    public init(_ content: RawSpan, of summary: BlockSummary) throws {
        self = try BlockColumns(of: summary).rows(
            content, summary, Array(summary.layout.channels.indices), hasTicks: true)
    }

    /// Decodes only those `channels` of a block that it has, without the meter's counter.
    ///
    /// - Throws: As ``init(_:of:)``.
    /// - Complexity: As ``init(_:of:)``, for these values and the times alone.
    public init(_ content: RawSpan, of summary: BlockSummary, only channels: [Channel]) throws {
        let all = summary.layout.channels
        self = try BlockColumns(of: summary).rows(
            content, summary, all.indices.filter { channels.contains(all[$0]) }, hasTicks: false)
    }
}

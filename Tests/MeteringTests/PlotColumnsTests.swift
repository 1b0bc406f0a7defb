import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTracePlot

private let voltage = Channel("voltage", .volt, decimals: 3)
private let current = Channel("current", .ampere, decimals: 5)
private let power = Channel("power", .watt, decimals: 3)

/// Rows of `voltage` alone: their times, and a value for each.
private func rows(_ times: [Int64], _ values: [Int64], gapsBefore gaps: [Int] = []) -> TraceRows {
    var rows = TraceRows(Layout([voltage]), first: 0)
    rows.times = times
    rows.columns = [values]
    rows.marks = gaps.map { Mark(.gap, before: $0, count: 1) }
    return rows
}

@Suite struct `Columns of a plot` {
    @Test func `have the first, last, least and greatest value of the rows whose times they are`() throws {
        var collector = try ColumnCollector([voltage], startMilliseconds: 100, endMilliseconds: 110, columnCount: 4)
        // The columns begin at 100, 102.5, 105 and 107.5.
        collector.add(rows([99, 100, 101, 102, 103, 104, 108, 109, 110], [9, 3, 1, 2, 7, 8, 5, 5, 9]))
        #expect(collector.columns == [[Cell([3, 1, 2]), Cell([7, 8]), nil, Cell([5, 5])]])
        #expect(collector.gapAfter == [])
    }

    @Test func `are broken where rows are missing, also at the edges, and not within one column`() throws {
        var collector = try ColumnCollector([voltage], startMilliseconds: 0, endMilliseconds: 100, columnCount: 10)
        collector.add(rows([-20, 15, 17, 19, 45], [1, 2, 3, 4, 5], gapsBefore: [1, 3, 4]))
        collector.add(rows([52, 61], [6, 7], gapsBefore: [2]))
        collector.add(rows([120], [8]))
        #expect(collector.gapAfter == [-1, 1, 6])
    }

    @Test func `of a channel that a layout has not are empty`() throws {
        var collector = try ColumnCollector(
            [current, voltage], startMilliseconds: 0, endMilliseconds: 9, columnCount: 3)
        collector.add(rows([1, 4], [5, 6]))
        #expect(collector.series.map(\.columns) == [[nil, nil, nil], [Cell(5), Cell(6), nil]])
        #expect(collector.series.map(\.channel) == [current, voltage])
    }

    @Test func `scale a channel that some rows have with fewer decimals, from rows as from their summary`() throws {
        let fine = Channel("voltage", .volt, decimals: 5)
        var (fromRows, fromCells) = (
            try ColumnCollector([fine, current], startMilliseconds: 0, endMilliseconds: 9, columnCount: 3),
            try ColumnCollector([fine, current], startMilliseconds: 0, endMilliseconds: 9, columnCount: 3)
        )
        fromRows.add(rows([1, 2], [5, .max]))
        fromCells.add(BlockSummary(of: rows([1, 2], [5, .max]), after: nil))
        #expect(fromRows.columns == fromCells.columns)
        #expect(fromRows.columns[0][0]?.first == 500 && fromRows.columns[0][0]?.greatest == .max)
        #expect(fromRows.takes(voltage) && !fromRows.takes(Channel("voltage", .volt, decimals: 6)))
    }

    @Test func `have a band from the least to the greatest value of rows that are not here, and no line there`() throws
    {
        var collector = try ColumnCollector(
            [voltage, current], startMilliseconds: 0, endMilliseconds: 100, columnCount: 10)
        func add(absent times: [Int64], gapsBefore gaps: [Int] = []) -> Bool {
            collector.add(absent: BlockSummary(of: rows(times, times, gapsBefore: gaps), after: nil))
        }
        collector.add(rows([5, 12], [1, 2]))
        #expect(add(absent: [15, 45, 30]))
        // In one column and in two adjacent ones their range is drawn.
        #expect(!add(absent: [46, 48]) && !add(absent: [49, 52]))
        #expect(add(absent: [55, 77], gapsBefore: [2]))
        // At the edge of the plot, nobody knows which of the values are within.
        #expect(add(absent: [95, 105]))
        #expect(collector.bands[0].map(\.columns) == [1...4, 5...7, 9...9])
        #expect(
            collector.bands[0].map(\.least) == [15, 55, 95] && collector.bands[0].map(\.greatest) == [45, 77, 105])
        #expect(collector.bands[1] == [], "a channel that the rows do not have")
        let drawn = collector.columns[0].map { $0?.count }
        #expect(drawn == [1, 1, nil, nil, 4, 2, nil, nil, nil, nil])
        #expect(collector.gapAfter == [7])
        #expect(collector.series[0].brokenBehind == [1, 2, 3, 5, 6, 7])
    }

    @Test func `are broken at rows of which nothing is known`() throws {
        var collector = try ColumnCollector([voltage], startMilliseconds: 0, endMilliseconds: 100, columnCount: 10)
        collector.add(rows([5], [1]))
        collector.addUnknown()
        collector.add(rows([55], [1]))
        #expect(collector.gapAfter == [0])
    }

    @Test func `take rows of all times there are`() throws {
        var collector = try ColumnCollector([voltage], startMilliseconds: .min, endMilliseconds: .max, columnCount: 3)
        collector.add(rows([.min, -1, 0, .max - 1, .max], [.min, .max, 1, 2, 3], gapsBefore: [0, 1, 9]))
        #expect(collector.columns[0].map { $0?.count } == [1, 2, 1])
        #expect(collector.gapAfter == [0])
        var short = try ColumnCollector(
            [voltage], startMilliseconds: .max - 1, endMilliseconds: .max, columnCount: 8000)
        short.add(rows([.min, .max - 1, .max], [1, 2, 3]))
        #expect(short.columns[0][0] == Cell(2))
        #expect(short.columns[0].dropFirst().allSatisfy { $0 == nil })
    }

    @Test func `are refused where there is no time or none of them`() {
        #expect(throws: PlotError.noTime) {
            try ColumnCollector([voltage], startMilliseconds: 5, endMilliseconds: 5, columnCount: 3)
        }
        #expect(throws: PlotError.columns(0)) {
            try ColumnCollector([voltage], startMilliseconds: 5, endMilliseconds: 6, columnCount: 0)
        }
        #expect(throws: PlotError.columns(8001)) {
            try ColumnCollector([voltage], startMilliseconds: 5, endMilliseconds: 6, columnCount: 8001)
        }
    }

    @Test(arguments: UInt64(1)...300)
    func `are the same from cells of blocks as from their rows, and as said`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let channels = [voltage, current, power]
        let start = Int64.random(in: -1000...1_000_000, using: &numbers)
        let end = start + Int64.random(in: 1...5000, using: &numbers)
        let count = Int.random(in: 1...60, using: &numbers)
        func collector() throws -> ColumnCollector {
            try ColumnCollector(channels, startMilliseconds: start, endMilliseconds: end, columnCount: count)
        }
        var (fromRows, fromCells, fromTable) = (try collector(), try collector(), try collector())
        var (table, number) = (nil as TraceRows?, UInt64(0))
        var expected = Array(repeating: [Int: [Int64]](), count: channels.count)
        var time = start - Int64.random(in: 0...300, using: &numbers)
        for _ in 0..<Int.random(in: 1...60, using: &numbers) {
            // A layout may lack a channel.
            let has = channels.filter { _ in numbers.chance(0.8) }
            var block = TraceRows(Layout(has.isEmpty ? [power] : has), first: number)
            for row in 0..<Int.random(in: 1...12, using: &numbers) {
                if row == 0, numbers.chance(0.2) {
                    block.marks.append(Mark(.gap, before: row, count: 3))
                    time += Int64.random(in: 0...200, using: &numbers)
                }
                block.times.append(time)
                for column in block.columns.indices {
                    block.columns[column].append(Int64.random(in: -50...50, using: &numbers))
                }
                time += Int64.random(in: numbers.chance(0.02) ? -300...0 : 0...20, using: &numbers)
            }
            if numbers.chance(0.1) { block.marks.append(Mark(.gap, before: block.count, count: 1)) }
            for (index, channel) in channels.enumerated() {
                guard let source = block.layout.channels.firstIndex(of: channel) else { continue }
                for (time, value) in zip(block.times, block.columns[source]) where time >= start && time < end {
                    expected[index][Int((time - start) * Int64(count) / (end - start)), default: []].append(value)
                }
            }
            number += UInt64(block.count)
            fromRows.add(block)
            table = try table.map { try joined([$0, block]) } ?? block
            let summary = BlockSummary(of: block, after: nil)
            if fromCells.holdsInOneColumn(summary.leastTime, summary.greatestTime) {
                fromCells.add(summary)
            } else {
                fromCells.add(block)
            }
        }
        try fromTable.add(#require(table))
        #expect(fromTable.columns == fromRows.columns && fromTable.gapAfter == fromRows.gapAfter)
        #expect(fromCells.columns == fromRows.columns)
        #expect(fromCells.gapAfter == fromRows.gapAfter)
        #expect(fromRows.columns == expected.map { values in (0..<count).map { Cell(values[$0] ?? []) } })
    }
}

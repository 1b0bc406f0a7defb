import GroundwaveByteCoding
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering

private let tick = Layout.Tick(hertz: 1000, modulus: 65_536)
private let queue = Layout([Channel("current", .ampere, decimals: 3), Channel("cc1", .volt, decimals: 3)], tick: tick)
private let reading = Layout([Channel("cc1", .volt, decimals: 4), Channel("temperature", .celsius, decimals: 1)])

/// Samples of a queue with a reading between them: 2 A, but for what the reading does not measure.
private func mixedRows() throws -> TraceRows {
    var rows = TraceRows(queue, first: 5)
    (rows.times, rows.ticks) = ([1_000, 1_001], [70_000, 70_001])
    rows.columns = [[2_000, 2_000], [30, 31]]
    var other = TraceRows(reading, first: 7)
    (other.times, other.columns) = ([1_001], [[305], [215]])
    var last = TraceRows(queue, first: 8)
    (last.times, last.ticks, last.columns) = ([1_002], [70_002], [[2_000], [32]])
    return try joined([rows, other, last])
}

@Suite struct `Rows of different channels` {
    @Test func `have the channels of all, in the finer decimals, and say which each row has`() throws {
        let rows = try mixedRows()
        let channels = ["current", "cc1", "temperature"]
        #expect(rows.layout.channels.map(\.name) == channels && rows.layout.channels.map(\.decimals) == [3, 4, 1])
        #expect(rows.columns == [[2_000, 2_000, 0, 2_000], [300, 310, 305, 320], [0, 0, 215, 0]])
        let has = (0..<4).map { row in rows.columns.indices.filter { rows.has($0, at: row) } }
        #expect(has == [[0, 1], [0, 1], [1, 2], [0, 1]])
        #expect((0..<4).map { rows.tick(at: $0) } == [70_000, 70_001, nil, 70_002])
    }

    @Test func `are not joined where no layout has all, numbers do not follow, or a value exceeds 64 bits`() throws {
        let whole = try mixedRows()
        func refused(_ layout: Layout, first: UInt64 = 9, _ value: Int64 = 1) -> Bool {
            var (rows, next) = (whole, TraceRows(layout, first: first))
            next.times = [1_003]
            if layout.tick != nil { next.ticks = [70_003] }
            next.columns = layout.channels.map { _ in [value] }
            return !rows.append(next) && rows == whole
        }
        #expect(!refused(queue) && refused(queue, first: 10) && refused(queue, first: 8))
        #expect(refused(Layout([Channel("cc1", .none, decimals: 4)])))
        #expect(refused(Layout(queue.channels, tick: .init(hertz: 50, modulus: 65_536))))
        #expect(refused(Layout((0..<59).map { Channel("x\($0)", .none, decimals: 0) })))
        #expect(!refused(Layout((0..<58).map { Channel("x\($0)", .none, decimals: 0) })))
        // 305 in ten thousandths becomes 30,500,000 in billionths; a value of theirs may be too great for that.
        let fine = Layout([Channel("cc1", .volt, decimals: 9)])
        #expect(!refused(fine) && !refused(queue, .max / 10) && refused(queue, .max / 10 + 1))
        var great = whole
        great.columns[1][1] = .max / 100_000 + 1
        var next = TraceRows(fine, first: 9)
        (next.times, next.columns) = ([1_003], [[1]])
        let before = great
        let isJoined = great.append(next)
        #expect(!isJoined && great == before)
    }

    @Test func `have a summary of the values that there are, and the charge of those that have a current`() throws {
        let summary = BlockSummary(of: try mixedRows(), after: nil)
        #expect(summary.count == 4 && summary.cells.map(\.count) == [3, 4, 1])
        #expect(summary.cells.map(\.least) == [2_000, 300, 215] && summary.cells.map(\.last) == [2_000, 320, 215])
        #expect(summary.cells.map(\.sum) == [6_000, 1_235, 215])
        #expect((summary.firstTick, summary.lastTick) == (70_000, 70_002))
        #expect(summary.totals.covered == 2 && summary.totals.charge == 2 * 2_000 * 2)
        // The pattern of the last row is the last one.
        #expect(summary.patterns.map(\.hasTick) == [false, true])
    }

    @Test func `have bytes as Docs_FileFormat says, and one byte says that each row has all`() throws {
        let bytes = BlockSummary(of: try mixedRows(), after: nil).bytes
        // Form; three channels: current, cc1, temperature; 1,000 Hz and 65,536.
        let layout: [UInt8] = [2, 3, 2, 0x13, 10, 0x04, 5, 0x61, 0xE8, 7, 0x80, 0x80, 4]
        // Two patterns: cc1 and temperature; the counter, current and cc1.
        #expect(bytes.starts(with: layout + [2, 0b1100, 0b0111] + [5, 4, 4]))
        // Time 1,000, then 2, 0 and 2 as signed varints; ticks 70,000 and 2.
        let times: [UInt8] = [0xE8, 3, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0xE0, 0xC5, 8, 4]
        // Three values of 2,000; four from 300, the last 320, none less, at most 20 more, 35 more in all; one of 215.
        let cells: [UInt8] = [
            3, 0xA0, 0x1F, 0, 0, 0, 0, 4, 0xD8, 4, 40, 0, 20, 70, 1, 0xAE, 3, 0, 0, 0, 0,
        ]
        // 2 ms; charge 2 * (2,000 + 2,000); energy 2,000 * (300 + 310 + 310 + 320); and nothing missing or marked.
        let rest: [UInt8] = [2, 0x80, 0x7D, 0x80, 0xDE, 0xAE, 2, 0, 0, 0, 0, 0, 0]
        #expect(Array(bytes.dropFirst(layout.count + 6)) == times + cells + rest)
        // Where each row has all, a 1 stands for the patterns, and the numbers of values are left out.
        var plain = TraceRows(Layout(reading.channels), first: 0)
        (plain.times, plain.columns) = ([0, 1], [[1, 2], [3, 3]])
        #expect(BlockSummary(of: plain, after: nil).bytes.starts(with: [2, 2, 10, 0x04, 5, 0x61, 0, 1, 0, 2, 2]))
    }

    @Test func `have values held where a row lacks them, in one column more`() throws {
        let block = SealedBlock(try mixedRows(), after: nil)
        let columns = try block.content.withSpan { try SampleBlock.decoded($0) }
        #expect(
            columns == [
                [1_000, 1_001, 1_001, 1_002], [1, 1, 0, 1], [70_000, 70_001, 70_001, 70_002],
                [2_000, 2_000, 2_000, 2_000], [300, 310, 305, 320], [215, 215, 215, 215],
            ])
        var wrong = columns
        wrong[1][2] = 2
        let content = SampleBlock.encoded(wrong)
        #expect(throws: SummaryError.malformed) { try content.withSpan { try TraceRows($0, of: block.summary) } }
    }

    @Test func `of some channels alone come from a block with the rows that lack them`() throws {
        let block = SealedBlock(try mixedRows(), after: nil)
        let rows = try block.content.withSpan { try TraceRows($0, of: block.summary, only: [reading.channels[1]]) }
        #expect(rows.layout == Layout([reading.channels[1]]) && rows.count == 4)
        #expect(rows.cell(0, in: 0..<4) == Cell(215) && rows.cell(0, in: 0..<2) == nil)
    }

    @Test func `fill blocks of 256 patterns at most`() throws {
        let layout = Layout((0..<61).map { Channel("x\($0)", .none, decimals: 0) })
        var rows = TraceRows(layout, first: 0)
        rows.times = Array(0..<1_000)
        // Channel 0, and those whose bits the number of the row has.
        rows.patterns = (0..<1_000).map { row in
            RowPattern(channels: [0] + (1..<11).filter { row >> ($0 - 1) & 1 == 1 }, tick: false)
        }
        rows.columns = layout.channels.map { _ in Array(repeating: 0, count: 1_000) }
        var counts: [Int] = []
        while rows.count > 0 {
            let (block, count) = SealedBlock.filling(pagesWith: rows, after: nil)
            #expect(block.summary.patterns.count <= 256 && block.summary.count == UInt64(count))
            counts.append(count)
            rows = rows.split(at: count).1
        }
        #expect(counts.reduce(0, +) == 1_000 && counts.count >= 4)
    }

    @Test func `are refused in a summary whose patterns are no rows, or not all`() throws {
        let summary = BlockSummary(of: try mixedRows(), after: nil)
        let changes: [(inout BlockSummary) -> Void] = [
            { $0.patterns[0] = $0.patterns[1] }, { $0.patterns[0] = RowPattern(channels: [1], tick: false) },
            { $0.patterns.append(RowPattern(channels: [], tick: true)) },
            { $0.patterns.append(RowPattern(channels: [0, 3], tick: true)) }, { $0.cells[2].count = 0 },
            { $0.cells[2].count = 5 },
        ]
        for change in changes {
            var wrong = summary
            change(&wrong)
            #expect(throws: SummaryError.malformed) { try wrong.bytes.withSpan { try BlockSummary($0) } }
        }
    }

    @Test func `count on from the last row of a block only if it has a current`() throws {
        var rows = try mixedRows()
        let behind = TraceRows.amperes(from: 9, [2_000], at: 1_012)
        #expect(BlockSummary(of: behind, after: rows.lastRow).totals.covered == 10)
        #expect(BlockSummary(of: behind, after: BlockSummary(of: rows, after: nil).lastRow).totals.covered == 10)
        rows = rows.split(at: 3).0
        #expect(BlockSummary(of: behind, after: rows.lastRow).totals.covered == 0)
        #expect(BlockSummary(of: behind, after: BlockSummary(of: rows, after: nil).lastRow).totals.covered == 0)
    }

    @Test func `count nothing where rows are missing, also if the row behind the gap has no current`() throws {
        var rows = TraceRows.amperes(from: 0, [2_000, 2_000], at: 0)
        var other = TraceRows(reading, first: 2)
        (other.times, other.columns, other.marks) = ([2], [[1], [2]], [Mark(.estimated, before: 0, count: 3)])
        rows = try joined([rows, other, .amperes(from: 3, [2_000, 2_000], at: 9)])
        #expect(BlockSummary(of: rows, after: nil).totals.covered == 2)
    }

    /// Rows of up to four layouts whose names, units and decimals can be united.
    private static func pieces(_ numbers: inout SeededGenerator) -> [TraceRows] {
        let layouts = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
            let names = ["current", "voltage", "cc1", "mode"].filter { _ in numbers.chance(0.6) }
            return Layout(
                (names.isEmpty ? ["cc1"] : names).map { name in
                    Channel(
                        name, name == "current" ? .ampere : .volt, decimals: Int.random(in: 0...4, using: &numbers))
                }, tick: numbers.chance(0.5) ? tick : nil)
        }
        var (first, time) = (numbers.next() >> 30, Int64.random(in: 0...1_000_000, using: &numbers))
        return (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
            var rows = TraceRows(layouts.randomElement(using: &numbers) ?? queue, first: first)
            for row in 0..<Int.random(in: 1...20, using: &numbers) {
                time += Int64.random(in: 0...50, using: &numbers)
                rows.times.append(time)
                if rows.layout.tick != nil { rows.ticks.append(time + Int64.random(in: 0...3, using: &numbers)) }
                for column in rows.columns.indices {
                    rows.columns[column].append(Int64.random(in: -9_999...9_999, using: &numbers))
                }
                if numbers.chance(0.1) { rows.marks.append(Mark(.gap, before: row, count: 2)) }
            }
            first += UInt64(rows.count)
            return rows
        }
    }

    /// What each row says, in millionths, by the names of its channels.
    private static func said(_ pieces: [TraceRows]) -> [[String: Int64]] {
        pieces.flatMap { piece in
            (0..<piece.count).map { row in
                var said = ["number": Int64(piece.first) + Int64(row), "time": piece.times[row]]
                said["tick"] = piece.tick(at: row)
                for (index, channel) in piece.layout.channels.enumerated() where piece.has(index, at: row) {
                    let factor = [1_000_000, 100_000, 10_000, 1_000, 100][channel.decimals]
                    said[channel.name] = piece.columns[index][row] * Int64(factor)
                }
                for mark in piece.marks where mark.row == row { said["gap", default: 0] += Int64(mark.count) }
                return said
            }
        }
    }

    @Test(arguments: UInt64(1)...80)
    func `say the same joined, cut, in blocks and read again`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let pieces = Self.pieces(&numbers)
        let rows = try joined(pieces)
        #expect(Self.said([rows]) == Self.said(pieces))
        var (rest, blocks) = (rows, [TraceRows]())
        while rest.count > 0 {
            let (head, tail) = rest.split(at: .random(in: 1...rest.count, using: &numbers))
            let block = SealedBlock(head, after: nil)
            let summary = try block.summary.bytes.withSpan { try BlockSummary($0) }
            #expect(summary == block.summary)
            blocks.append(try block.content.withSpan { try TraceRows($0, of: summary) })
            #expect(summary.parts(unlike: blocks[blocks.count - 1], after: nil).isEmpty)
            rest = tail
        }
        #expect(Self.said(blocks) == Self.said(pieces))
        // No block has a channel that no row of it has.
        for block in blocks {
            #expect(block.columns.indices.allSatisfy { block.cell($0, in: 0..<block.count) != nil })
        }
        #expect(try Self.said([joined(blocks)]) == Self.said(pieces))
    }

    @Test(arguments: UInt64(1)...80)
    func `have the charge of rows with a current and the energy of those with both, whatever lies between`(seed: UInt64)
        throws
    {
        var numbers = SeededGenerator(seed: seed)
        let pieces = Self.pieces(&numbers)
        let summary = BlockSummary(of: try joined(pieces), after: nil)
        let layout = summary.layout
        guard layout.currentChannel != nil else { return #expect(summary.totals == Totals()) }
        let decimals = layout.channels[try #require(layout.currentChannel)].decimals
        let rows = Self.said(pieces)
        let charge = Self.integral(rows) { $0["current"].map { Int128($0) } }
        #expect(summary.totals.covered == UInt64(charge.span))
        let factors = [1_000_000, 100_000, 10_000, 1_000, 100].map { Int128($0) }
        #expect(summary.totals.charge * factors[decimals] == charge.sum)
        guard let voltage = layout.voltageChannel.map({ layout.channels[$0] }) else { return }
        let energy = Self.integral(rows) { row in
            row["current"].flatMap { current in row[voltage.name].map { Int128(current) * Int128($0) } }
        }
        #expect(summary.totals.energy * factors[decimals] * factors[voltage.decimals] == energy.sum)
    }

    /// Twice the integral over the rows that have a value, and the time that it covers; nothing over gaps.
    private static func integral(
        _ rows: [[String: Int64]], _ value: ([String: Int64]) -> Int128?
    ) -> (sum: Int128, span: Int64) {
        var (sum, covered, last, isBehindGap) = (Int128(0), Int64(0), nil as [String: Int64]?, false)
        for row in rows {
            if row["gap"] != nil { isBehindGap = true }
            guard let now = value(row) else { continue }
            if let last, let before = value(last), !isBehindGap {
                let ticks = row["tick"].flatMap { now in last["tick"].map { now - $0 } }
                let span = ticks ?? row["time", default: 0] - last["time", default: 0]
                if span > 0 { (sum, covered) = (sum + (now + before) * Int128(span), covered + span) }
            }
            (last, isBehindGap) = (row, false)
        }
        return (sum, covered)
    }
}

extension TraceRows {
    /// Rows that have a current alone, one each millisecond.
    fileprivate static func amperes(from first: UInt64, _ values: [Int64], at time: Int64) -> TraceRows {
        var rows = TraceRows(Layout([queue.channels[0]]), first: first)
        rows.times = values.indices.map { time + Int64($0) }
        rows.columns = [values]
        return rows
    }
}

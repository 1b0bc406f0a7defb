import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import GroundwaveTracePlot
import Testing

/// A trace of blocks whose rows are few and far apart in number, so that small traces fill cells of several levels.
private struct ScatteredTrace {
    static let voltage = Channel("voltage", .volt, decimals: 3)
    static let current = Channel("current", .ampere, decimals: 5)
    static let layouts = [Layout([voltage, current]), Layout([current]), Layout([voltage])]

    /// In order of their rows.
    var blocks: [TraceRows] = []

    init(_ count: Int, using numbers: inout SeededGenerator) {
        var (first, time) = (UInt64(0), Int64(1_700_000_000_000))
        // Most cells have one layout.
        var layout = Self.layouts[0]
        var isAfterGap = false
        let step = Int64.random(in: 1...40, using: &numbers)
        for _ in 0..<count {
            if numbers.chance(0.05) { layout = Self.layouts.randomElement(using: &numbers)! }
            var rows = TraceRows(layout, first: first)
            if isAfterGap { rows.marks.append(Mark(.gap, before: 0, count: 5)) }
            isAfterGap = false
            for row in 0..<Int.random(in: 1...9, using: &numbers) {
                if numbers.chance(0.02) {
                    rows.marks.append(Mark(.gap, before: row, count: 3))
                    time += Int64.random(in: 0...2_000, using: &numbers)
                }
                rows.times.append(time)
                for column in rows.columns.indices {
                    rows.columns[column].append(Int64.random(in: -500...500, using: &numbers))
                }
                time += Int64.random(in: numbers.chance(0.01) ? -9_000...0 : 0...step, using: &numbers)
            }
            // Long pauses, told as gaps or not: what is between two of them lies in few columns, or in one.
            if numbers.chance(0.15) {
                time += Int64.random(in: 0...40_000, using: &numbers) * step
                isAfterGap = numbers.chance(0.4)
                if numbers.chance(0.4) { rows.marks.append(Mark(.gap, before: rows.count, count: 1)) }
            }
            blocks.append(rows)
            first += UInt64(rows.count)
            // Holes of the numbers alone.
            if numbers.chance(0.9) { first += UInt64.random(in: 0...30_000, using: &numbers) }
        }
    }
}

extension Store {
    fileprivate func writeBlock(_ block: SeriesBlock, of trace: RecordID) async throws {
        _ = try await write(note: "a block") { batch in
            try batch.append(Change(kind: "trace", record: trace, block: block))
        }
    }

    /// The columns of a plot of `trace`, made of all its rows.
    fileprivate func seriesOfRows(of trace: RecordID, like plot: Plot) throws -> [PlotSeries] {
        var collector = try ColumnCollector(
            plot.series.map(\.channel), startMilliseconds: plot.startMilliseconds,
            endMilliseconds: plot.endMilliseconds, columnCount: plot.series[0].columns.count)
        try forEachPiece(of: trace) { piece in
            switch piece {
            case .rows(let rows): collector.add(rows)
            case .withheld(let summary): _ = collector.add(absent: summary)
            // Nothing is known of these but that they are not here.
            case .unreadable, .hidden: collector.addUnknown()
            }
            return true
        }
        return collector.series
    }
}

@Suite struct `A plot of a trace` {
    private let meter = MACAddress("02:00:00:00:00:01")!

    private func emptyTrace(in store: Store) async throws -> Trace {
        let recorder = try await store.record(meter: meter, model: .um25c)
        try await recorder.finish()
        return try #require(try store.traces().first { $0.id == recorder.trace })
    }

    @Test(arguments: UInt64(0)..<25)
    func `is that of all its rows, whatever was written, withheld or came late`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await emptyTrace(in: store)
        let scattered = ScatteredTrace(Int.random(in: 2...90, using: &numbers), using: &numbers)
        var blocks = scattered.blocks
        // Some come late, and some after those before were withheld.
        for _ in 0..<Int.random(in: 0...3, using: &numbers) {
            blocks.append(blocks.remove(at: Int.random(in: 0..<blocks.count, using: &numbers)))
        }
        let withheld = numbers.chance(0.4) ? Int.random(in: 0..<blocks.count, using: &numbers) : 0
        for (index, rows) in blocks.enumerated() {
            try await store.writeBlock(SealedBlock(rows, after: nil).block, of: trace.id)
            if index + 1 == withheld { _ = try await store.erase([trace.id], kind: "trace", note: "Aged out") }
        }
        if numbers.chance(0.2) {
            let unread = SeriesBlock(first: 40_000, count: 3, summary: [9, 9, 9], content: [1])
            try await store.writeBlock(unread, of: trace.id)
        }
        let summary = try store.summary(of: trace.id)
        #expect(summary.rowCount == scattered.blocks.reduce(0) { $0 + UInt64($1.count) })
        let (first, last) = (try #require(summary.firstTime), try #require(summary.lastTime))
        for round in 0..<12 {
            var options = TracePlotOptions()
            options.width = Int.random(in: Plot.widths.lowerBound...500, using: &numbers)
            let from = round == 0 ? nil : Int64.random(in: first - 100...last, using: &numbers)
            let to = round < 3 ? nil : (from ?? first) + Int64.random(in: 1...(last - first) + 100, using: &numbers)
            let plot = try store.plot(trace, options, from: from, to: to)
            let expected = try store.seriesOfRows(of: trace.id, like: plot)
            for (drawn, wanted) in zip(plot.series, expected) {
                let isSame = drawn == wanted
                #expect(isSame, "\(drawn.channel.name) in round \(round)")
            }
        }
    }

    @Test(arguments: UInt64(0)..<15)
    func `and its summary and gaps are what the blocks say, one by one`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await emptyTrace(in: store)
        let scattered = ScatteredTrace(Int.random(in: 1...60, using: &numbers), using: &numbers)
        var blocks = scattered.blocks
        if numbers.chance(0.5) { blocks.append(blocks.removeFirst()) }
        for rows in blocks { try await store.writeBlock(SealedBlock(rows, after: nil).block, of: trace.id) }
        var joined = JoinedSummary()
        for rows in scattered.blocks { joined.append(JoinedSummary(BlockSummary(of: rows, after: nil))) }
        let summary = try store.summary(of: trace.id)
        #expect(summary.rows == joined && summary.blockCount == blocks.count && summary.unreadCount == 0)
        let gaps = scattered.blocks.flatMap { rows in
            rows.marks.map { [rows.first + UInt64($0.row), $0.count] }
        }
        #expect(try store.gaps(of: trace.id).map { [$0.row, $0.count] } == gaps)
        let middle = try #require(summary.firstTime) + 500
        var rows = 0
        try store.forEachPiece(of: trace.id, from: middle) { piece in
            if case .rows(let some) = piece { rows += some.count }
            return true
        }
        // From the first row at that time to the last one, the clock set back in between or not.
        let expected = scattered.blocks.reduce(0) { count, rows in
            guard let first = rows.times.firstIndex(where: { $0 >= middle }),
                let last = rows.times.lastIndex(where: { $0 >= middle })
            else { return count }
            return count + last - first + 1
        }
        #expect(rows == expected)
    }

    /// Blocks of 100 rows, a second apart, of voltage alone.
    private func blocks(_ count: Int) -> [TraceRows] {
        (0..<count).map { block in
            var rows = TraceRows(Layout([ScatteredTrace.voltage]), first: UInt64(block) * 100)
            rows.times = (0..<100).map { 1_700_000_000_000 + Int64(block * 100 + $0) * 1_000 }
            rows.columns = [(0..<100).map { Int64($0 % 7) * 100 }]
            return rows
        }
    }

    @Test func `draws samples that are withheld as a band, breaks the line there, and tells how many they are`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await emptyTrace(in: store)
        let blocks = blocks(3)
        try await store.writeBlock(SealedBlock(blocks[0], after: nil).block, of: trace.id)
        try await store.writeBlock(SealedBlock(blocks[1], after: nil).block, of: trace.id)
        _ = try await store.erase([trace.id], kind: "trace", note: "Aged out")
        try await store.writeBlock(SealedBlock(blocks[2], after: nil).block, of: trace.id)
        let plot = try store.plot(trace)
        let series = try #require(plot.series.first)
        #expect(plot.withheldCount == 200 && plot.unreadableCount == 0)
        #expect(plot.subtitle.hasSuffix("300 rows, 200 withheld (pale: from least to greatest)"))
        #expect(series.bands.count == 2 && series.bands.allSatisfy { $0.least == 0 && $0.greatest == 600 })
        #expect(series.bands[0].columns.lowerBound == 0)
        let end = series.bands[1].columns.upperBound
        #expect(series.columns[..<end].allSatisfy { $0 == nil } && series.columns[(end + 1)...].contains { $0 != nil })
        // So small that each block is in one column, or in two: that is drawn as if the rows were here.
        let small = try store.plot(trace, from: 1_600_000_000_000)
        #expect(small.withheldCount == 0 && small.series[0].bands.isEmpty && small.subtitle.hasSuffix("300 rows"))
    }

    @Test func `draws a band where samples are damaged, and nothing where not even their summary is known`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await emptyTrace(in: store)
        let blocks = blocks(3)
        try await store.writeBlock(SealedBlock(blocks[0], after: nil).block, of: trace.id)
        let sealed = SealedBlock(blocks[1], after: nil).block
        let damaged = SeriesBlock(
            first: sealed.first, count: sealed.count, summary: sealed.summary, content: [1, 2, 3])
        try await store.writeBlock(damaged, of: trace.id)
        let plot = try store.plot(trace)
        #expect(plot.withheldCount == 0 && plot.unreadableCount == 100 && plot.series[0].bands.count == 1)
        #expect(plot.subtitle.hasSuffix("200 rows, 100 unreadable (pale: from least to greatest)"))
        let unread = SeriesBlock(first: 200, count: 7, summary: [9, 9, 9], content: [1])
        try await store.writeBlock(unread, of: trace.id)
        let other = try store.plot(trace)
        #expect(other.unreadableCount == 107 && other.series[0].bands.count == 1)
    }

    @Test func `draws a channel whose decimals change as one line`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await emptyTrace(in: store)
        let first = blocks(1)[0]
        var second = TraceRows(Layout([Channel("voltage", .volt, decimals: 5)]), first: 100)
        second.times = first.times.map { $0 + 100_000 }
        second.columns = [first.columns[0].map { $0 * 100 + 1 }]
        for rows in [first, second] {
            try await store.writeBlock(SealedBlock(rows, after: nil).block, of: trace.id)
        }
        let plot = try store.plot(trace)
        #expect(plot.series.map(\.channel) == second.layout.channels)
        let cells = plot.series[0].columns.compactMap(\.self)
        #expect(cells.reduce(0) { $0 + $1.count } == 200)
        #expect(cells.map(\.greatest).max() == 60_001 && cells.first?.greatest == 0)
        // The table of the channels is one, too.
        let channels = try store.summary(of: trace.id).channels
        #expect(channels.map(\.channel) == second.layout.channels)
        #expect(channels[0].cell.count == 200 && channels[0].cell.least == 0)
        #expect(channels[0].cell.last == second.columns[0][99])
    }

    @Test func `has the same pixels as one of all its rows`() async throws {
        var numbers = SeededGenerator(seed: 11)
        let temporary = try await TemporaryStore(.full())
        let trace = try await emptyTrace(in: temporary.store)
        for rows in ScatteredTrace(120, using: &numbers).blocks {
            try await temporary.store.writeBlock(SealedBlock(rows, after: nil).block, of: trace.id)
        }
        let plot = try temporary.store.plot(trace)
        let other = try Plot(
            title: plot.title, subtitle: plot.subtitle, startMilliseconds: plot.startMilliseconds,
            endMilliseconds: plot.endMilliseconds, width: plot.width, height: plot.height,
            series: temporary.store.seriesOfRows(of: trace.id, like: plot))
        #expect(plot.png() == other.png() && plot.series[0].gapAfter.count > 2)
    }
}

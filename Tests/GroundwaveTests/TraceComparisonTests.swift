import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

/// A row as the test knows it: its time, and its values by channel, in the decimals of its trace.
private struct ModelRow {
    var time: Int64
    var values: [String: Int64]
    var isBehindGap = false
}

/// A trace that is written block by block, and known row by row.
private struct ModelTrace {
    var channels: [Channel]
    var rows: [ModelRow] = []

    /// Rows from `start` on, about a second apart.
    init(_ channels: [Channel], _ count: Int, from start: Int64, using numbers: inout SeededGenerator) {
        self.channels = channels
        var time = start
        for index in 0..<count {
            let values = channels.map { ($0.name, Int64.random(in: -40_000...90_000, using: &numbers)) }
            let isBehindGap = index > 0 && numbers.chance(0.1)
            rows.append(
                ModelRow(time: time, values: .init(uniqueKeysWithValues: values), isBehindGap: isBehindGap))
            time += Int64.random(in: 1...2_000, using: &numbers) + (isBehindGap ? 5_000 : 0)
        }
    }

    func written(to store: Store, name: String) async throws -> Trace {
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, name: name)
        try await recorder.finish()
        var first = 0
        var before: RowBefore?
        while first < rows.count {
            let end = min(rows.count, first + 7)
            var block = TraceRows(Layout(channels), first: UInt64(first))
            for row in rows[first..<end] {
                if row.isBehindGap { block.marks.append(Mark(.gap, before: block.count, count: 3)) }
                block.times.append(row.time)
                for (index, channel) in channels.enumerated() { block.columns[index].append(row.values[channel.name]!) }
            }
            let sealed = SealedBlock(block, after: before).block
            try await store.write(note: "a block") { batch in
                try batch.append(Change(kind: "trace", record: recorder.trace, block: sealed))
            }
            before = block.lastRow
            first = end
        }
        return try #require(try store.traces().first { $0.id == recorder.trace })
    }

    /// Twice the charge, in the decimals of the current times milliseconds, and the milliseconds that it covers.
    static func charge(_ rows: ArraySlice<ModelRow>) -> (doubled: Int64, covered: Int64) {
        zip(rows, rows.dropFirst()).reduce(into: (0, 0)) { sum, pair in
            guard !pair.1.isBehindGap, let one = pair.0.values["current"], let other = pair.1.values["current"]
            else { return }
            sum.0 += (one + other) * (pair.1.time - pair.0.time)
            sum.1 += pair.1.time - pair.0.time
        }
    }
}

@Suite struct `A comparison of two traces` {
    private static let start: Int64 = 1_777_636_800_000

    @Test(arguments: UInt64(1)...20)
    func `says of each channel and of both traces what their rows in the range say`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let decimals = (0..<2).map { _ in Int.random(in: 2...5, using: &numbers) }
        let later = Self.start + Int64.random(in: 0...40_000, using: &numbers)
        let models = [
            ModelTrace(
                [.init("voltage", .volt, decimals: 3), .init("current", .ampere, decimals: decimals[0])],
                Int.random(in: 2...60, using: &numbers), from: Self.start, using: &numbers),
            ModelTrace(
                [.init("current", .ampere, decimals: decimals[1]), .init("power", .watt, decimals: 2)],
                Int.random(in: 2...60, using: &numbers), from: later, using: &numbers),
        ]
        let a = try await models[0].written(to: store, name: "one")
        let b = try await models[1].written(to: store, name: "other")
        for alignment in TraceComparison.Alignment.allCases {
            for round in 0..<4 {
                let origins = models.map { alignment == .start ? $0.rows[0].time : 0 }
                let base = alignment == .start ? 0 : Self.start
                let from = round == 0 ? nil : base + Int64.random(in: 0...20_000, using: &numbers)
                let to = round < 2 ? nil : (from ?? base) + Int64.random(in: 1...60_000, using: &numbers)
                // What both have, by the clock; all of each, from the start.
                let common = (models.map { $0.rows[0].time }.max()!, models.map { $0.rows.last!.time }.min()! + 1)
                let lower = from ?? (alignment == .start ? .min : common.0)
                let upper = to ?? (alignment == .start ? .max : common.1)
                let kept = zip(models, origins).map { model, origin in
                    model.rows.filter { $0.time - origin >= lower && $0.time - origin < upper }
                }
                guard lower < upper, kept.allSatisfy({ !$0.isEmpty }) else {
                    #expect(throws: StoreError.self) {
                        try store.compare(a, with: b, by: alignment, from: from, to: to)
                    }
                    continue
                }
                let found = try store.compare(a, with: b, by: alignment, from: from, to: to)
                #expect(found.channels.map(\.channel.name) == ["current"])
                #expect(found.onlyInA.map(\.name) == ["voltage"] && found.onlyInB.map(\.name) == ["power"])
                try expect(found, has: kept, decimals: decimals)
            }
        }
    }

    private func expect(_ found: TraceComparison, has kept: [[ModelRow]], decimals: [Int]) throws {
        let common = try #require(found.channels.first)
        let finest = decimals.max()!
        #expect(common.channel.decimals == finest)
        let values = zip(kept, decimals).map { rows, decimals in
            rows.map { Int128($0.values["current"]!) * (decimals < finest ? power(finest - decimals) : 1) }
        }
        for (cell, values) in zip([common.a, common.b], values) {
            #expect(Int128(cell.least) == values.min() && Int128(cell.greatest) == values.max())
        }
        // To the nearest: twice the error is at most the divisor.
        let (sums, counts) = (values.map { $0.reduce(0, +) }, values.map { Int128($0.count) })
        for (mean, (sum, count)) in zip([common.meanOfA, common.meanOfB], zip(sums, counts)) {
            #expect(2 * (mean * count - sum * 10).magnitude <= count.magnitude)
        }
        let product = counts[0] * counts[1]
        let exact = (sums[1] * counts[0] - sums[0] * counts[1]) * 10
        #expect(2 * (common.difference * product - exact).magnitude <= product.magnitude)
        for (side, (rows, decimals)) in zip([found.a, found.b], zip(kept, decimals)) {
            let summary = side.stretch.rows
            #expect(summary.rowCount == UInt64(rows.count))
            #expect(summary.leastTime == rows.first?.time && summary.greatestTime == rows.last?.time)
            #expect(side.stretch.withheldCount == 0 && side.stretch.unreadableCount == 0)
            let charge = ModelTrace.charge(rows[...])
            let part = try #require(summary.parts.first)
            #expect(part.totals.charge == Int128(charge.doubled) && part.totals.covered == UInt64(charge.covered))
            #expect(part.layout.channels.first { $0.name == "current" }?.decimals == decimals)
            #expect(summary.gapCount == UInt64(rows.count { $0.isBehindGap }))
        }
    }

    private func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    @Test func `lays the traces over one another in a plot, each in its colour, with the markers of both`() async throws
    {
        var numbers = SeededGenerator(seed: 3)
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let channels = [Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 4)]
        let day: Int64 = 86_400_000
        let models = [
            ModelTrace(channels, 50, from: Self.start, using: &numbers),
            ModelTrace(channels, 20, from: Self.start + day, using: &numbers),
        ]
        let a = try await models[0].written(to: store, name: "monday")
        let b = try await models[1].written(to: store, name: "tuesday")
        _ = try await store.mark(b.id, at: models[1].rows[5].time, "unplugged")
        let comparison = try store.compare(a, with: b)
        let plot = try store.plot(comparison)
        #expect(
            plot.series.map(\.label) == [
                "voltage, A: monday", "voltage, B: tuesday", "current, A: monday", "current, B: tuesday",
            ])
        #expect(plot.series.map(\.colour) == [0, 1, 0, 1])
        #expect(plot.title == "A: monday, B: tuesday" && plot.timeScale == .elapsed)
        #expect(plot.markers == [.init(time: models[1].rows[5].time - models[1].rows[0].time, text: "B: unplugged")])
        let span = models.map { $0.rows.last!.time - $0.rows[0].time }.max()! + 1
        #expect(plot.startMilliseconds == 0 && plot.endMilliseconds == span)
        // Each row is in the column of its time since the first one of its trace.
        for (trace, model) in models.enumerated() {
            let columns = plot.series[trace].columns
            var drawn = [Int](repeating: 0, count: columns.count)
            for row in model.rows { drawn[Int((row.time - model.rows[0].time) * Int64(columns.count) / span)] += 1 }
            #expect(columns.map { $0?.count ?? 0 } == drawn)
            #expect(plot.series[trace].gapAfter.isEmpty == !model.rows.contains(where: \.isBehindGap))
        }
        let counts = models.map { model in
            let gaps = model.rows.count { $0.isBehindGap }
            let missing = gaps == 0 ? "" : ", \(gaps * 3) missing in \(gaps == 1 ? "1 gap" : "\(gaps) gaps")"
            return "\(model.rows.count) rows\(missing)"
        }
        #expect(plot.subtitle == "A: \(counts[0]); B: \(counts[1])")
        // By the clock they have nothing in common, unless a range is asked for.
        let refusal = #expect(throws: StoreError.self) { try store.compare(a, with: b, by: .clock) }
        #expect(refusal?.code == .usage)
        #expect(throws: StoreError.self) {
            try store.compare(a, with: b, by: .clock, from: Self.start, to: Self.start + day)
        }
        let clock = try store.compare(a, with: b, by: .clock, from: Self.start, to: Self.start + 2 * day)
        let both = try store.plot(clock)
        #expect(both.timeScale == .clock && both.startMilliseconds == Self.start)
        #expect(both.series[0].columns.prefix(2).contains { $0 != nil } && both.series[1].columns[1] == nil)
    }

    @Test func `counts no rows of blocks across its ends whose samples are elsewhere, and draws them pale`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        let ids = [try await fleet[0].recorded(14_000, name: "here"), try await fleet[0].recorded(9_000, name: "too")]
        try await fleet.settle()
        let other = fleet[1]
        let traces = try ids.map { id in try #require(try other.traces().first { $0.id == id }) }
        let comparison = try other.compare(traces[0], with: traces[1], from: 100, to: 1_000_000)
        for (side, count) in [(comparison.a, 9_999), (comparison.b, 8_999)] {
            #expect(side.stretch.withheldCount > 0 && side.stretch.rows.rowCount > 0)
            // None is left out without a word.
            #expect(side.stretch.rows.rowCount + side.stretch.withheldCount >= UInt64(count))
        }
        let plot = try other.plot(comparison)
        #expect(plot.withheldCount > 0 && plot.series[0].bands.count > 0 && plot.series[1].bands.count > 0)
        #expect(plot.subtitle.hasSuffix("(pale: from least to greatest)") && plot.subtitle.contains(" withheld; B: "))
        // Of whole traces the summaries are enough.
        let whole = try other.compare(traces[0], with: traces[1])
        #expect(whole.a.stretch.withheldCount == 0 && whole.a.stretch.rows.rowCount == 14_000)
        #expect(whole.a.stretch.rows == (try fleet[0].summary(of: ids[0]).rows))
        // A range within one block has nothing that is known.
        let nothing = #expect(throws: StoreError.self) {
            try other.compare(traces[0], with: traces[1], from: 0, to: 500)
        }
        #expect(nothing?.code == .notFound && nothing?.hint?.contains("are not here") == true)
    }

    @Test func `of traces without a common channel has no channel, and no plot`() async throws {
        var numbers = SeededGenerator(seed: 5)
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let one = ModelTrace([.init("value", .volt, decimals: 3)], 5, from: Self.start, using: &numbers)
        let other = ModelTrace([.init("value", .ampere, decimals: 3)], 5, from: Self.start, using: &numbers)
        let (a, b) = (try await one.written(to: store, name: "a"), try await other.written(to: store, name: "b"))
        let comparison = try store.compare(a, with: b)
        #expect(comparison.channels.isEmpty && comparison.onlyInA.count == 1 && comparison.onlyInB.count == 1)
        let refusal = #expect(throws: StoreError.self) { try store.plot(comparison) }
        #expect(refusal?.code == .usage)
        var options = TracePlotOptions()
        options.channels = ["power"]
        #expect(throws: StoreError.self) { try store.plot(try store.compare(a, with: a), options) }
    }
}

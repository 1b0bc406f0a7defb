import Everything
import Foundation
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

@Suite struct `A stretch of a trace` {
    /// What the rows `numbers` of a simulated meter add up to: ten a second, 5 V, 0.1 A and up to 0.0099 A more.
    private struct Expected {
        var least, greatest, sum: Int
        var ampereHours, wattHours, seconds: Double

        init(_ numbers: Range<Int>) {
            let currents = numbers.map { 1_000 + $0 % 100 }
            (least, greatest, sum) = (currents.min() ?? 0, currents.max() ?? 0, currents.reduce(0, +))
            let inner = currents.reduce(0, +) * 2 - (currents.first ?? 0) - (currents.last ?? 0)
            ampereHours = currents.count > 1 ? Double(inner) / 2 * 0.1 / 3600 / 10_000 : 0
            wattHours = ampereHours * 5
            seconds = Double(max(0, numbers.count - 1)) / 10
        }
    }

    @Test func `is summed over the end of the log, too, while the recording goes on`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, rate: 10)
        for start in stride(from: 0, to: 10_000, by: 500) {
            try await recorder.append(
                simulatedRows(start..<start + 500), by: Reception(ReadMoment(1_700_000_000_000)))
        }
        try await recorder.flush()
        let whole = try store.summary(of: recorder.trace)
        #expect(whole.blockCount > 0 && whole.tailCount > 0)
        let part = try #require(whole.parts.first)
        let expected = Expected(0..<10_000)
        #expect(abs(try #require(part.layout.ampereHours(part.totals)) - expected.ampereHours) < 1e-9)
        #expect(Double(part.totals.covered) / 1000 == expected.seconds)
        let first = try #require(whole.firstTime)
        try expect(
            store.summary(of: recorder.trace, from: first + 10_000, to: first + 999_900), has: 100..<9_999)
        try await recorder.finish()
        #expect(try store.summary(of: recorder.trace).parts.first?.totals == part.totals)
    }

    private func expect(_ summary: StretchSummary, has numbers: Range<Int>) throws {
        let expected = Expected(numbers)
        #expect(summary.rows.rowCount == UInt64(numbers.count))
        let current = try #require(summary.channels.first { $0.channel.name == "current" }?.cell)
        #expect((Int(current.least), Int(current.greatest)) == (expected.least, expected.greatest))
        #expect(Int(current.sum) == expected.sum && current.count == UInt64(numbers.count))
        let count = try #require(summary.channels.first { $0.channel.name == "group0.charge" }?.cell)
        #expect((Int(count.first), Int(count.last)) == (numbers.lowerBound, numbers.upperBound - 1))
        let part = try #require(summary.rows.parts.first)
        #expect(abs(try #require(part.layout.ampereHours(part.totals)) - expected.ampereHours) < 1e-9)
        #expect(abs(try #require(part.layout.wattHours(part.totals)) - expected.wattHours) < 1e-9)
        #expect(Double(part.totals.covered) / 1000 == expected.seconds)
    }

    @Test(arguments: UInt64(1)...4)
    func `sums the rows in it and no interval beside them, over parts of blocks, blocks and cells`(seed: UInt64)
        async throws
    {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let count = 140_000
        let trace = try await store.recorded(count)
        let start = try #require(try store.summary(of: trace).firstTime)
        let ends = try blockEnds(of: trace, in: store)
        for round in 0..<40 {
            // Every second one begins with a block.
            let block = Int.random(in: 0..<ends.count - 1, using: &numbers)
            let first = round.isMultiple(of: 2) ? ends[block] : Int.random(in: 0..<count, using: &numbers)
            let end = min(count, first + Int.random(in: 1...(numbers.chance(0.5) ? 5_000 : count), using: &numbers))
            let summary = try store.summary(
                of: trace, from: start + Int64(first) * 100 - 99, to: start + Int64(end - 1) * 100 + 1)
            #expect(summary.withheldCount == 0 && summary.unreadableCount == 0)
            try expect(summary, has: first..<end)
        }
        #expect(try store.summary(of: trace, from: .min, to: .max).rows == store.summary(of: trace).rows)
        #expect(try store.summary(of: trace, from: start + 1, to: start + 100).rows.rowCount == 0)
        #expect(try store.summary(of: trace, from: start + Int64(count) * 100, to: .max).channels.isEmpty)
    }

    @Test func `counts no row of a block across an edge whose samples are elsewhere, and says how many`() async throws {
        let fleet = try await SyncedFleet(2)
        let trace = try await fleet[0].recorded(14_000)
        try await fleet.settle()
        let other = fleet[1]
        let start = try #require(try other.summary(of: trace).firstTime)
        let ends = try blockEnds(of: trace, in: other)
        #expect(ends.count >= 3)
        let summary = try other.summary(
            of: trace, from: start + 100, to: start + Int64(ends[ends.count - 2]) * 100 + 1)
        // The first block and the last one have a row that is outside.
        #expect(summary.rows.rowCount == UInt64(ends[ends.count - 2] - ends[0]))
        #expect(summary.withheldCount == UInt64(ends[0] + 14_000 - ends[ends.count - 2]))
        #expect(summary.unreadableCount == 0)
    }

    /// The numbers of the rows behind each block.
    private func blockEnds(of trace: RecordID, in store: Store) throws -> [Int] {
        try store.stretches(of: trace, showing: .measured, takingCells: { _ in false }).compactMap {
            guard case .block(let summary, _) = $0 else { return nil }
            return Int(summary.first + summary.count)
        }
    }

    @Test func `has the rows of a recording that is running, and the missing ones before them`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, rate: 10)
        try await recorder.append(simulatedRows(0..<6_000), by: Reception(ReadMoment(1_700_000_000_000)))
        try await recorder.flush()
        let start = try #require(try store.summary(of: recorder.trace).firstTime)
        for range in [4_000..<6_000, 5_990..<5_995, 10..<5_999] {
            let summary = try store.summary(
                of: recorder.trace, from: start + Int64(range.lowerBound) * 100,
                to: start + Int64(range.upperBound) * 100)
            try expect(summary, has: range)
        }
        try await recorder.finish()
    }
}

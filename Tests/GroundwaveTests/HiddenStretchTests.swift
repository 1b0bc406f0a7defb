import Everything
import Foundation
import Groundwave
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

/// Rows of a trace that are hidden or erased, against a list of all rows in the test.
@Suite struct `A stretch that is hidden or erased` {
    private static let start: Int64 = 1_777_636_800_000

    /// A store with one trace, of `count` rows a second apart whose current in milliamperes is their number, in blocks of
    /// up to 600 rows; with captured bytes.
    private struct Made {
        let temporary: TemporaryStore
        let store: Store
        let trace: RecordID

        init(count: Int) async throws {
            temporary = try await TemporaryStore(Configuration.full())
            store = temporary.store
            let layout = Layout([Channel("voltage", .volt, decimals: 0), Channel("current", .ampere, decimals: 3)])
            let recorder = try await store.importTrace(name: "made", started: start)
            var rows = TraceRows(layout, first: 0)
            rows.times = (0..<count).map { start + Int64($0) * 1000 }
            rows.columns = [Array(repeating: 5, count: count), (0..<count).map(Int64.init)]
            try await recorder.append(recorded: rows)
            try await recorder.finish()
            trace = recorder.trace
        }

        /// The currents of the rows that are passed on, and how many are hidden.
        func rows() throws -> (currents: [Int64], hidden: UInt64, withheld: UInt64) {
            var (currents, hidden, withheld) = ([Int64](), UInt64(0), UInt64(0))
            try store.forEachPiece(of: trace) { piece in
                switch piece {
                case .rows(let rows): currents += rows.columns[rows.layout.currentChannel ?? 0]
                case .hidden(let count): hidden += count
                case .withheld(let summary): withheld += summary.count
                case .unreadable(let rows): Issue.record("\(rows) cannot be read")
                }
                return true
            }
            return (currents, hidden, withheld)
        }
    }

    private static func moment(_ row: Int) -> Int64 { start + Int64(row) * 1000 }

    /// Twice the charge in milliampere-milliseconds over consecutive rows of `shown`.
    private static func charge(_ shown: [Int]) -> Int128 {
        zip(shown, shown.dropFirst()).reduce(0) { $1.1 == $1.0 + 1 ? $0 + Int128($1.0 + $1.1) * 1000 : $0 }
    }

    private func expect(_ made: Made, without hidden: Set<Int>, of count: Int) throws {
        let shown = (0..<count).filter { !hidden.contains($0) }
        let found = try made.rows()
        #expect(found.currents == shown.map(Int64.init) && found.withheld == 0)
        #expect(found.hidden == UInt64(hidden.count))
        let summary = try made.store.summary(of: made.trace)
        #expect(summary.rowCount == UInt64(shown.count) && summary.hiddenCount == UInt64(hidden.count))
        let totals = summary.parts.reduce(into: Totals()) { $0.append($1.totals) }
        #expect(totals.charge == Self.charge(shown), "no trapezoid lies over hidden rows")
        let cell = try #require(summary.channels.first { $0.channel.name == "current" }?.cell)
        #expect(cell.least == Int64(shown.first ?? 0) && cell.greatest == Int64(shown.last ?? 0))
        let trace = try #require(try made.store.traces().first)
        let damage = try made.store.verify(trace).damage
        #expect(damage == [])
    }

    @Test func `is hidden in sums and rows, and comes back`() async throws {
        let made = try await Made(count: 10_000)
        try await made.store.hide(made.trace, from: Self.moment(100), to: Self.moment(200))
        try await made.store.hide(made.trace, from: Self.moment(150), to: Self.moment(5_000))
        try expect(made, without: Set(100..<5_000), of: 10_000)
        let part = try made.store.summary(of: made.trace, from: Self.moment(90), to: Self.moment(5_010))
        #expect(part.rows.rowCount == 20 && part.hiddenCount == 4_900)
        let shown = Array(90..<100) + Array(5_000..<5_010)
        #expect(part.rows.parts.reduce(into: Totals()) { $0.append($1.totals) }.charge == Self.charge(shown))
        let restored = try await made.store.restoreStretches(
            of: made.trace, from: Self.moment(300), to: Self.moment(301))
        #expect(restored.value.count == 1)
        try expect(made, without: Set(100..<200), of: 10_000)
        try await made.store.restoreStretches(of: made.trace, from: .min, to: .max)
        try expect(made, without: [], of: 10_000)
    }

    @Test func `ends the charge also where it ends with a block`() async throws {
        let made = try await Made(count: 10_000)
        let stretches = try made.store.stretches(of: made.trace, showing: .measured) { _ in false }
        guard case .block(let first, _) = stretches.first else { throw CocoaError(.coderValueNotFound) }
        let count = Int(first.count)
        try #require(count < 5_000)
        try await made.store.hide(made.trace, from: Self.moment(0), to: Self.moment(count))
        try expect(made, without: Set(0..<count), of: 10_000)
        try await made.store.restoreStretches(of: made.trace, from: .min, to: .max)
        try await made.store.hide(made.trace, from: Self.moment(10), to: Self.moment(count))
        try expect(made, without: Set(10..<count), of: 10_000)
    }

    @Test(arguments: UInt64(1)...12)
    func `is as if its rows were not there, hidden or erased, one after the other`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...12_000, using: &numbers)
        let made = try await Made(count: count)
        var (hidden, erased) = (Set<Int>(), Set<Int>())
        for _ in 0..<4 {
            let first = Int.random(in: 0..<count, using: &numbers)
            let end = min(count, first + Int.random(in: 1...5_000, using: &numbers))
            if Bool.random(using: &numbers) {
                try await made.store.hide(made.trace, from: Self.moment(first), to: Self.moment(end))
                hidden.formUnion(first..<end)
            } else {
                try await made.store.erase(trace: made.trace, from: Self.moment(first), to: Self.moment(end))
                erased.formUnion(first..<end)
            }
            try expect(made, without: hidden.union(erased), of: count)
        }
        try await made.store.restoreStretches(of: made.trace, from: .min, to: .max)
        try expect(made, without: erased, of: count)
    }

    @Test func `that is erased is in no file of the store, and cannot be restored`() async throws {
        let made = try await Made(count: 3_000)
        let before = try made.store.summary(of: made.trace)
        _ = try await made.store.mark(made.trace, at: Self.moment(1_010), "N0CALL was here")
        _ = try await made.store.mark(made.trace, at: Self.moment(2_000), "stays")
        let erased = try await made.store.erase(
            trace: made.trace, from: Self.moment(1_000), to: Self.moment(1_100), note: "On request")
        #expect(erased.withheldCount >= 2)
        try expect(made, without: Set(1_000..<1_100), of: 3_000)
        #expect(try made.store.markers(of: made.trace).map(\.text) == ["stays"])
        let restored = try await made.store.restoreStretches(of: made.trace, from: .min, to: .max)
        #expect(restored.value.isEmpty)
        let stretch = try #require(try made.store.hiddenStretches(of: made.trace).first)
        #expect(stretch.isErased && stretch.start == Self.moment(1_000) && stretch.end == Self.moment(1_100))
        try await made.store.write(note: "") { _ = try $0.remove("stretch", stretch.id) }
        try expect(made, without: Set(1_000..<1_100), of: 3_000)
        #expect(before.rowCount == 3_000)
        let again = try await made.store.erase(trace: made.trace, from: Self.moment(1_000), to: Self.moment(1_100))
        #expect(again.withheldCount == 0)
        try expect(made, without: Set(1_000..<1_100), of: 3_000)
    }

    @Test func `is refused where it is empty, of no trace, or of one that is being recorded`() async throws {
        let made = try await Made(count: 10)
        await #expect(throws: StoreError.self) { try await made.store.hide(made.trace, from: 5, to: 5) }
        await #expect(throws: StoreError.self) {
            try await made.store.hide(RecordID(high: 1, low: 2), from: 0, to: 5)
        }
        let recorder = try await made.store.importTrace(name: "running")
        for isErase in [false, true] {
            let error = await #expect(throws: StoreError.self) {
                if isErase {
                    try await made.store.erase(trace: recorder.trace, from: 0, to: 5)
                } else {
                    try await made.store.hide(recorder.trace, from: 0, to: 5)
                }
            }
            #expect(error?.code == .busy)
        }
        try await recorder.finish()
    }
}

import Everything
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

private let layout = Layout([Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 4)])
private let start: Int64 = 1_700_000_000_000

/// Rows a second apart, 5 V and so many tenths of a milliampere each, with rows missing before some of them.
private func rows(_ currents: [Int64], gapsBefore gaps: Set<Int> = [], milliseconds: Int64 = 1_000) -> TraceRows {
    var rows = TraceRows(layout, first: 0)
    rows.times = currents.indices.map { start + Int64($0) * milliseconds }
    rows.columns = [currents.map { _ in 5_000 }, currents]
    rows.marks = gaps.sorted().map { Mark(.estimated, before: $0, count: 2) }
    return rows
}

/// The number of rows up to the one that ends a recording of `rows`, which come one by one.
private func count(of rows: TraceRows, until conditions: [StopCondition]) -> (count: Int, met: String)? {
    var judge = StopJudge(conditions)
    for row in 1...rows.count {
        if let count = judge.judge(rows.split(at: row).0, after: nil) { return (count, judge.met?.description ?? "") }
    }
    return nil
}

@Suite struct `A condition that ends a recording` {
    @Test func `is understood in its usual forms`() throws {
        let texts = try [
            StopCondition.duration("2h"), .duration(" 1h30m"), .duration("1 h 500 ms"), .value("current<0.05 for 60s"),
            .value("voltage >= 4.2"), .value("temperature>-3.5 for 1min"), .charge("2Ah"), .charge("500 mAh"),
            .energy("1.5kWh"), .energy("5"),
        ].map(\.description)
        #expect(
            texts == [
                "for 2h", "for 1h30m", "for 1 h 500 ms", "current<0.05 for 60s", "voltage >= 4.2",
                "temperature>-3.5 for 1min", "charge 2Ah", "charge 500 mAh", "energy 1.5kWh", "energy 5",
            ])
    }

    private static let refused: [(String, @Sendable (String) throws -> StopCondition)] =
        ["", "2", "h", "-1h", "0s", "2 weeks", "1.5h", "99999999999999999999d", "3650000d"].map {
            ($0, StopCondition.duration)
        }
        + [
            "", "current", "current<", "<0.05", "current=0.05", "current<0.05A", "current<0,05", "current<.5",
            "current<5.", "current<1e3", "current<0.05 for", "current<0.05 for 60", "current<0.05 for 1s for 2s",
            "current<1234567890", "current<0.0000000000001",
        ].map { ($0, StopCondition.value) }
        + ["", "Ah", "2Wh", "0Ah", "-2Ah", "2 A", "2MAh"].map { ($0, StopCondition.charge) }
        + ["2Ah", "0", "five"].map { ($0, StopCondition.energy) }

    @Test(arguments: refused.indices)
    func `is refused otherwise`(index: Int) throws {
        let (text, make) = Self.refused[index]
        let error = #expect(throws: StoreError.self) { try make(text) }
        #expect(error?.code == .usage && error?.hint != nil)
    }

    @Test func `of a time is met by the first row that is so long after the first one`() throws {
        let all = rows(.init(repeating: 0, count: 100), milliseconds: 700)
        #expect(try count(of: all, until: [.duration("7s")])?.count == 11)
        #expect(try count(of: all, until: [.duration("7s1ms")])?.count == 12)
        #expect(try count(of: all, until: [.duration("2min")]) == nil)
    }

    @Test func `of a value is met by the row that has it, and not by the limit itself`() throws {
        let falling = rows([510, 501, 500, 499, 499])
        #expect(try count(of: falling, until: [.value("current<0.05")])?.count == 4)
        #expect(try count(of: falling, until: [.value("current<=0.05")])?.count == 3)
        #expect(try count(of: falling, until: [.value("current<0.0499")]) == nil)
        let rising = rows([-20, 0, 499, 500, 501])
        #expect(try count(of: rising, until: [.value("current>0.05")])?.count == 5)
        #expect(try count(of: rising, until: [.value("current>=0.05")])?.count == 4)
        #expect(try count(of: rising, until: [.value("current>-0.001")])?.count == 2)
    }

    @Test func `of a value for a time is met when all rows of that time have it`() throws {
        let condition = try StopCondition.value("current<0.05 for 60s")
        var currents = [Int64](repeating: 900, count: 10) + .init(repeating: 100, count: 200)
        #expect(count(of: rows(currents), until: [condition])?.count == 71, "60 s after row 10")
        currents[40] = 500
        #expect(count(of: rows(currents), until: [condition])?.count == 102, "60 s after row 41")
        currents[69] = 900
        #expect(count(of: rows(currents), until: [condition])?.count == 131)
    }

    @Test func `of a value for a time starts anew behind a gap`() throws {
        let condition = try StopCondition.value("current<0.05 for 60s")
        let currents = [Int64](repeating: 100, count: 200)
        #expect(count(of: rows(currents), until: [condition])?.count == 61)
        #expect(count(of: rows(currents, gapsBefore: [30]), until: [condition])?.count == 91)
        #expect(count(of: rows(currents, gapsBefore: [30, 90]), until: [condition])?.count == 151)
        #expect(count(of: rows(currents, gapsBefore: [61]), until: [condition])?.count == 61, "the gap comes later")
        // A mark that tells no missing row is none.
        var repeated = rows(currents)
        repeated.marks = [Mark(.repeats, before: 30, count: 1), Mark(.clock, before: 31, count: 2)]
        #expect(count(of: repeated, until: [condition])?.count == 61)
    }

    @Test func `of charge or energy is met by the row at which so much has flowed, whatever its direction`() throws {
        // 1 A at 5 V: 1 mAh each 3.6 s.
        for sign in [Int64(1), -1] {
            let all = rows(.init(repeating: sign * 10_000, count: 60), milliseconds: 3_600)
            #expect(try count(of: all, until: [.charge("20mAh")])?.count == 21)
            #expect(try count(of: all, until: [.charge("20.001mAh")])?.count == 22)
            #expect(try count(of: all, until: [.energy("0.1")])?.count == 21)
            #expect(try count(of: all, until: [.charge("60mAh")]) == nil)
        }
        // What flowed in a gap is not known.
        let broken = rows(.init(repeating: 10_000, count: 60), gapsBefore: [5, 9], milliseconds: 3_600)
        #expect(try count(of: broken, until: [.charge("20mAh")])?.count == 23)
    }

    @Test func `is the first that is met, and the one given first of two met by one row`() throws {
        let all = rows(.init(repeating: 100, count: 50))
        let (ten, twenty) = (try StopCondition.duration("10s"), try StopCondition.duration("20s"))
        #expect(count(of: all, until: [twenty, ten])! == (11, "for 10s"))
        let low = try StopCondition.value("current<0.05 for 10s")
        #expect(count(of: all, until: [low, ten])! == (11, "current<0.05 for 10s"))
        #expect(count(of: all, until: [ten, low])! == (11, "for 10s"))
        #expect(count(of: all, until: []) == nil)
    }

    @Test func `of a value is not judged by rows without the channel`() throws {
        var judge = StopJudge([try .value("current<0.05 for 2s")])
        #expect(judge.judge(rows([100, 100]), after: nil) == nil)
        judge.seal(rows([100, 100]), after: nil)
        var other = TraceRows(Layout([Channel("voltage", .volt, decimals: 3)]), first: 2)
        (other.times, other.columns) = ([start + 5_000], [[0]])
        #expect(judge.judge(other, after: rows([100, 100]).lastRow) == nil)
        judge.seal(other, after: rows([100, 100]).lastRow)
        var next = TraceRows(layout, first: 3)
        (next.times, next.columns) = ([start + 6_000], [[5_000], [100]])
        #expect(judge.judge(next, after: other.lastRow) == 1)
        // The same rows in one block.
        var all = rows([100, 100])
        #expect(all.append(other) && all.append(next))
        var again = StopJudge([try .value("current<0.05 for 2s")])
        #expect(again.judge(all.split(at: 3).0, after: nil) == nil)
        #expect(again.judge(all, after: nil) == 4)
    }

    @Test(arguments: UInt64(1)...200)
    func `ends at the row of a simple model, however the rows come and are sealed`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sign: Int64 = generator.chance(0.5) ? 1 : -1
        let currents = (0..<120).map { _ in sign * 100 * Int64.random(in: 0...10, using: &generator) }
        let gapCount = Int.random(in: 0...6, using: &generator)
        let gaps = Set((0..<gapCount).map { _ in Int.random(in: 1...119, using: &generator) })
        let all = rows(currents, gapsBefore: gaps, milliseconds: Int64.random(in: 1...3_000, using: &generator))
        let (hundredths, seconds) = (Int.random(in: 0...9, using: &generator), Int.random(in: 0...7, using: &generator))
        let charge = Int.random(in: 1...300, using: &generator)
        let conditions = try [
            StopCondition.value("current>=\(sign < 0 ? "-" : "")0.0\(hundredths) for \(seconds)s500ms"),
            .charge("\(charge / 100).\(charge % 100 < 10 ? "0" : "")\(charge % 100)mAh"),
        ]
        let model = Self.end(
            all, gaps, atLeast: sign * 100 * Int64(hundredths), lasting: Int64(seconds) * 1_000 + 500,
            hundredthsOfMilliampereHours: Int64(charge))

        var judge = StopJudge(conditions)
        var (first, received, before, end) = (0, 0, RowBefore?.none, Int?.none)
        while received < all.count, end == nil {
            received = min(all.count, received + Int.random(in: 1...30, using: &generator))
            let open = all.split(at: received).0.split(at: first).1
            end = judge.judge(open, after: before).map { $0 + first }
            if end == nil, generator.chance(0.4) {
                let head = open.split(at: Int.random(in: 1...open.count, using: &generator)).0
                judge.seal(head, after: before)
                before = head.lastRow
                first += head.count
            }
        }
        #expect(end == model)
        #expect((judge.met == nil) == (model == nil))
    }

    /// Adds and compares row by row.
    private static func end(
        _ rows: TraceRows, _ gaps: Set<Int>, atLeast limit: Int64, lasting: Int64,
        hundredthsOfMilliampereHours charge: Int64
    ) -> Int? {
        let (currents, times) = (rows.columns[1], rows.times)
        var (since, doubled) = (Int64?.none, Int64(0))
        for row in 0..<rows.count {
            if gaps.contains(row) {
                since = nil
            } else if row > 0 {
                doubled += (currents[row - 1] + currents[row]) * (times[row] - times[row - 1])
            }
            since = currents[row] >= limit ? since ?? times[row] : nil
            if let since, times[row] - since >= lasting { return row + 1 }
            // Tenths of a milliampere times milliseconds, doubled, of a hundredth of a milliampere hour.
            if abs(doubled) >= charge * 2 * 10 * 3_600_000 / 100 { return row + 1 }
        }
        return nil
    }
}

@Suite struct `A recording with conditions` {
    @Test func `has the row that meets one as its last one, and says which it was`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let conditions = try [StopCondition.duration("2h"), .value("current<0.05 for 60s")]
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, until: conditions)
        // Two blocks and a part of the third.
        let currents = [Int64](repeating: 900, count: 9_000) + .init(repeating: 100, count: 500)
        let all = rows(currents, milliseconds: 500)
        try await recorder.append(recorded: all.split(at: 8_000).0)
        #expect(await recorder.metCondition == nil)
        try await recorder.append(recorded: all.split(at: 8_000).1)
        #expect(await recorder.metCondition == conditions[1])
        try await recorder.append(recorded: all.split(at: 9_400).1)
        try await recorder.flush()
        #expect(try store.summary(of: recorder.trace).rowCount == 9_121, "60 s after row 9,000")
        try await recorder.finish()

        let summary = try store.summary(of: recorder.trace)
        #expect(summary.rowCount == 9_121 && summary.tailCount == 0)
        let trace = try #require(try store.traces().first)
        #expect(trace.end == .finished && trace.stoppedBy == "current<0.05 for 60s")
        #expect(trace.ended == all.times[9_120])
        #expect(try store.verify(trace).isOK)
    }

    @Test func `starts the time of a condition anew behind a gap that it finds itself`() async throws {
        let temporary = try await TemporaryStore(.full())
        let recorder = try await temporary.store.record(
            meter: simulatedMeter, model: .um25c, until: [.value("voltage>=5 for 10s")])
        // A row each half a second; before row 15 nothing comes for four seconds. They are read two at a time at the end.
        var number = 0
        while await recorder.metCondition == nil, number < 100 {
            let count = number < 31 ? 1 : 2
            let time = start + Int64(number + count - 1) * 500 + (number < 15 ? 0 : 4_000)
            try await recorder.append(simulatedRows(number..<number + count), by: Reception(ReadMoment(time)))
            number += count
        }
        try await recorder.finish()
        let trace = try #require(try temporary.store.traces().first)
        let gaps = try temporary.store.gaps(of: trace.id)
        #expect(gaps.count == 1 && gaps.first?.row == 15 && gaps.first?.kind == .estimated)
        #expect(trace.stoppedBy == "voltage>=5 for 10s")
        // Row 15 is at 11.5 s.
        let summary = try temporary.store.summary(of: trace.id)
        #expect(summary.lastTime == start + 21_500 && summary.rowCount == 36, "\(summary.rowCount)")
    }

    @Test func `that ends otherwise says none`() async throws {
        let temporary = try await TemporaryStore(.full())
        let recorder = try await temporary.store.record(
            meter: simulatedMeter, model: .um25c, until: [.value("temperature>60")])
        try await recorder.append(recorded: rows([100, 200, 300]))
        try await recorder.finish()
        #expect(await recorder.metCondition == nil)
        let trace = try #require(try temporary.store.traces().first)
        #expect(trace.end == .finished && trace.stoppedBy == nil)
        #expect(try temporary.store.summary(of: trace.id).rowCount == 3)
    }

    @Test func `counts charge over its blocks as its summary does`() async throws {
        let temporary = try await TemporaryStore(.full())
        let recorder = try await temporary.store.record(meter: simulatedMeter, model: .um25c, until: [.charge("2Ah")])
        // 1 A, a row each second: 2 Ah are there at row 7,200, in the second block.
        let all = rows(.init(repeating: 10_000, count: 9_000))
        for start in stride(from: 0, to: 9_000, by: 700) {
            try await recorder.append(recorded: all.split(at: start).1.split(at: min(700, 9_000 - start)).0)
        }
        try await recorder.finish()
        let summary = try temporary.store.summary(of: recorder.trace)
        #expect(summary.rowCount == 7_201 && summary.blockCount > 1)
        let part = try #require(summary.parts.first)
        #expect(part.layout.ampereHours(part.totals) == 2)
    }
}

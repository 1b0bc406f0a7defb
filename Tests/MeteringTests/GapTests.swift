import GroundwaveMetering
import GroundwaveSeededNumbers
import Testing

/// What a meter with a counter sends, in frames of some rows, and what became of it on the way.
private struct Sent {
    var frames: [[UInt32]] = []
    var removed: UInt64 = 0
    var repeated: UInt64 = 0
    /// How many rows are known to be missing or to have come again: what stands before the first row that came, or behind
    /// the last one, nobody can know of.
    var missing: UInt64 = 0

    init(frames count: Int, of rows: Int, using numbers: inout SeededGenerator, removing: Double, repeating: Double) {
        var lost: UInt64 = 0
        for frame in 0..<count {
            let ticks = (0..<rows).map { UInt32((frame * rows + $0 + 60_000) % 65_536) }
            if numbers.chance(removing) {
                removed += UInt64(rows)
                lost += UInt64(rows)
                continue
            }
            missing += frames.isEmpty ? 0 : lost
            lost = 0
            frames.append(ticks)
            if numbers.chance(repeating) {
                frames.append(ticks)
                repeated += UInt64(rows)
            }
        }
    }
}

@Suite struct `What happened between rows` {
    private static let ticked = Layout(
        [Channel("voltage", .volt, decimals: 3)], tick: Layout.Tick(hertz: 1000, modulus: 65_536))
    private static let plain = Layout([Channel("voltage", .volt, decimals: 3)])

    private func count(_ marks: [Mark], _ kind: Mark.Kind) -> UInt64 {
        marks.reduce(0) { $1.kind == kind ? $0 + $1.count : $0 }
    }

    @Test(arguments: UInt64(0)..<20)
    func `is told exactly where the meter counts`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let rows = [1, 4, 40][Int(seed % 3)]
        let sent = Sent(frames: 4_000, of: rows, using: &numbers, removing: 0.01, repeating: 0.01)
        var block = OpenBlock(Self.ticked, first: 0)
        var marks: [Mark] = []
        var taken = 0
        var time: Int64 = 1_700_000_000_000
        for frame in sent.frames {
            // The host hears of a frame when it is whole, some milliseconds early or late.
            time += Int64(rows) + Int64.random(in: -3...3, using: &numbers) * (rows > 3 ? 1 : 0)
            for tick in frame { block.append([5_000], tick: tick, at: time) }
            if block.rows.count > 3_000 {
                let part = block.removeFirst(2_000)
                marks += part.marks
                taken += part.count
            }
        }
        block.end()
        marks += block.rows.marks
        taken += block.rows.count
        #expect(count(marks, .gap) == sent.missing)
        #expect(count(marks, .repeats) == sent.repeated)
        #expect(UInt64(taken) == UInt64(4_000 * rows) - sent.removed)
        #expect(marks.filter { $0.kind == .rate }.map(\.count) == [1], "the rate stays what it was")
    }

    @Test func `is no gap where the meter was set to another rate, also many times slower`() {
        var block = OpenBlock(Self.ticked, first: 0)
        var (tick, time) = (0, Int64(0))
        for step in [1, 20, 100, 500, 1] {
            for _ in 0..<50 {
                tick += step
                time += Int64(step)
                block.append([1], tick: UInt32(tick % 65_536), at: time)
            }
        }
        #expect(count(block.rows.marks, .gap) == 0)
        #expect(block.rows.marks.filter { $0.kind == .rate }.map(\.count) == [1, 20, 100, 500, 1])
        #expect(block.rows.count == 250)
    }

    @Test func `is told also of a gap in which the counter went all the way round, some times`() {
        for rounds in 0...3 {
            var block = OpenBlock(Self.ticked, first: 0)
            for tick in 0..<100 { block.append([1], tick: UInt32(tick), at: Int64(tick)) }
            let next = 100 + 40_000 + rounds * 65_536
            // The clock of the host is a little wrong.
            let time = Int64(next) + Int64(next) / 2_000
            for tick in next..<next + 100 { block.append([1], tick: UInt32(tick % 65_536), at: time) }
            #expect(count(block.rows.marks, .gap) == UInt64(40_000 + rounds * 65_536))
            #expect(block.rows.ticks.last == Int64(next + 99))
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `is told by the clock where the meter does not count, with hardly a false alarm`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var block = OpenBlock(Self.plain, first: 0)
        var (alarms, found, done) = (0, UInt64(0), UInt64(0))
        var time = 0.0
        for row in 0..<20_000 {
            // 10 rows a second; each up to 40 ms early or late, one in a thousand in a hurry behind a late one.
            time += 100
            let isLost = row > 100 && row % 500 == 0
            if isLost {
                let length = Double(Int.random(in: 3...30, using: &numbers))
                time += 100 * length
                done += UInt64(length)
            }
            let before = block.rows.marks.count
            block.append([5_000], tick: nil, at: Int64(time + Double.random(in: -40...40, using: &numbers)))
            for mark in block.rows.marks[before...] where mark.kind == .gap {
                if isLost { found += mark.count } else { alarms += 1 }
            }
        }
        #expect(alarms <= 20, "at most 0.1 % of 20,000")
        #expect(found * 100 >= done * 95 && found * 100 <= done * 105, "\(found) of \(done)")
    }

    @Test(arguments: [(100, 0), (205, 0), (250, 0), (260, 2), (300, 2), (390, 3), (400, 3)] as [(Int, UInt64)])
    func `is a gap by the clock from two and a half intervals on`(milliseconds: Int, missing: UInt64) {
        var block = OpenBlock(Self.plain, first: 0)
        for row in 0..<50 { block.append([5_000], tick: nil, at: Int64(row * 100)) }
        block.append([5_000], tick: nil, at: Int64(4_900 + milliseconds))
        #expect(count(block.rows.marks, .gap) == missing)
    }

    @Test func `are no repeats where equal values follow one another`() {
        var block = OpenBlock(Self.plain, first: 0)
        for row in 0..<1_000 { block.append([5_000], tick: nil, at: Int64(row * 100)) }
        #expect(block.rows.count == 1_000 && block.rows.marks.isEmpty)
    }

    @Test(arguments: UInt64(0)..<50)
    func `never traps, whatever counter and clock say`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        for layout in [Self.ticked, Self.plain] {
            var block = OpenBlock(layout, first: 0)
            for _ in 0..<500 {
                let time = numbers.chance(0.3) ? Int64(bitPattern: numbers.next()) : Int64(numbers.next() >> 44)
                block.append(
                    [.random(in: .min ... .max, using: &numbers)],
                    tick: layout.tick == nil ? nil : UInt32(truncatingIfNeeded: numbers.next()), at: time)
            }
            block.end()
            #expect(BlockSummary(of: block.rows, after: nil).count == UInt64(block.rows.count))
        }
    }
}

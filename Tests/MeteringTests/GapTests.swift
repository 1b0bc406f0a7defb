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

@Suite struct `What the counter of a meter tells` {
    @Test(arguments: UInt64(0)..<20)
    func `is exact, and the times are those of the counter`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let rows = [1, 4, 40][Int(seed % 3)]
        let sent = Sent(frames: 4_000, of: rows, using: &numbers, removing: 0.01, repeating: 0.01)
        var taken = Taken(of: tickedLayout)
        var time: Int64 = 1_700_000_000_000
        for frame in sent.frames {
            // The host hears of a frame when it is whole, some milliseconds early or late.
            time += Int64(rows) + Int64.random(in: -3...3, using: &numbers) * (rows > 3 ? 1 : 0)
            taken.receive(frame, at: time)
        }
        taken.end()
        #expect(taken.count(.gap) == sent.missing && taken.count(.repeats) == sent.repeated)
        #expect(UInt64(taken.block.rows.count) == UInt64(4_000 * rows) - sent.removed)
        #expect(taken.block.rows.marks.filter { $0.kind == .rate }.map(\.count) == [1], "the rate stays what it was")
        #expect(taken.isInOrder && taken.count(.estimated) == 0)
    }

    @Test func `is no gap where the meter was set to another rate, also many times slower`() {
        var taken = Taken(of: tickedLayout)
        var (tick, time) = (0, Int64(0))
        for step in [1, 20, 100, 500, 1] {
            for _ in 0..<50 {
                tick += step
                time += Int64(step)
                taken.receive([UInt32(tick % 65_536)], at: time)
            }
        }
        #expect(taken.count(.gap) == 0 && taken.block.rows.count == 250)
        #expect(taken.block.rows.marks.filter { $0.kind == .rate }.map(\.count) == [1, 20, 100, 500, 1])
    }

    @Test func `is a gap also where the counter went all the way round, some times`() {
        for rounds in 0...3 {
            var taken = Taken(of: tickedLayout)
            for tick in 0..<100 { taken.receive([UInt32(tick)], at: Int64(tick)) }
            let next = 100 + 40_000 + rounds * 65_536
            // The clock of the host is a little wrong.
            let time = Int64(next) + Int64(next) / 2_000
            taken.receive((next..<next + 100).map { UInt32($0 % 65_536) }, at: time)
            #expect(taken.count(.gap) == UInt64(40_000 + rounds * 65_536))
            #expect(taken.block.rows.ticks.last == Int64(next + 99))
        }
    }

    @Test(arguments: [1, 2, 3]) func `is a gap also where the last turn is not quite full`(turns: Int) {
        var taken = Taken(of: tickedLayout)
        for frame in 0..<10 { taken.receive((0..<40).map { UInt32(frame * 40 + $0) }, at: Int64(40 * frame + 40)) }
        // A step back by 371 ticks, if it were not for the time.
        let next = 399 + turns * 65_536 - 371
        taken.receive((0..<40).map { UInt32((next + $0) % 65_536) }, at: Int64(next + 41))
        #expect(taken.marks(.gap) == [400: UInt64(next - 400)] && taken.count(.repeats) == 0)
        #expect(taken.block.rows.count == 440)
    }

    @Test func `is no gap where the host was stopped for a minute and the pipe kept everything`() {
        var taken = Taken(of: tickedLayout)
        for tick in stride(from: UInt32(0), to: 500, by: 10) { taken.receive([tick], at: Int64(tick)) }
        // Ten rows a second for a minute, read in pieces.
        let late = stride(from: 500, to: 70_500, by: 10).map { UInt32($0 % 65_536) }
        for start in stride(from: 0, to: late.count, by: 1_000) {
            let end = min(late.count, start + 1_000)
            taken.receive(Array(late[start..<end]), at: 70_500 + Int64(start / 1_000), hasMore: end < late.count)
        }
        taken.receive([UInt32(70_500 % 65_536)], at: 70_510)
        #expect(taken.count(.gap) == 0 && taken.block.rows.ticks.last == 70_500)
        let times = taken.block.rows.times
        #expect(zip(times, taken.block.rows.ticks).allSatisfy { abs($0 - $1) <= 10 }, "they have their own times")
    }

    @Test func `is a gap from the first row on, also where the first step has one`() {
        var taken = Taken(of: tickedLayout)
        for (index, tick) in [0, 3, 6, 7, 8, 9].enumerated() { taken.receive([UInt32(tick)], at: Int64(index) * 3) }
        #expect(taken.marks(.gap) == [1: 2, 2: 2] && taken.marks(.rate) == [1: 1])
    }

    @Test func `goes on over rows of other channels, which have their times between`() {
        var intake = RowIntake(RowSource(.live, requestMilliseconds: 200))
        var (numbers, times, changes) = (UInt64(0), [Int64](), [MarkChange]())
        func run(_ count: Int, _ tick: Layout.Tick?, _ ticks: [UInt32]) -> RowIntake.Run {
            RowIntake.Run(count: count, tick: tick, ticks: ticks)
        }
        var removed = 0
        for frame in 0..<200 {
            // Forty rows of the queue in a frame, of which each tenth is lost, and a reading behind each.
            let (ticks, time) = ((frame * 40..<frame * 40 + 40).map { UInt32($0 % 65_536) }, Int64(frame) * 40 + 45)
            let isLost = frame % 10 == 5
            removed += isLost ? 40 : 0
            let isReading = frame % 2 == 0
            let queue = isLost ? [] : [run(40, tickedLayout.tick, ticks)]
            let reading = isReading ? [run(1, nil, [])] : []
            intake.begin(Reception(ReadMoment(time), requestCount: isReading ? 1 : 0), queue + reading)
            for tick in isLost ? [] : ticks {
                guard let row = intake.next([1], tick: tick, of: tickedLayout, number: numbers) else { continue }
                times.append(row.time)
                numbers += 1
            }
            if isReading, let row = intake.next([7], tick: nil, of: plainLayout, number: numbers) {
                times.append(row.time)
                numbers += 1
            }
            changes += intake.takeChanges()
        }
        intake.end(number: numbers)
        changes += intake.takeChanges()
        let gaps = changes.filter { $0.kind == .gap }
        #expect(gaps.reduce(0) { $0 + $1.change } == Int64(removed) && gaps.allSatisfy { $0.change == 40 })
        #expect(changes.allSatisfy { $0.kind == .gap || $0.kind == .rate })
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `is estimated by the clock where the meter was off and counts anew`() {
        var taken = Taken(of: tickedLayout)
        for tick in 0..<100 { taken.receive([UInt32(50_000 + tick)], at: Int64(tick)) }
        taken.receive([0, 1, 2], at: 5_101, isNewConnection: true)
        #expect(taken.count(.gap) == 0 && taken.count(.repeats) == 0)
        #expect(abs(Int64(taken.count(.estimated)) - 4_999) <= 3)
        taken.receive([3], at: 5_102)
        #expect(taken.block.rows.count == 104 && taken.isInOrder)
    }
}

@Suite struct `What the time between rows tells` {
    @Test(arguments: [(100, 0), (205, 0), (250, 0), (260, 2), (300, 2), (390, 3), (400, 3)] as [(Int, UInt64)])
    func `is a gap from two and a half intervals on`(milliseconds: Int, missing: UInt64) {
        var taken = Taken(of: plainLayout)
        for row in 0..<50 { taken.receive(1, at: Int64(row * 100)) }
        taken.receive(1, at: Int64(4_900 + milliseconds))
        #expect(taken.count(.estimated) == missing && taken.count(.gap) == 0)
    }

    @Test(arguments: 1...7) func `is a gap within the first eight intervals, too`(row: Int) {
        var taken = Taken(of: plainLayout)
        var time: Int64 = 0
        for number in 0..<12 {
            time += number == row ? 10_500 : 500
            taken.receive(1, at: time)
        }
        #expect(taken.marks(.estimated) == [row: 20])
    }

    @Test func `is judged again when the rate is known better`() {
        var taken = Taken(of: plainLayout)
        // The first rows are 105 ms apart, all others 100: 39 are missing, and not 37.
        var time: Int64 = 0
        for row in 0..<140 {
            time += row == 9 ? 4_000 : row < 9 ? 105 : 100
            taken.receive(1, at: time)
            if row == 20 { #expect(taken.marks(.estimated) == [9: 37]) }
        }
        #expect(taken.marks(.estimated) == [9: 39])
    }

    @Test func `is judged by the rate of rows that are sent, of which single ones are lost and not told`() {
        var taken = Taken(of: plainLayout)
        // More than are judged again when the rate is known better.
        for row in 0..<200 where row % 10 != 9 { taken.receive(1, at: Int64(row) * 100) }
        for row in 239..<250 { taken.receive(1, at: Int64(row) * 100) }
        #expect(taken.marks(.estimated) == [180: 40])
    }

    @Test func `is a gap also where no eighth interval comes`() {
        var taken = Taken(of: plainLayout)
        for time in [0, 500, 1_000, 6_000, 6_500] { taken.receive(1, at: Int64(time)) }
        taken.end()
        #expect(taken.marks(.estimated) == [3: 9])
    }

    @Test(arguments: [1, 2, 5]) func `is no gap where the host was stopped and the rows waited`(reads: Int) {
        var taken = Taken(of: plainLayout)
        for row in 0..<50 { taken.receive(1, at: Int64(row * 40)) }
        // 75 rows in three seconds, read at once.
        for read in 0..<reads {
            taken.receive(75 / reads + (read < 75 % reads ? 1 : 0), at: 4_960 + Int64(read), hasMore: read < reads - 1)
        }
        for row in 125..<150 { taken.receive(1, at: Int64(row * 40)) }
        #expect(taken.block.rows.marks.isEmpty && taken.isInOrder)
        let rows = taken.block.rows
        #expect(rows.times.enumerated().allSatisfy { abs($1 - Int64($0 * 40)) <= 45 }, "they have their own times")
    }

    @Test func `is a new rate and no gap where all rows are further apart from then on`() {
        var taken = Taken(of: plainLayout)
        for row in 0..<50 { taken.receive(1, at: Int64(row * 100)) }
        for row in 1...40 { taken.receive(1, at: 4_900 + Int64(row * 1_000)) }
        #expect(taken.count(.estimated) == 0)
        #expect(taken.block.rows.marks.map(\.kind) == [.rate] && taken.block.rows.marks.first?.count == 1_000)
    }

    @Test func `is no repeat where equal values follow one another`() {
        var taken = Taken(of: plainLayout)
        for row in 0..<1_000 { taken.receive(1, at: Int64(row * 100)) }
        #expect(taken.block.rows.count == 1_000 && taken.block.rows.marks.isEmpty)
    }

    @Test func `is not asked where the input has no times`() {
        var taken = Taken(of: plainLayout, RowSource(.paced(perSecond: 10)))
        for time in [0, 5, 9_000, 9_001] { taken.receive(10, at: 1_000 + Int64(time)) }
        taken.end()
        #expect(taken.block.rows.times == (0..<40).map { 1_000 + $0 * 100 } && taken.block.rows.marks.isEmpty)
    }

    @Test func `is ten milliseconds where a report has four rows`() {
        var taken = Taken(of: plainLayout, RowSource(.live, spacingMilliseconds: 10))
        for report in 1...3 { taken.receive(4, at: Int64(report * 40)) }
        #expect(taken.block.rows.times == (1...12).map { $0 * 10 })
    }

    @Test func `is ten milliseconds also where reports waited until the host went on`() {
        var taken = Taken(of: plainLayout, RowSource(.live, spacingMilliseconds: 10))
        for report in 1...50 { taken.receive(4, at: Int64(report * 40)) }
        // The last of 25 reports came 35 ms before it.
        taken.receive(100, at: 3_035)
        taken.receive(4, at: 3_040)
        #expect(taken.block.rows.times == (1...304).map { $0 * 10 } && taken.block.rows.marks.isEmpty)
    }

    @Test(arguments: UInt64(0)..<50)
    func `never traps, whatever counter and clock say`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        for layout in [tickedLayout, plainLayout] {
            var taken = Taken(of: layout)
            for _ in 0..<500 {
                func time() -> Int64 {
                    numbers.chance(0.3) ? Int64(bitPattern: numbers.next()) : Int64(numbers.next() >> 44)
                }
                let ticks = layout.tick == nil ? [] : [UInt32(truncatingIfNeeded: numbers.next())]
                taken.receive(
                    [[.random(in: .min ... .max, using: &numbers)]], ticks,
                    by: Reception(
                        ReadMoment(steady: time(), wall: time()), requestCount: numbers.chance(0.2) ? 1 : 0,
                        hasMore: numbers.chance(0.2), isNewConnection: numbers.chance(0.1)))
            }
            taken.end()
            #expect(taken.isInOrder)
            #expect(BlockSummary(of: taken.block.rows, after: nil).count == UInt64(taken.block.rows.count))
        }
    }
}

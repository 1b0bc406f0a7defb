import GroundwaveMetering
import GroundwaveSeededNumbers
import Testing

/// A meter that sends ten rows a second unasked, and what becomes of its rows until they are read.
private struct UnaskedMeter {
    struct Read {
        var time: Int64
        var measured: [Int64]
        var hasMore = false
    }

    var reads: [Read] = []
    /// The number of rows lost before the row with this number.
    var lost: [Int: Int] = [:]
    private var (clock, rows, quiet) = (1_000.0, 0, 0)
    private var numbers: SeededGenerator

    init(rows count: Int, seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
        while rows < count { next() }
    }

    private mutating func next() {
        clock += 100
        quiet += 1
        // One thing at a time.
        let luck = quiet > 8 && rows > 20 ? Double.random(in: 0..<1, using: &numbers) : 1
        if luck < 0.1 { quiet = 0 }
        switch luck {
        case ..<0.03:
            // A silence; the meter begins anew behind it, not in step.
            let intervals = Int.random(in: 4...40, using: &numbers)
            clock += 100 * Double(intervals - 1) + .random(in: -40...40, using: &numbers)
            lost[rows] = intervals - 1
            deliver(1)
        case ..<0.04:
            // The meter takes its time, and loses nothing.
            clock += .random(in: 110...128, using: &numbers)
            deliver(1)
        case ..<0.06: deliver(1, late: .random(in: 20...120, using: &numbers))
        case ..<0.08: deliver(.random(in: 2...4, using: &numbers), reads: .random(in: 1...2, using: &numbers))
        case ..<0.1:
            deliver(.random(in: 10...50, using: &numbers), reads: .random(in: 1...4, using: &numbers), isStop: true)
        default: deliver(1)
        }
    }

    /// Has `count` rows read together, at the time of the last.
    private mutating func deliver(_ count: Int, late: Double = 0, reads readCount: Int = 1, isStop: Bool = false) {
        var measured = (0..<count).map { Int64(clock) + Int64($0) * 100 }
        clock += 100 * Double(count - 1)
        rows += count
        var time = max(Int64(clock + late + .random(in: 0...12, using: &numbers)), (reads.last?.time ?? 0) + 1)
        for read in (0..<min(readCount, count)).reversed() {
            let part = read == 0 ? measured.count : max(1, measured.count / (read + 2))
            reads.append(Read(time: time, measured: Array(measured.prefix(part)), hasMore: isStop && read > 0))
            measured.removeFirst(part)
            time += 5
        }
    }
}

@Suite struct `The rate of a meter` {
    @Test(arguments: UInt64(0)..<40)
    func `tells every silence to within a row, and nothing else, whatever was late`(seed: UInt64) {
        let meter = UnaskedMeter(rows: 4_000, seed: seed)
        var numbers = SeededGenerator(seed: seed)
        var taken = Taken(of: plainLayout)
        var (wall, steps, measured) = (Int64(1_700_000_000_000), [Int64](), [(measured: Int64, read: Int64)]())
        for read in meter.reads {
            if numbers.chance(0.001) {
                steps.append(numbers.chance(0.5) ? 3_600_000 : -3_600_000)
                wall += steps[steps.count - 1]
            }
            let moment = ReadMoment(steady: read.time, wall: wall + read.time)
            taken.receive(read.measured.map { _ in [5_000] }, by: Reception(moment, hasMore: read.hasMore))
            measured += read.measured.map { ($0, read.time) }
        }
        taken.end()
        let told = taken.marks(.estimated)
        for (row, count) in meter.lost {
            #expect(abs(Int(told[row] ?? 0) - count) <= 1, "before row \(row): \(told[row] ?? 0) for \(count)")
        }
        let alarms = told.keys.filter { meter.lost[$0] == nil }
        #expect(alarms.count <= measured.count / 1_000, "\(alarms)")
        #expect(taken.block.rows.marks.filter { $0.kind == .clock }.map(\.clockStep) == steps)
        #expect(taken.block.rows.marks.allSatisfy { $0.kind == .clock || $0.kind == .estimated })
        #expect(taken.isInOrder)
        let origin: Int64 = taken.block.rows.times[0] - measured[0].read
        var wrong: [Int] = []
        for (index, (time, row)) in zip(taken.block.rows.times, measured).enumerated() {
            let since: Int64 = time - origin
            if since < row.measured - 50 || since > row.read { wrong.append(index) }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    }

    @Test func `is not judged by a clock that was set: the step is a mark, and no row goes back`() {
        var taken = Taken(of: plainLayout)
        for row in 0..<60 {
            let step: Int64 = row < 20 ? 0 : row < 40 ? 3_600_000 : -1_800_000
            taken.receive(
                [[5]], by: Reception(ReadMoment(steady: Int64(row) * 100, wall: 1_000_000 + Int64(row) * 100 + step)))
        }
        let marks = taken.block.rows.marks
        #expect(marks.map(\.kind) == [.clock, .clock] && marks.map(\.row) == [20, 40])
        #expect(marks.map(\.clockStep) == [3_600_000, -5_400_000])
        #expect(taken.block.rows.times == (0..<60).map { 1_000_000 + $0 * 100 })
    }
}

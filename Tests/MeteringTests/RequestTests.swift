import GroundwaveMetering
import GroundwaveSeededNumbers
import Testing

@Suite struct `What the requests tell` {
    private let polled = RowSource(.live, requestMilliseconds: 500)

    @Test(arguments: UInt64(0)..<30)
    func `is exact where answers are lost, repeated and late`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var taken = Taken(of: plainLayout, polled)
        var (missing, repeated) = ([Int: UInt64](), [Int: UInt64]())
        var (rows, lost, twice, quiet, held) = (0, UInt64(0), UInt64(0), 0, nil as Int64?)
        for poll in 0..<2_000 {
            let time = Int64(poll) * 500
            taken.receive([], by: Reception(ReadMoment(time), requestCount: 1))
            // One thing at a time: of two, nobody could tell which was which.
            quiet += 1
            let luck = quiet > 9 && poll > 0 && held == nil ? Double.random(in: 0..<1, using: &numbers) : 1
            if luck < 0.2 { quiet = 0 }
            if luck < 0.08 {
                lost += 1
                continue
            }
            if luck < 0.12 {
                held = Int64(poll)
                continue
            }
            if lost > 0 { missing[rows] = lost }
            if twice > 0 { repeated[rows] = twice }
            (lost, twice) = (0, 0)
            let reception = Reception(ReadMoment(time + 60))
            let answers = (held.map { [[$0]] } ?? []) + [[Int64(poll)]]
            if let held, numbers.chance(0.5) {
                taken.receive([[held]], by: Reception(ReadMoment(time + 30)))
                taken.receive([[Int64(poll)]], by: reception)
            } else {
                taken.receive(answers, by: reception)
            }
            rows += answers.count
            held = nil
            if luck < 0.2 {
                taken.receive([[Int64(poll)]], by: Reception(ReadMoment(time + 65)))
                twice += 1
            }
        }
        taken.end()
        if lost > 0 { missing[rows] = lost }
        if twice > 0 { repeated[rows] = twice }
        #expect(taken.marks(.unanswered) == missing && taken.marks(.repeats) == repeated)
        #expect(taken.block.rows.count == rows && taken.count(.estimated) == 0 && taken.isInOrder)
    }

    @Test func `is a late answer where an idle meter sends equal ones`() {
        var taken = Taken(of: plainLayout, polled)
        for poll in 0..<40 {
            taken.receive([], by: Reception(ReadMoment(Int64(poll) * 500), requestCount: 1))
            if poll == 20 { continue }
            taken.receive(poll == 21 ? [[1], [1]] : [[1]], by: Reception(ReadMoment(Int64(poll) * 500 + 60)))
        }
        #expect(taken.block.rows.count == 40 && taken.block.rows.marks.isEmpty)
    }

    @Test func `is estimated where the host was stopped and asked for nothing`() {
        var taken = Taken(of: plainLayout, polled)
        for poll in Array(0..<20) + Array(30..<40) {
            let reception = Reception(ReadMoment(Int64(poll) * 500 + 60), requestCount: 1)
            taken.receive([[Int64(poll)]], by: reception)
        }
        #expect(taken.marks(.estimated) == [20: 10] && taken.count(.unanswered) == 0)
    }

    @Test func `is one lost answer also where the next one is late`() {
        var taken = Taken(of: plainLayout, polled)
        for poll in 0..<40 {
            taken.receive([], by: Reception(ReadMoment(Int64(poll) * 500), requestCount: 1))
            if poll == 20 { continue }
            let late: Int64 = poll == 21 ? 400 : 60
            taken.receive([[Int64(poll)]], by: Reception(ReadMoment(Int64(poll) * 500 + late)))
        }
        #expect(taken.marks(.unanswered) == [20: 1] && taken.count(.estimated) == 0)
    }

    @Test func `is an answer of the moment it was asked for, where the host was stopped before it read it`() {
        var taken = Taken(of: plainLayout, polled)
        for poll in 0..<40 {
            // Stopped behind request 20, for three seconds.
            let time = Int64(poll) * 500 + (poll > 20 ? 2_600 : 0)
            taken.receive([], by: Reception(ReadMoment(time), requestCount: 1))
            taken.receive([[Int64(poll)]], by: Reception(ReadMoment(time + (poll == 20 ? 3_000 : 60))))
        }
        #expect(taken.marks(.estimated) == [21: 5] && taken.count(.unanswered) == 0)
        #expect(taken.block.rows.times[20] == 10_000 && taken.block.rows.times[21] == 13_160)
    }

    @Test func `is a repeat where an answer comes again with the next one`() {
        var taken = Taken(of: plainLayout, polled)
        for poll in 0..<40 {
            taken.receive([], by: Reception(ReadMoment(Int64(poll) * 500), requestCount: 1))
            let answers = (poll == 20 ? [[Int64(19)]] : []) + [[Int64(poll)]]
            taken.receive(answers, by: Reception(ReadMoment(Int64(poll) * 500 + 60)))
        }
        #expect(taken.marks(.repeats) == [20: 1] && taken.block.rows.count == 40)
        #expect(taken.count(.unanswered) == 0)
    }

    @Test func `is nothing where a meter sends unasked: the rate tells`() {
        var taken = Taken(of: plainLayout, polled)
        for row in Array(0..<100) + Array(110..<150) {
            let count = row % 5 == 0 ? 1 : 0
            taken.receive([[Int64(row)]], by: Reception(ReadMoment(Int64(row) * 100), requestCount: count))
        }
        #expect(taken.marks(.estimated) == [100: 10] && taken.count(.unanswered) == 0)
        #expect(taken.block.rows.count == 140 && taken.count(.repeats) == 0)
    }
}

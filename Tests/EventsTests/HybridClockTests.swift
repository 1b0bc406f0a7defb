import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `The hybrid clock` {
    static let now: Int64 = 1_700_000_000_000

    @Test func `follows the wall clock, and counts within one millisecond`() {
        var clock = HybridClock()
        #expect(clock.tick(wallMilliseconds: Self.now) == Stamp(milliseconds: Self.now, counter: 0))
        #expect(clock.tick(wallMilliseconds: Self.now) == Stamp(milliseconds: Self.now, counter: 1))
        #expect(clock.tick(wallMilliseconds: Self.now + 1) == Stamp(milliseconds: Self.now + 1, counter: 0))
    }

    @Test func `carries a full counter into the milliseconds`() {
        var clock = HybridClock(last: Stamp(milliseconds: Self.now, counter: .max))
        #expect(clock.tick(wallMilliseconds: Self.now) == Stamp(milliseconds: Self.now + 1, counter: 0))
        #expect(clock.tick(wallMilliseconds: Self.now + 1) == Stamp(milliseconds: Self.now + 1, counter: 1))
    }

    @Test func `goes on counting when the wall clock was set back`() {
        var clock = HybridClock(last: Stamp(milliseconds: Self.now, counter: 5))
        #expect(clock.tick(wallMilliseconds: Self.now - 3_600_000) == Stamp(milliseconds: Self.now, counter: 6))
        #expect(clock.tick(wallMilliseconds: 0) == Stamp(milliseconds: Self.now, counter: 7))
        #expect(clock.tick(wallMilliseconds: -1) == Stamp(milliseconds: Self.now, counter: 8))
    }

    @Test(arguments: UInt64(0)..<200)
    func `never goes down, and gives every stamp once, whatever wall clock and peers do`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var clock = HybridClock()
        var wall = Self.now
        var last = Stamp(rawValue: 0)
        for _ in 0..<200 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: wall += Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)
            case 1: wall = [0, -5, Self.now, Self.now + 1].randomElement(using: &generator)!
            case 2:
                let stamp = Stamp(milliseconds: wall + Int64.random(in: -200_000_000...200_000_000, using: &generator))
                let before = clock.last
                let isAdopted = clock.observe(stamp, wallMilliseconds: wall)
                #expect(isAdopted == (stamp.milliseconds <= wall + 86_400_000))
                #expect(clock.last == (isAdopted ? max(before, stamp) : before))
            default:
                let stamp = clock.tick(wallMilliseconds: wall)
                #expect(stamp > last)
                last = stamp
            }
        }
    }

    @Test func `takes over a stamp a day ahead and none beyond, and then stands after it`() {
        var clock = HybridClock()
        let day = Self.now + HybridClock.adoptionBoundMilliseconds
        let isFarAdopted = clock.observe(Stamp(milliseconds: day + 1), wallMilliseconds: Self.now)
        #expect(!isFarAdopted)
        #expect(clock.last == Stamp(rawValue: 0))
        let isNearAdopted = clock.observe(Stamp(milliseconds: day, counter: 3), wallMilliseconds: Self.now)
        #expect(isNearAdopted)
        #expect(clock.tick(wallMilliseconds: Self.now) == Stamp(milliseconds: day, counter: 4))
    }

    @Test func `stands the ends of time`() {
        var clock = HybridClock()
        let isLastAdopted = clock.observe(Stamp(rawValue: .max), wallMilliseconds: .max)
        #expect(isLastAdopted)
        #expect(clock.tick(wallMilliseconds: .max) == Stamp(rawValue: .max))
        #expect(clock.tick(wallMilliseconds: .min) == Stamp(rawValue: .max))
        #expect(Stamp(milliseconds: .max).milliseconds == (1 << 48) - 1)
        #expect(Stamp(milliseconds: -1, counter: 2) == Stamp(rawValue: 2))
        clock = HybridClock()
        let isFirstAdopted = clock.observe(Stamp(milliseconds: 1), wallMilliseconds: .min)
        #expect(!isFirstAdopted)
    }
}

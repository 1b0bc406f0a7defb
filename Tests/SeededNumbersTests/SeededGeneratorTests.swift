import GroundwaveSeededNumbers
import Testing

@Suite struct `Seeded numbers` {
    @Test func `of neighbouring seeds have nothing in common`() {
        var seen: Set<UInt64> = []
        for seed in UInt64(0)..<1_000 {
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<20 { #expect(seen.insert(generator.next()).inserted) }
        }
    }

    // Were they others, every seed that a failure was reported with would be another test.
    @Test func `of a seed are the same on every machine`() {
        var generator = SeededGenerator(seed: 1)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                0x5E41_AB08_7439_611E, 0xF18D_6CE9_3D6C_F1EE, 0x0B95_F66D_327E_8D78,
            ])
    }

    @Test func `come true as often as the chance says`() {
        var generator = SeededGenerator(seed: 2)
        let count = (0..<10_000).count { _ in generator.chance(0.3) }
        #expect((2_850...3_150).contains(count))
        #expect((0..<100).allSatisfy { _ in !generator.chance(0) && generator.chance(1) })
    }

    @Test func `are as many bytes as are asked for, of every value`() {
        var generator = SeededGenerator(seed: 3)
        #expect(generator.bytes(0).isEmpty)
        #expect(Set(generator.bytes(5_000)).count == 256)
    }
}

import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `Sizes of sealed contents` {
    // From the definition in the paper, computed by a program of its own.
    @Test(arguments: [
        (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (7, 7), (8, 8), (9, 10), (15, 16), (16, 16), (17, 18), (31, 32),
        (33, 36), (63, 64), (64, 64), (65, 72), (100, 104), (129, 144), (1000, 1024), (1025, 1088), (4097, 4352),
        (65537, 67584), (1_000_003, 1_015_808), (1_048_577, 1_081_344), (8_388_608, 8_388_608), (8_388_609, 8_650_752),
        (8_388_612, 8_650_752), (2_147_483_649, 2_214_592_512),
    ])
    func `are those of Padmé`(byteCount: Int, padded: Int) { #expect(Padding.size(of: byteCount) == padded) }

    @Test(arguments: UInt64(1)...20)
    func `are never smaller, at most 12 % larger, in order, and stay as they are`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let size = Int.random(in: 0...(1 << Int.random(in: 1...48, using: &numbers)), using: &numbers)
            let padded = Padding.size(of: size)
            #expect(padded >= size && Double(padded - size) <= 0.12 * Double(size), "\(size)")
            #expect(Padding.size(of: padded) == padded && Padding.size(of: max(0, size - 1)) <= padded, "\(size)")
        }
    }
}

import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveSeededNumbers
import Testing

/// Bytes that become shorter, of all lengths that matter.
private func texts(seed: UInt64) -> [[UInt8]] {
    var random = SeededGenerator(seed: seed)
    return [0, 1, 200, 300, 5000, 70_000, 400_000].map { count in
        (0..<count).map { _ in UInt8.random(in: 0..<11, using: &random) }
    }
}

private func compress(_ bytes: [UInt8], level: Int32 = 3) -> [UInt8] {
    bytes.withSpan { Zstd.compress($0, level: level) }
}

private func decompress(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
    try bytes.withSpan { try Zstd.decompress($0, count: count) }
}

@Suite struct `Bytes made shorter` {
    @Test func `come back, and are the same whatever was compressed before them`() throws {
        let texts = texts(seed: 1)
        for level in [Int32(3), 6] {
            let first = texts.map { compress($0, level: level) }
            let again = texts.reversed().map { compress($0, level: level) }
            #expect(first == again.reversed())
            for (text, short) in zip(texts, first) { #expect(try decompress(short, count: text.count) == text) }
        }
    }

    @Test func `are those of whoever asked, also where many ask at once`() async {
        let inputs = (UInt64(1)...8).map { texts(seed: $0) }
        let expected = inputs.map { $0.map { compress($0) } }
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<32 {
                group.addTask {
                    zip(inputs[task % 8], expected[task % 8]).allSatisfy { text, short in
                        compress(text) == short && (try? decompress(short, count: text.count)) == text
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `are refused where they are damaged or of another length, and the next ones are read`() throws {
        let text = texts(seed: 2)[4]
        let short = compress(text)
        for _ in 0..<3 {
            #expect(throws: Zstd.Failure.malformed) { try decompress(Array(short.dropLast()), count: text.count) }
            #expect(throws: Zstd.Failure.malformed) { try decompress([1, 2, 3], count: 3) }
            #expect(throws: Zstd.Failure.malformed) { try decompress(short, count: text.count - 1) }
            #expect(throws: Zstd.Failure.otherLength) { try decompress(short, count: text.count + 1) }
            #expect(try decompress(short, count: text.count) == text)
        }
    }
}

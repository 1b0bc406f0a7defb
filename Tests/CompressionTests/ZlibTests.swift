import GroundwaveCompression
import GroundwaveSeededNumbers
import Testing

private func decompress(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
    try bytes.withSpan { try Zlib.decompress($0, count: count) }
}

@Suite struct `Bytes deflated` {
    @Test(arguments: UInt64(1)...20)
    func `come back, at each level`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for count in [0, 1, 2, 300, 70_000] {
            let text = (0..<count).map { _ in UInt8.random(in: 0..<7, using: &random) }
            for level in Int32(1)...9 {
                let short = text.withSpan { Zlib.compress($0, level: level) }
                #expect(try decompress(short, count: count) == text)
                #expect(text.withSpan { Zlib.compress($0, level: level) } == short)
            }
        }
    }

    @Test func `are refused where they are damaged, cut, longer or of another length`() throws {
        let text = (0..<5000).map { UInt8($0 % 251) }
        let short = text.withSpan { Zlib.compress($0, level: 6) }
        #expect(throws: Zlib.Failure.malformed) { try decompress(Array(short.dropLast()), count: text.count) }
        #expect(throws: Zlib.Failure.malformed) { try decompress(short + [0], count: text.count) }
        #expect(throws: Zlib.Failure.malformed) { try decompress([1, 2, 3], count: 3) }
        #expect(throws: Zlib.Failure.malformed) { try decompress([], count: 3) }
        #expect(throws: Zlib.Failure.otherLength) { try decompress(short, count: text.count - 1) }
        #expect(throws: Zlib.Failure.otherLength) { try decompress(short, count: text.count + 1) }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var changed = short
            changed[Int.random(in: 0..<changed.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            // The checksum in the stream sees it, unless a bit was changed that says nothing.
            if let other = try? decompress(changed, count: text.count) { #expect(other == text) }
        }
    }

    @Test func `have the checksum that is published for them`() {
        #expect(Array("123456789".utf8).withSpan { Zlib.checksum($0) } == 0xCBF4_3926)
        #expect([UInt8]().withSpan { Zlib.checksum($0) } == 0)
    }
}

import GroundwaveCompression
import GroundwaveSeededNumbers
import Testing

@Suite struct `A compressed stream that is read piece by piece` {
    private func inflate(_ bytes: [UInt8], pieces: Int) throws -> [UInt8] {
        let inflater = Inflater()
        var rest = bytes[...]
        var output: [UInt8] = []
        while let piece = try inflater.read(more: {
            defer { rest = rest.dropFirst(pieces) }
            return rest.isEmpty ? nil : Array(rest.prefix(pieces))
        }) {
            #expect(!piece.isEmpty && piece.count <= Inflater.byteCount)
            output += piece
        }
        return output
    }

    @Test(arguments: UInt64(1)...6)
    func `gives what was compressed, however it is cut`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for count in [0, 1, 300, 70_000, 600_000] {
            let text = (0..<count).map { _ in UInt8.random(in: 0..<7, using: &random) }
            let short = text.withSpan { Zlib.compress($0, level: 6) }
            let pieces = Int.random(in: 1...5000, using: &random)
            #expect(try inflate(short, pieces: pieces) == text)
            #expect(try inflate(short + short, pieces: pieces) == text + text)
        }
    }

    @Test func `is refused where it is damaged, cut or followed by other bytes`() throws {
        let text = (0..<50_000).map { UInt8($0 % 251) }
        let short = text.withSpan { Zlib.compress($0, level: 6) }
        for bad in [Array(short.dropLast()), short + [1, 2, 3], [1, 2, 3], Array(short.prefix(20))] {
            #expect(throws: Zlib.Failure.malformed) { try inflate(bad, pieces: 7) }
        }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            var changed = short
            changed[Int.random(in: 0..<changed.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            if let other = try? inflate(changed, pieces: 100) { #expect(other == text) }
        }
    }

    @Test func `gives no more at once than it says, however far it expands`() throws {
        let zeros = [UInt8](repeating: 0, count: 50 << 20)
        let short = zeros.withSpan { Zlib.compress($0, level: 9) }
        #expect(try inflate(short, pieces: short.count).count == zeros.count)
    }
}

import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveRadio

@Suite struct `Lines of a file that arrives in pieces` {
    private struct Line: Equatable {
        var text: [UInt8]
        var range: Range<UInt64>
        var isTooLong = false
    }

    private func read(_ bytes: [UInt8], pieces: Int, limit: Int) -> [Line] {
        var buffer = LineBuffer()
        var lines: [Line] = []
        func take() {
            while let line = buffer.next(limit: limit) {
                lines.append(Line(text: Array(line.bytes), range: line.range, isTooLong: line.isTooLong))
            }
        }
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            buffer.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            take()
        }
        buffer.finish()
        take()
        return lines
    }

    @Test(arguments: UInt64(1)...100)
    func `are those of the whole file, with their places`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...200, using: &numbers)).map { _ in
            [UInt8(ascii: "a"), 0x0A, 0x0D, 0xEF].randomElement(using: &numbers)!
        }
        var (expected, start): ([Line], Int) = ([], 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let next = min(end + 1, bytes.count)
            expected.append(Line(text: Array(bytes[start..<end]), range: UInt64(start)..<UInt64(next)))
            start = next
        }
        #expect(read(bytes, pieces: Int.random(in: 1...40, using: &numbers), limit: 1000) == expected)
    }

    @Test func `that are too long are skipped whole, and the next one is read`() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 5000)
        let lines = read(Array("one\n".utf8) + long + Array("\ntwo".utf8), pieces: 64, limit: 100)
        #expect(
            lines == [
                Line(text: Array("one".utf8), range: 0..<4), Line(text: [], range: 4..<5005, isTooLong: true),
                Line(text: Array("two".utf8), range: 5005..<5008),
            ])
    }

    @Test func `have no byte order mark, which stands at the beginning of a file alone`() {
        let lines = read(Array("\u{FEFF}one\n\u{FEFF}two".utf8), pieces: 1, limit: 100)
        #expect(lines.map(\.text) == [Array("one".utf8), Array("\u{FEFF}two".utf8)])
    }
}

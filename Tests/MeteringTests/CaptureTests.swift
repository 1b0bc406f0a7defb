import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveMetering
import GroundwaveSeededNumbers
import Testing

@Suite struct `What went over the line` {
    private func random(_ numbers: inout SeededGenerator, pieces count: Int) -> Capture {
        var capture = Capture(first: numbers.next() % 1_000_000)
        for _ in 0..<count {
            let time = Int64(bitPattern: numbers.next() % 3 == 0 ? numbers.next() : 1_700_000_000_000)
            let bytes = (0..<numbers.next() % 300).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            capture.append(CapturedBytes(numbers.next() % 2 == 0 ? .received : .sent, at: time, bytes))
        }
        return capture
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `is the same when it comes back from a block`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        var capture = random(&numbers, pieces: Int(numbers.next() % 40) + 1)
        capture.append(CapturedBytes(.received, at: .min, [1]))
        capture.append(CapturedBytes(.sent, at: .max, [2]))
        let block = capture.block
        #expect(block.first == capture.first && block.count == UInt64(capture.byteCount))
        let found = try block.content.withSpan { content in
            try block.summary.withSpan { try Capture(content, summary: $0, first: block.first) }
        }
        #expect(found == capture)
        let split = Int(numbers.next() % UInt64(capture.pieces.count + 1))
        let rest = capture.dropFirst(split)
        #expect(Array(capture.pieces[split...]) == rest.pieces)
        #expect(rest.first + UInt64(rest.byteCount) == capture.first + UInt64(capture.byteCount))
        let end = capture.first + UInt64(capture.byteCount)
        capture.removeAll()
        #expect(capture.first == end && capture.pieces.isEmpty && capture.byteCount == 0)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `is refused where its bytes were changed, or is some other capture, and never ends the process`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let block = random(&numbers, pieces: 12).block
        var (content, summary) = (block.content, block.summary)
        for _ in 0...numbers.next() % 3 {
            if numbers.next() % 3 == 0, !summary.isEmpty {
                summary[Int(numbers.next() % UInt64(summary.count))] = UInt8(truncatingIfNeeded: numbers.next())
            } else if numbers.next() % 4 == 0 {
                content.removeLast(Int(numbers.next() % UInt64(content.count)))
            } else if !content.isEmpty {
                content[Int(numbers.next() % UInt64(content.count))] = UInt8(truncatingIfNeeded: numbers.next())
            }
        }
        let found = content.withSpan { content in
            summary.withSpan { try? Capture(content, summary: $0, first: block.first) }
        }
        if let found { #expect(found.byteCount < 1 << 22) }
    }

    @Test func `that says it becomes enormous is refused before room is taken for it`() throws {
        var content = ByteWriter()
        content.append(varint: 1 << 40)
        let summary: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(throws: ByteCodingError.self) {
            try content.bytes.withSpan { content in
                try summary.withSpan { try Capture(content, summary: $0, first: 0) }
            }
        }
    }
}

import GroundwaveByteCoding
import Testing

@Suite struct `Bytes` {
    @Test(arguments: [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 32, UInt64.max])
    func `a varint comes back as it was written`(value: UInt64) throws {
        var writer = ByteWriter()
        writer.append(varint: value)
        try writer.bytes.withSpan { bytes throws in
            var reader = ByteReader()
            let read = try reader.varint(in: bytes)
            #expect(read == value)
            try reader.finish(in: bytes)
        }
    }

    @Test(arguments: [[0x80], [0x80, 0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], []])
    func `a varint that is cut, padded or too large is refused`(bytes: [UInt8]) {
        bytes.withSpan { span in
            var reader = ByteReader()
            #expect(throws: ByteCodingError.self) { try reader.varint(in: span) }
        }
    }

    @Test func `a length past the end is refused before anything is allocated`() {
        let bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1, 2]
        bytes.withSpan { span in
            var reader = ByteReader()
            #expect(throws: ByteCodingError.truncated(offset: 0, needed: 34_359_738_367, available: 2)) {
                try reader.lengthPrefixed(in: span)
            }
        }
    }

    @Test func `integers, text and lengths come back in order, and what is left over is told`() throws {
        var writer = ByteWriter()
        writer.append(littleEndian: UInt32(0xDEAD_BEEF))
        writer.append(text: "73 de N0CALL – ✓")
        writer.append(lengthPrefixed: [1, 2, 3])
        writer.append(9)
        try writer.bytes.withSpan { bytes throws in
            var reader = ByteReader()
            let number = try reader.uint32(in: bytes)
            let text = try reader.text(in: bytes)
            let range = try reader.lengthPrefixed(in: bytes)
            #expect(number == 0xDEAD_BEEF)
            #expect(text == "73 de N0CALL – ✓")
            #expect(range.count == 3)
            let end = reader
            #expect(throws: ByteCodingError.trailingBytes(offset: end.offset, count: 1)) { try end.finish(in: bytes) }
        }
    }

    @Test func `the byte order of big-endian keys is the order of their numbers`() {
        func key(_ value: UInt64) -> [UInt8] {
            var writer = ByteWriter()
            writer.append(bigEndian: value)
            return writer.bytes
        }
        let values: [UInt64] = [0, 1, 255, 256, 65_535, 1 << 40, .max]
        for (low, high) in zip(values, values.dropFirst()) { #expect(key(low).lexicographicallyPrecedes(key(high))) }
    }
}

@Suite struct `CRC-32C` {
    // RFC 3720, appendix B.4.
    static let published: [([UInt8], UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA), ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        ([UInt8](0..<32), 0x46DD_794E), ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
        ([UInt8]("123456789".utf8), 0xE306_9283),
    ]

    @Test(arguments: published)
    func `the published test vectors come out, by instruction and by table`(bytes: [UInt8], expected: UInt32) {
        bytes.withSpan { span in
            #expect(CRC32C.checksum(span) == expected)
            #expect(CRC32C.portableChecksum(span) == expected)
        }
    }

    @Test func `instruction and table agree at every length, start and split`() {
        let bytes = (0..<257).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        bytes.withSpan { span in
            for start in 0..<9 {
                for end in stride(from: start, through: 257, by: 3) {
                    let part = span.extracting(start..<end)
                    let whole = CRC32C.checksum(part)
                    #expect(whole == CRC32C.portableChecksum(part))
                    let middle = (end - start) / 2
                    let first = CRC32C.checksum(part.extracting(0..<middle))
                    #expect(
                        CRC32C.checksum(part.extracting(middle..<part.byteCount), continuing: first) == whole)
                }
            }
        }
    }
}

@Suite struct `Base32` {
    @Test func `bytes come back from their text, whatever its case and hyphens`() {
        let bytes = [UInt8](0..<16)
        let text = GroundwaveByteCoding.Base32.encode(bytes)
        #expect(text == "000G40R40M30E209185GR38E1W")
        #expect(GroundwaveByteCoding.Base32.decode(text) == bytes)
        #expect(GroundwaveByteCoding.Base32.decode("oo0g-40r40m30e209185gr38e1w") == bytes)
    }

    @Test(arguments: ["U", "000G40R40M30E209185GR38E1Z", "é"])
    func `text that no bytes have is refused`(text: String) { #expect(GroundwaveByteCoding.Base32.decode(text) == nil) }
}

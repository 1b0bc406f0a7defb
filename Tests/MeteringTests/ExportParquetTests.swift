import GroundwaveByteCoding
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

@Suite struct `Rows written as Parquet` {
    @Test func `of the small trace are these bytes`() throws {
        var bytes: [UInt8] = []
        var rows = smallTrace()
        rows.columns[1][3] = -999_999_999_999_999_999
        try written(ParquetRows(gaps: .blank, level: nil), [rows]) { bytes += $0 }
        #expect(bytes.prefix(4).elementsEqual("PAR1".utf8) && bytes.suffix(4).elementsEqual("PAR1".utf8))
        // pyarrow has read these: see Tools/read-exports. Without compression, whose bytes are of a version of libzstd.
        #expect(bytes.count == 1387)
        #expect(bytes.withSpan { CRC32C.checksum($0) } == 3_011_385_956)
    }

    @Test(arguments: UInt64(1)...20)
    func `are the same bytes in whatever pieces they came`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let rows = MadeUpTrace(&numbers, hasDecimals: false).rows
        for gaps in TraceExportOptions.GapPolicy.allCases {
            let writer = ParquetRows(gaps: gaps, pageRowCount: 32, groupRowLimit: 100)
            var (whole, parts) = ([UInt8](), [UInt8]())
            try written(writer, [rows]) { whole += $0 }
            try written(writer, rows.pieces(&numbers)) { parts += $0 }
            #expect(whole == parts)
        }
    }

    @Test func `go out a row group at a time, which ends after so many rows`() throws {
        var numbers = SeededGenerator(seed: 2)
        let rows = meterTrace(&numbers, rowCount: 450)
        var sizes: [Int] = []
        try written(ParquetRows(gaps: .mark, pageRowCount: 50, groupRowLimit: 200), rows.pieces(&numbers)) {
            sizes.append($0.count)
        }
        // The magic word, the nine columns of three groups, the footer.
        #expect(sizes.count == 1 + 3 * 9 + 1)
        #expect(sizes[0] == 4)
    }

    @Test func `are refused where a decimal has more than 18 digits, with the column and the row`() throws {
        var numbers = SeededGenerator(seed: 3)
        var rows = meterTrace(&numbers, rowCount: 20_000)
        rows.columns[1][17_777] = 999_999_999_999_999_999
        #expect(throws: Never.self) { try exported(.parquet, [rows]) }
        for value in [1_000_000_000_000_000_000, -1_000_000_000_000_000_000, Int64.min, .max] {
            rows.columns[1][17_777] = value
            let error = TraceExportError.value("current_A", row: 17_777, reason: "it has more than 18 digits")
            #expect(throws: error) { try exported(.parquet, [rows]) }
        }
        // An integer without decimals is not a decimal.
        rows.columns[1][17_777] = 0
        rows.columns[4][17_777] = .min
        #expect(throws: Never.self) { try exported(.parquet, [rows]) }
    }

    @Test func `with a channel that the file was not begun with are refused`() throws {
        var other = TraceRows(Layout([Channel("x", .none, decimals: 0)]), first: 4)
        (other.times, other.columns) = ([0], [[1]])
        #expect(throws: TraceExportError.layoutChanged(row: 4)) {
            try exported(.parquet, [smallTrace(), other], layout: smallTrace().layout)
        }
    }

    @Test(arguments: UInt64(1)...200)
    func `have packed differences that unpack to the integers`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let count = [0, 1, 2, 31, 32, 33, 34, 128, 129, 130, 1000].randomElement(using: &numbers) ?? 1
        let values = (Signal.allCases.randomElement(using: &numbers) ?? .noise).values(count, &numbers)
        var writer = ByteWriter()
        DeltaBinaryPacked.append(values, to: &writer)
        #expect(try Self.unpacked(writer.bytes) == values)
    }

    // By the description of the encoding alone, a bit at a time.
    private static func unpacked(_ bytes: [UInt8]) throws -> [Int64] {
        try bytes.withSpan { span in
            var reader = ByteReader()
            func zigzag(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(value & 1) }
            let blockLength = Int(try reader.varint(in: span))
            let runCount = Int(try reader.varint(in: span))
            let count = Int(try reader.varint(in: span))
            var values = [zigzag(try reader.varint(in: span))]
            while values.count < count {
                let least = zigzag(try reader.varint(in: span))
                var widths: [Int] = []
                for _ in 0..<runCount { widths.append(Int(try reader.byte(in: span))) }
                for width in widths {
                    let length = blockLength / runCount
                    let range = try reader.skip(length * width / 8, in: span)
                    for index in 0..<length where values.count < count {
                        var rest: UInt64 = 0
                        for bit in 0..<width {
                            let place = index * width + bit
                            rest |= UInt64(bytes[range.lowerBound + place / 8] >> UInt8(place % 8) & 1) << UInt64(bit)
                        }
                        values.append(values[values.count - 1] &+ least &+ Int64(bitPattern: rest))
                    }
                }
            }
            try reader.finish(in: span)
            return count == 0 ? [] : values
        }
    }
}

@Suite struct `A struct of Thrift` {
    @Test func `has the bytes of the compact protocol`() {
        var inner = ThriftStruct()
        inner.set(1, true)
        inner.set(2, false)
        var outer = ThriftStruct()
        outer.set(1, int32: -1)
        outer.set(3, int64: 150)
        outer.set(4, Array("ab".utf8))
        outer.set(5, inner)
        outer.set(6, byte: -128)
        outer.set(7, int32s: [1, 2])
        outer.set(9, texts: Array(repeating: "", count: 16))
        #expect(
            outer.finish() == [
                0x15, 0x01, 0x26, 0xAC, 0x02, 0x18, 0x02, 0x61, 0x62, 0x1C, 0x11, 0x12, 0x00, 0x13, 0x80, 0x19, 0x25,
                0x02, 0x04, 0x29, 0xF8, 0x10,
            ] + [UInt8](repeating: 0, count: 16) + [0])
    }
}

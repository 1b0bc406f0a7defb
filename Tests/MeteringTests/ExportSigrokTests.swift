import GroundwaveByteCoding
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

/// The entries of an archive, by its local headers.
private func sigrokEntries(_ bytes: [UInt8]) throws -> [(name: String, data: [UInt8])] {
    try bytes.withSpan { span in
        var reader = ByteReader()
        var entries: [(String, [UInt8])] = []
        while try reader.uint32(in: span) == 0x0403_4B50 {
            _ = try reader.skip(10, in: span)
            let checksum = try reader.uint32(in: span)
            let count = Int(try reader.uint32(in: span))
            _ = try reader.skip(4, in: span)
            let nameCount = Int(try reader.uint16(in: span))
            _ = try reader.skip(2, in: span)
            let name = String(decoding: bytes[try reader.skip(nameCount, in: span)], as: UTF8.self)
            let data = Array(bytes[try reader.skip(count, in: span)])
            #expect(CRC32.checksum(data) == checksum)
            entries.append((name, data))
        }
        return entries
    }
}

/// The samples of a channel, counted from 1, of a session.
func sigrokSamples(_ bytes: [UInt8], channel: Int) throws -> [Float] {
    let data = try sigrokEntries(bytes).filter { $0.name.hasPrefix("analog-1-\(channel)-") }.flatMap(\.data)
    return stride(from: 0, to: data.count, by: 4).map { place in
        Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(data[place + $1]) << UInt32(8 * $1) })
    }
}

@Suite struct `Rows written for sigrok` {
    private static let layout = Layout([Channel("voltage", .volt, decimals: 1), Channel("mode", .none, decimals: 0)])

    private static func rows(_ times: [Int64], _ voltages: [Int64], _ marks: [Mark] = []) -> TraceRows {
        var rows = TraceRows(layout, first: 0)
        (rows.times, rows.columns, rows.marks) = (times, [voltages, voltages.map { _ in 1 }], marks)
        return rows
    }

    @Test func `are means of intervals, held where nothing came and no number where rows are missing`() throws {
        let rows = Self.rows(
            [1_050, 1_070, 1_110, 1_400, 1_710], [10, 20, 30, 40, 50], [Mark(.gap, before: 4, count: 2)])
        let bytes = try exported(.sigrok, [rows]) { $0.bucketMilliseconds = 100 }
        let entries = try sigrokEntries(bytes)
        #expect(entries.map(\.name) == ["version", "metadata", "analog-1-1-1", "analog-1-2-1"])
        #expect(entries[0].data == Array("2".utf8))
        #expect(
            String(decoding: entries[1].data, as: UTF8.self) == """
                [global]
                sigrok version=0.5.2

                [device 1]
                samplerate=10 Hz
                total analog=2
                analog1=voltage_V
                analog2=mode

                """)
        let samples = try sigrokSamples(bytes, channel: 1)
        #expect(samples.prefix(5) == [1.5, 3, 3, 3, 4])
        #expect(samples[5].isNaN && samples[6].isNaN)
        #expect(samples.dropFirst(7) == [5])
        #expect(bytes.count == 574)
        #expect(bytes.withSpan { CRC32C.checksum($0) } == 2_849_309_200)
    }

    @Test(arguments: UInt64(1)...20)
    func `are the same bytes in whatever pieces they came`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let rows = MadeUpTrace(&numbers, times: 1_777_000_000_000...1_777_000_005_000).rows
        let interval = [1, 2, 500, 1000].randomElement(using: &numbers)
        let whole = try exported(.sigrok, [rows]) { $0.bucketMilliseconds = interval }
        #expect(try exported(.sigrok, rows.pieces(&numbers)) { $0.bucketMilliseconds = interval } == whole)
        #expect(try sigrokSamples(whole, channel: 1).count == sigrokSamples(whole, channel: rows.columns.count).count)
    }

    @Test func `are written a chunk at a time`() throws {
        let times = (0..<650).map { Int64($0) }
        var bytes: [UInt8] = []
        try written(SigrokRows(milliseconds: 1, chunkSampleCount: 300), [Self.rows(times, times)]) { bytes += $0 }
        let names = try sigrokEntries(bytes).map(\.name)
        #expect(names.dropFirst(2) == (1...3).flatMap { ["analog-1-1-\($0)", "analog-1-2-\($0)"] }[...])
        #expect(try sigrokSamples(bytes, channel: 1) == times.map { Float($0) / 10 })
    }

    @Test func `are refused without an interval, or with one that is no rate`() throws {
        #expect(throws: TraceExportError.self) { try exported(.sigrok, [Self.rows([0], [0])]) }
        for interval in [3, 7, 1001, 2000, 0, -1] {
            #expect(throws: TraceExportError.self) {
                try exported(.sigrok, [Self.rows([0], [0])]) { $0.bucketMilliseconds = interval }
            }
        }
    }

    @Test func `are refused before they are written where they are too many`() throws {
        let rows = Self.rows([0, 4_000_000_000_000], [1, 2])
        let error = #expect(throws: TraceExportError.self) {
            try exported(.sigrok, [rows]) { $0.bucketMilliseconds = 1000 }
        }
        #expect("\(error.map(String.init(describing:)) ?? "")".contains("4 GiB"))
    }

    @Test func `that are none are a session without samples`() throws {
        let bytes = try exported(.sigrok, [], layout: Self.layout) { $0.bucketMilliseconds = 1 }
        #expect(try sigrokEntries(bytes).map(\.name) == ["version", "metadata"])
    }

    @Test func `have the checksum of ZIP`() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }
}

import Foundation
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

@Suite struct `Rows written as CSV` {
    static let golden = """
        time,tick_1000Hz_mod65536,missing,repeats,voltage_V,current_A,mode\r
        2026-05-01T12:00:00.000Z,65530,0,0,1.2345,-0.005,0\r
        2026-05-01T12:00:00.040Z,65570,39,0,5.0000,1.000,1\r
        2026-05-01T12:00:00.040Z,65571,0,0,-0.0001,0.999,2\r
        2026-04-30T12:00:00.999Z,65572,0,2,0.0000,-9223372036854775.808,3\r

        """

    @Test func `have their columns, their times and all their decimals`() throws {
        #expect(try exportedText(.csv, [smallTrace()]) == Self.golden)
    }

    @Test func `have a line for each marker, which is read back, and none without markers`() throws {
        let markers = [
            TraceExportOptions.Marker(time: 1_777_636_800_000, text: "begin, \"here\""),
            TraceExportOptions.Marker(time: 1_777_636_800_030, text: "two\nlines"),
            TraceExportOptions.Marker(time: 1_777_636_900_000, text: "=1+1"),
        ]
        let text = try exportedText(.csv, [smallTrace()]) { $0.markers = markers }
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines[0] == "time,tick_1000Hz_mod65536,missing,repeats,voltage_V,current_A,mode,marker_text")
        #expect(lines[1] == "2026-05-01T12:00:00.000Z,,0,0,,,,\"begin, \"\"here\"\"\"")
        #expect(lines[2] == "2026-05-01T12:00:00.000Z,65530,0,0,1.2345,-0.005,0,")
        #expect(lines[3] == "2026-05-01T12:00:00.030Z,,0,0,,,,\"two lines\"")
        #expect(lines[7] == "2026-05-01T12:01:40.000Z,,0,0,,,,\"=1+1\"" && lines.count == 9)
        var reader = CSVTraceReader(first: 7)
        var read: [TraceRows] = []
        for byte in text.utf8 { read += try reader.append([byte]) }
        try reader.finish()
        #expect(read.reduce(0) { $0 + $1.count } == 4)
        #expect(reader.markers.map(\.text) == ["begin, \"here\"", "two lines", "=1+1"])
        #expect(reader.markers.map(\.time) == markers.map(\.time))
        for wrong in ["x", "\"", "\"x", "x\""] {
            var reader = CSVTraceReader()
            let line = "time,missing,repeats,mode,marker_text\n2026-05-01T12:00:00.000Z,0,0,,\(wrong)\n"
            #expect(throws: CSVTraceError(line: 2, reason: .marker)) { try reader.append(Array(line.utf8)) }
        }
    }

    @Test func `say in an empty row what is missing, where that is asked for`() throws {
        let text = try exportedText(.csv, [smallTrace()]) { $0.gaps = .blank }
        let lines = text.split(separator: "\r\n")
        #expect(lines[2] == "2026-05-01T12:00:00.040Z,,39,0,,,")
        #expect(lines[3] == "2026-05-01T12:00:00.040Z,65570,0,0,5.0000,1.000,1")
        #expect(lines.count == 6)
    }

    @Test(arguments: UInt64(1)...200)
    func `are read back as they were, in whatever pieces they are written and read`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let trace = MadeUpTrace(&numbers)
        let whole = try exported(.csv, [trace.rows])
        #expect(try exported(.csv, trace.rows.pieces(&numbers)) == whole)
        let length = Int.random(in: 1...4000, using: &numbers)
        #expect(try rows(ofCSV: whole, pieceLength: length) == trace.rows)
        let blank = try exported(.csv, [trace.rows]) { $0.gaps = .blank }
        #expect(try rows(ofCSV: blank, pieceLength: length) == trace.rows)
    }

    @Test func `that are none are a first line, and read back as their layout but for the decimals`() throws {
        let layout = Layout([Channel("d+", .volt, decimals: 2)], tick: .init(hertz: 1, modulus: 1))
        let bytes = try exported(.csv, [], layout: layout)
        #expect(String(decoding: bytes, as: UTF8.self) == "time,tick_1Hz_mod1,missing,repeats,d+_V\r\n")
        let rows = try rows(ofCSV: bytes)
        #expect(rows?.layout == Layout([Channel("d+", .volt, decimals: 0)], tick: layout.tick))
        #expect(rows?.count == 0)
    }

    @Test func `with a clock that is wrong by ages are read back`() throws {
        var rows = TraceRows(Layout([Channel("x", .none, decimals: 0)]), first: 0)
        rows.times = [
            .min, .max, -62_167_219_200_001, -62_167_219_200_000, 253_402_300_799_999, 253_402_300_800_000, -1,
        ]
        rows.columns = [Array(repeating: 0, count: rows.times.count)]
        let text = try exportedText(.csv, [rows])
        #expect(
            text.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != "," } } == [
                "-292275055-05-16T16:47:04.192Z", "+292278994-08-17T07:12:55.807Z", "-000001-12-31T23:59:59.999Z",
                "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "+010000-01-01T00:00:00.000Z",
                "1969-12-31T23:59:59.999Z",
            ])
        #expect(try readBack(text) == rows)
    }

    private func readBack(_ text: String) throws -> TraceRows? { try rows(ofCSV: Array(text.utf8)) }

    @Test func `that lack channels and the counter have empty fields, and decimals as the others`() throws {
        var other = TraceRows(Layout([Channel("voltage", .volt, decimals: 2)]), first: 11)
        (other.times, other.columns) = ([0], [[1]])
        let text = try exportedText(.csv, [smallTrace(), other])
        #expect(text == Self.golden + "1970-01-01T00:00:00.000Z,,0,0,0.0100,,\r\n")
        #expect(try runs(ofCSV: Array(text.utf8)).rows.map(\.count) == [4, 1])
    }

    @Test func `with a channel that the file was not begun with are refused, with their number`() throws {
        var other = TraceRows(Layout([Channel("power", .watt, decimals: 2)]), first: 11)
        (other.times, other.columns) = ([0], [[1]])
        #expect(throws: TraceExportError.layoutChanged(row: 11)) {
            try exported(.csv, [smallTrace(), other], layout: smallTrace().layout)
        }
    }

    @Test(arguments: [
        ([Channel("a_b", .none, decimals: 0)], "a name is"), ([Channel("a,b", .none, decimals: 0)], "a name is"),
        ([Channel("missing", .none, decimals: 0)], "two columns called missing"),
        ([Channel("x", .volt, decimals: 0), Channel("x", .volt, decimals: 1)], "two columns called x_V"),
        ([Channel("x", .volt, decimals: 10)], "10 decimals"),
    ]) func `with columns that could not be told apart are refused`(channels: [Channel], reason: String) {
        let layout = Layout(channels)
        let error = #expect(throws: TraceExportError.self) { try exported(.csv, [], layout: layout) }
        #expect("\(error.map(String.init(describing:)) ?? "")".contains(reason))
    }
}

@Suite struct `A reader of CSV` {
    private static let head = "time,missing,repeats,voltage_V,mode\r\n"
    private static let row = "2026-05-01T12:00:00.000Z,0,0,1.25,3\r\n"

    @Test(
        arguments: [
            ("", 1, .missingColumn(found: "nothing", expected: "time")),
            ("zeit,missing,repeats,a\n", 1, .missingColumn(found: "zeit", expected: "time")),
            ("time,missing,a\n", 1, .missingColumn(found: "a", expected: "repeats")),
            ("time,missing,repeats\n", 1, .channelCount(0, limit: 61)),
            ("time,missing,repeats,a_V,a_V\n", 1, .duplicateColumn("a_V")),
            ("time,missing,repeats,time\n", 1, .duplicateColumn("time")),
            ("time,missing,repeats,a_parsec\n", 1, .unknownUnit("parsec")),
            ("time,missing,repeats,a_\n", 1, .unknownUnit("nothing")),
            ("time,missing,repeats,\"a\"\n", 1, .columnName("\"a\"")),
            (
                "time,tick_01Hz_mod5,missing,repeats,a\n", 1,
                .missingColumn(found: "tick_01Hz_mod5", expected: "missing")
            ),
            (head + "2026-05-01T12:00:00.000Z,0,0,1.25\r\n", 2, .fieldCount(4, expected: 5)),
            (head + row + "2026-05-01T12:00:00.000Z,0,0,1.25,3,\r\n", 3, .fieldCount(6, expected: 5)),
            (head + row + "\r\n", 3, .fieldCount(1, expected: 5)),
            (head + "2026-02-30T12:00:00.000Z,0,0,1.25,3\n", 2, .time("2026-02-30T12:00:00.000Z")),
            (head + "2026-05-01 12:00:00.000Z,0,0,1.25,3\n", 2, .time("2026-05-01 12:00:00.000Z")),
            (head + "+292278994-08-17T07:12:55.808Z,0,0,1.25,3\n", 2, .time("+292278994-08-17T07:12:55.808Z")),
            (
                head + row + "2026-05-01T12:00:00.000Z,0,0,1.250,3\r\n", 3,
                .decimals(column: "voltage_V", found: 3, expected: 2)
            ),
            (
                head + row + "2026-05-01T12:00:00.000Z,0,0,1.25,3.0\r\n", 3,
                .decimals(column: "mode", found: 1, expected: 0)
            ),
            (
                head + "2026-05-01T12:00:00.000Z,0,0,0.1234567890,3\r\n", 2,
                .decimals(column: "voltage_V", found: 10, expected: 9)
            ),
            (head + "2026-05-01T12:00:00.000Z,0,0,1e5,3\r\n", 2, .number(column: "voltage_V", "1e5")),
            (head + "2026-05-01T12:00:00.000Z,0,0,01.2,3\r\n", 2, .number(column: "voltage_V", "01.2")),
            (head + "2026-05-01T12:00:00.000Z,0,0,-0.0,3\r\n", 2, .number(column: "voltage_V", "-0.0")),
            (head + "2026-05-01T12:00:00.000Z,0,0,.5,3\r\n", 2, .number(column: "voltage_V", ".5")),
            (head + "2026-05-01T12:00:00.000Z,0,0,5.,3\r\n", 2, .number(column: "voltage_V", "5.")),
            (head + "2026-05-01T12:00:00.000Z,0,-1,5.0,3\r\n", 2, .number(column: "repeats", "-1")),
            (head + "2026-05-01T12:00:00.000Z,0,,5.0,3\r\n", 2, .number(column: "repeats", "nothing")),
            (
                head + "2026-05-01T12:00:00.000Z,0,0,5.0,9223372036854775808\r\n", 2,
                .overflow(column: "mode", "9223372036854775808")
            ),
            (
                head + "2026-05-01T12:00:00.000Z,0,0,5.0,-92233720368547758080\r\n", 2,
                .overflow(column: "mode", "-92233720368547758080")
            ),
            (
                head + "2026-05-01T12:00:00.000Z,18446744073709551616,0,5.0,3\r\n", 2,
                .overflow(column: "missing", "18446744073709551616")
            ),
            (head + "2026-05-01T12:00:00.000Z,0,0,,\r\n", 2, .gapRow),
            (head + "2026-05-01T12:00:00.001Z,4,0,,\r\n" + row, 3, .gapRow),
            (head + "2026-05-01T12:00:00.000Z,4,0,,\r\n", 3, .gapRow),
            (head + row + "2026-05-01T12:00:00.000Z,0,0,1.25,3", 3, .lineNotEnded),
            (String(repeating: "a", count: 70_000), 1, .lineTooLong(limit: 65_536)),
            (head + String(repeating: "0", count: 65_536) + "\n", 2, .lineTooLong(limit: 65_536)),
        ] as [(String, UInt64, CSVTraceError.Reason)])
    func `refuses what is not of our writing, with its line`(
        text: String, line: UInt64, reason: CSVTraceError.Reason
    ) throws {
        for length in [1, 7, Int.max] {
            #expect(throws: CSVTraceError(line: line, reason: reason)) {
                try rows(ofCSV: Array(text.utf8), pieceLength: length)
            }
        }
    }

    @Test func `takes lines that end with LF alone`() throws {
        let text = `Rows written as CSV`.golden.replacing("\r\n", with: "\n")
        let rows = try rows(ofCSV: Array(text.utf8))
        #expect(rows?.columns == smallTrace().columns)
        #expect(rows?.marks == smallTrace().marks.filter { $0.kind != .rate })
    }

    @Test(arguments: UInt64(1)...60)
    func `of changed bytes refuses them or reads other rows, and writes those back as they stand`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let bytes = try exported(.csv, [MadeUpTrace(&numbers, rowCount: 20).rows])
        for _ in 0..<100 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 0..<changed.count, using: &numbers)
                switch Int.random(in: 0...2, using: &numbers) {
                case 0: changed[place] = Array("0123456789.,-+TZ:\r\n_VA".utf8).randomElement(using: &numbers) ?? 0
                case 1: changed.remove(at: place)
                default: changed[place] = UInt8.random(in: 0...255, using: &numbers)
                }
            }
            guard let (rows, layout) = try? runs(ofCSV: changed, pieceLength: 300) else { continue }
            let again = try exported(.csv, rows, layout: layout)
            let blank = try exported(.csv, rows, layout: layout) { $0.gaps = .blank }
            func plain(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { $0 != 0x0D } }
            #expect(plain(again) == plain(changed) || plain(blank) == plain(changed))
        }
    }
}

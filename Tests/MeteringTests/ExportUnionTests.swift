import GroundwaveByteCoding
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

/// What a KM003C sends if somebody asks it between its queue frames: samples with a counter, and a reading without one.
func mixedTrace() -> [TraceRows] {
    let queue = Layout(
        [Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3)],
        tick: .init(hertz: 1000, modulus: 65_536))
    let reading = Layout([Channel("voltage", .volt, decimals: 4), Channel("temperature", .celsius, decimals: 2)])
    var first = TraceRows(queue, first: 0)
    (first.times, first.ticks) = ([1_777_636_800_000, 1_777_636_800_001], [10, 11])
    first.columns = [[5_000, 5_001], [100, 101]]
    var second = TraceRows(reading, first: 2)
    (second.times, second.columns) = ([1_777_636_800_001], [[50_015], [2_150]])
    second.marks = [Mark(.repeats, before: 0, count: 1)]
    var third = TraceRows(queue, first: 3)
    (third.times, third.ticks) = ([1_777_636_800_005], [15])
    (third.columns, third.marks) = ([[5_002], [102]], [Mark(.gap, before: 0, count: 3)])
    return [first, second, third]
}

@Suite struct `Rows of several layouts` {
    private static let csv = """
        time,tick_1000Hz_mod65536,missing,repeats,voltage_V,current_A,temperature_C\r
        2026-05-01T12:00:00.000Z,10,0,0,5.0000,0.100,\r
        2026-05-01T12:00:00.001Z,11,0,0,5.0010,0.101,\r
        2026-05-01T12:00:00.001Z,,0,1,5.0015,,21.50\r
        2026-05-01T12:00:00.005Z,15,3,0,5.0020,0.102,\r

        """

    @Test func `are one table of CSV with empty fields, and come back with their channels`() throws {
        let text = try exportedText(.csv, mixedTrace())
        #expect(text == Self.csv)
        let (rows, layout) = try runs(ofCSV: Array(text.utf8), pieceLength: 50)
        let union = try #require(mixedTrace()[0].layout.union(mixedTrace()[1].layout))
        #expect(layout == union)
        #expect(rows.map(\.layout.channels.count) == [2, 2, 2] && rows.map(\.first) == [0, 2, 3])
        #expect(rows.map { $0.layout.tick == nil } == [false, true, false])
        #expect(rows.map(\.marks) == mixedTrace().map(\.marks))
        #expect(rows[1].columns == mixedTrace()[1].columns && rows[2].columns == [[50_020], [102]])
        #expect(try exportedText(.csv, rows, layout: layout) == text)
    }

    @Test func `leave out keys of NDJSON and fields of InfluxDB`() throws {
        let lines = try exportedText(.ndjson, mixedTrace()).split(separator: "\n")
        #expect(
            lines[2...] == [
                #"{"time":"2026-05-01T12:00:00.001Z","missing":0,"repeats":1,"voltage_V":5.0015,"temperature_C":21.50}"#,
                #"{"time":"2026-05-01T12:00:00.005Z","tick_1000Hz_mod65536":15,"missing":3,"repeats":0,"voltage_V":5.0020,"current_A":0.102}"#,
            ])
        let points = try exportedText(.influx, mixedTrace()).split(separator: "\n")
        #expect(
            points[1...] == [
                "meter voltage_V=5.0010,current_A=0.101 1777636800001000000",
                "meter voltage_V=5.0015,temperature_C=21.50 1777636800001001000",
                "meter voltage_V=5.0020,current_A=0.102 1777636800005000000",
            ])
        #expect(
            try exportedText(.influx, mixedTrace()) { $0.channels = ["temperature"] }
                == "meter temperature_C=21.50 1777636800001000000\n")
    }

    @Test func `are one file for the channels that are named, without the rows that have none of them`() throws {
        #expect(
            try exportedText(.csv, mixedTrace()) { $0.channels = ["current"] } == """
                time,tick_1000Hz_mod65536,missing,repeats,current_A\r
                2026-05-01T12:00:00.000Z,10,0,0,0.100\r
                2026-05-01T12:00:00.001Z,11,0,0,0.101\r
                2026-05-01T12:00:00.005Z,15,3,1,0.102\r

                """)
        let error = TraceExportError.unknownChannel("power", available: ["voltage", "current", "temperature"])
        #expect(throws: error) { try exported(.csv, mixedTrace()) { $0.channels = ["current", "power"] } }
        // Rows that are left out count too: each third one is the first of these and the fourth.
        let every = try exportedText(.csv, mixedTrace()) { ($0.channels, $0.every) = (["current"], 3) }
        #expect(every.split(separator: "\r\n").dropFirst().map { $0.suffix(9) } == ["0,0,0.100", "3,1,0.102"])
    }

    @Test func `are refused where a name has two units or there are two counters, but for other channels`() throws {
        var other = mixedTrace()[1]
        other = TraceRows(
            Layout([Channel("voltage", .volt, decimals: 4), Channel("current", .none, decimals: 2)]), first: 2)
        (other.times, other.columns) = ([1_777_636_800_001], [[50_015], [2_150]])
        let pieces = [mixedTrace()[0], other]
        for format in [TraceExportFormat.csv, .parquet] {
            let error = #expect(throws: TraceExportError.self) { try exported(format, pieces) }
            #expect("\(error.map(String.init(describing:)) ?? "")".contains("current_A, others as current"))
            #expect(throws: Never.self) { try exported(format, pieces) { $0.channels = ["voltage"] } }
        }
        // A format that names the channels of each row has both.
        let lines = try exportedText(.ndjson, pieces).split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains("current_A") && lines[2].contains("\"current\":21.50"))
        var faster = TraceRows(Layout(mixedTrace()[0].layout.channels, tick: .init(hertz: 50, modulus: 9)), first: 2)
        (faster.times, faster.ticks, faster.columns) = ([0], [1], [[1], [1]])
        #expect(throws: TraceExportError.self) { try exported(.csv, [mixedTrace()[0], faster]) }
    }

    @Test func `are refused where a value with the decimals of others exceeds 64 bits, with its row`() throws {
        var pieces = mixedTrace()
        pieces[2].columns[0] = [.max / 10 + 1]
        let error = TraceExportError.value(
            "voltage_V", row: 3, reason: "with the decimals of other rows it exceeds 64 bits")
        #expect(throws: error) { try exported(.csv, pieces) }
        pieces[2].columns[0] = [.max / 10]
        #expect(throws: Never.self) { try exported(.csv, pieces) }
    }

    @Test func `have means over the rows that have the channel, and none where no row has it`() throws {
        #expect(
            try exportedText(.csv, mixedTrace()) { $0.bucketMilliseconds = 1 } == """
                time,missing,repeats,voltage_V,current_A,temperature_C\r
                2026-05-01T12:00:00.000Z,0,0,5.0000,0.100,\r
                2026-05-01T12:00:00.001Z,0,1,5.0012,0.101,21.50\r
                2026-05-01T12:00:00.005Z,3,0,5.0020,0.102,\r

                """)
    }

    @Test func `are held in a session of sigrok, and no number before the first`() throws {
        let bytes = try exported(.sigrok, mixedTrace()) { $0.bucketMilliseconds = 1 }
        func samples(_ channel: Int) throws -> [Float] { try sigrokSamples(bytes, channel: channel) }
        #expect(try samples(1).prefix(2) == [5, 5.00125] && samples(2).prefix(2) == [0.1, 0.101])
        #expect(try samples(3)[0].isNaN && samples(3)[1] == 21.5)
        var held = mixedTrace()
        held[2].marks = []
        let whole = try exported(.sigrok, held) { $0.bucketMilliseconds = 1 }
        #expect(try sigrokSamples(whole, channel: 3).dropFirst() == [21.5, 21.5, 21.5, 21.5, 21.5])
    }

    @Test func `keep their numbers where rows that have no channel are left out`() throws {
        var options = TraceExportOptions()
        options.channels = ["current"]
        let table = try joined(mixedTrace())
        var selection = try RowSelection(table.layout, options)
        let rows = try selection.select(table)
        #expect((0..<rows.count).map { rows.number(of: $0) } == [0, 1, 3] && rows.columns == [[100, 101, 102]])
        #expect(rows.notes == [.init(row: 2, missing: 3, repeats: 1)])
    }

    @Test func `may be null in Parquet, where columns of one layout are not`() throws {
        // The nulls themselves are read by pyarrow: Tools/read-exports.
        #expect(try UnionOfLayouts(of: mixedTrace().map(\.layout), TraceExportOptions()).mayLack)
        #expect(try !UnionOfLayouts(of: [smallTrace().layout], TraceExportOptions()).mayLack)
        var options = TraceExportOptions()
        (options.channels, options.bucketMilliseconds) = (["voltage"], 1)
        #expect(try !UnionOfLayouts(of: mixedTrace().map(\.layout), options).mayLack)
    }

    @Test func `are refused in Parquet with the row of a decimal that is too long, nulls and gap rows aside`() throws {
        var pieces = mixedTrace()
        pieces[2].columns[1] = [1_000_000_000_000_000_000]
        for gaps in TraceExportOptions.GapPolicy.allCases {
            let error = TraceExportError.value("current_A", row: 3, reason: "it has more than 18 digits")
            #expect(throws: error) { try exported(.parquet, pieces) { $0.gaps = gaps } }
        }
    }

    /// Names of three channels, in layouts of some of them.
    private static func pieces(_ numbers: inout SeededGenerator) -> [TraceRows] {
        var (pieces, first, time) = ([TraceRows](), UInt64(0), Int64(1_777_636_800_000))
        let tick = Layout.Tick(hertz: 1000, modulus: 65_536)
        for _ in 0..<Int.random(in: 1...8, using: &numbers) {
            let names = ["a", "b", "c"].filter { _ in numbers.chance(0.6) }
            let layout = Layout(
                (names.isEmpty ? ["b"] : names).map {
                    Channel($0, .volt, decimals: Int.random(in: 0...4, using: &numbers))
                }, tick: numbers.chance(0.5) ? tick : nil)
            var rows = TraceRows(layout, first: first)
            for row in 0..<Int.random(in: 1...30, using: &numbers) {
                time += Int64.random(in: 0...9, using: &numbers)
                rows.times.append(time)
                if layout.tick != nil { rows.ticks.append(time) }
                for column in rows.columns.indices {
                    rows.columns[column].append(Int64.random(in: -9_999...9_999, using: &numbers))
                }
                if numbers.chance(0.1) { rows.marks.append(Mark(.gap, before: row, count: 2)) }
            }
            first += UInt64(rows.count)
            pieces.append(rows)
        }
        return pieces
    }

    @Test(arguments: UInt64(1)...60)
    func `are the values of each row, scaled, and nothing else`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let pieces = Self.pieces(&numbers)
        let layout = try pieces.reduce(pieces[0].layout) { try #require($0.union($1.layout)) }
        let (rows, found) = try runs(ofCSV: exported(.csv, pieces), pieceLength: 777)
        #expect(found == layout)
        /// Each row as its values by name in units of ten to the minus nine, its counter, and its missing rows.
        func said(_ pieces: [TraceRows]) -> [[String: Int64]] {
            pieces.flatMap { piece in
                (0..<piece.count).map { row in
                    var said = ["time": piece.times[row]]
                    if piece.layout.tick != nil { said["tick"] = piece.ticks[row] }
                    for mark in piece.marks where mark.row == row { said["missing"] = Int64(mark.count) }
                    for (channel, column) in zip(piece.layout.channels, piece.columns) {
                        said[channel.name] = (channel.decimals..<9).reduce(column[row]) { value, _ in value * 10 }
                    }
                    return said
                }
            }
        }
        #expect(said(rows) == said(pieces))
        // So are those of one table with the patterns of its rows, and the pieces may be cut anywhere.
        let table = try joined(pieces)
        for format in [TraceExportFormat.csv, .ndjson, .influx, .parquet] {
            #expect(try exported(format, [table]) == exported(format, pieces))
        }
        var some = layout.channels.filter { _ in numbers.chance(0.5) }.map(\.name)
        // A table has its counter, also if no row with these channels has it.
        let ticks = pieces.filter { $0.layout.channels.contains { some.contains($0.name) } }.map(\.layout.tick)
        if ticks.allSatisfy({ $0 == nil }) { some = [] }
        for (every, bucket) in [(1, nil), (3, nil), (1, 20), (2, 15)] as [(Int, Int?)] {
            func change(_ options: inout TraceExportOptions) {
                (options.every, options.bucketMilliseconds, options.channels) = (
                    every, bucket, some.isEmpty ? nil : some
                )
            }
            #expect(try exported(.csv, [table], change) == exported(.csv, pieces, change))
        }
        #expect(
            try exported(.sigrok, [table]) { $0.bucketMilliseconds = 2 }
                == exported(.sigrok, pieces) { $0.bucketMilliseconds = 2 })
        let cut = pieces.flatMap { $0.pieces(&numbers) }.filter { $0.count > 0 }
        for format in [TraceExportFormat.csv, .ndjson, .influx, .parquet] {
            #expect(try exported(format, cut) == exported(format, pieces))
        }
        #expect(
            try exported(.sigrok, cut) { $0.bucketMilliseconds = 2 }
                == exported(.sigrok, pieces) { $0.bucketMilliseconds = 2 })
        #expect(
            try exported(.csv, cut) { ($0.bucketMilliseconds, $0.every) = (20, 3) }
                == exported(.csv, pieces) { ($0.bucketMilliseconds, $0.every) = (20, 3) })
    }

    @Test func `are counted where they are written`() throws {
        var options = TraceExportOptions()
        options.channels = ["temperature"]
        var writer = try TraceWriter(.csv, options: options)
        try writer.begin(unionOf: mixedTrace().map(\.layout)) { _ in }
        for piece in mixedTrace() { try writer.append(piece) { _ in } }
        #expect(try writer.finish { _ in } == .init(rows: 1, missing: 0, repeats: 1, missingBehind: 3))
    }
}

import Foundation
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

/// Files for `Tools/read-exports`, which has other programs read them.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["GROUNDWAVE_EXPORTS"] != nil))
struct `Files of exports` {
    private let folder = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["GROUNDWAVE_EXPORTS"] ?? "", isDirectory: true)

    private func write(
        _ name: String, _ format: TraceExportFormat, _ pieces: [TraceRows],
        _ change: (inout TraceExportOptions) -> Void = { _ in }
    ) throws {
        let url = folder.appendingPathComponent("\(name).\(format.fileExtension)")
        try Data(exported(format, pieces, change)).write(to: url)
    }

    /// The integers as they are: names and decimals, then time, counter or `-`, missing, repeats and values of each row.
    private func writeIntegers(_ name: String, _ rows: TraceRows) throws {
        var text = rows.layout.channels.map { "\(ColumnNames.column($0)) \($0.decimals)" }.joined(separator: ",") + "\n"
        var missing: [Int: UInt64] = [:]
        var repeats: [Int: UInt64] = [:]
        for mark in rows.marks where mark.kind == .gap { missing[mark.row] = mark.count }
        for mark in rows.marks where mark.kind == .repeats { repeats[mark.row] = mark.count }
        for row in 0..<rows.count {
            let tick = rows.ticks.isEmpty ? "-" : String(rows.ticks[row])
            let values = rows.columns.map { String($0[row]) }.joined(separator: " ")
            text += "\(rows.times[row]) \(tick) \(missing[row] ?? 0) \(repeats[row] ?? 0) \(values)\n"
        }
        try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).integers"))
    }

    private func writeExports(_ name: String, _ pieces: [TraceRows]) throws {
        for format in [TraceExportFormat.csv, .ndjson, .parquet] {
            try write(name, format, pieces)
            try write("\(name)-blank", format, pieces) { $0.gaps = .blank }
        }
        try write(name, .influx, pieces) { $0.series = .init(measurement: "usb meter", meter: "a=b, c", trace: name) }
    }

    private func writeAll(_ name: String, _ rows: TraceRows) throws {
        try writeIntegers(name, rows)
        try writeExports(name, [rows])
    }

    @Test func `hold rows of several layouts, whose integers are written out here`() throws {
        let integers = """
            voltage_V 4,current_A 3,temperature_C 2
            1777636800000 10 0 0 50000 100 -
            1777636800001 11 0 0 50010 101 -
            1777636800001 - 0 1 50015 - 2150
            1777636800005 15 3 0 50020 102 -

            """
        try Data(integers.utf8).write(to: folder.appendingPathComponent("mixed.integers"))
        try writeExports("mixed", mixedTrace())
    }

    @Test(arguments: UInt64(1)...8) func `hold made-up rows`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        var rows = MadeUpTrace(&numbers, rowCount: 500, times: 0...4_000_000_000_000).rows
        // As many digits as a decimal of Parquet has.
        rows.columns = rows.columns.map { $0.map { $0 % 1_000_000_000_000_000_000 } }
        try writeAll("seed\(seed)", rows)
    }

    @Test func `hold the small trace, as its golden bytes have it`() throws {
        var rows = smallTrace()
        rows.columns[1][3] = -999_999_999_999_999_999
        try writeAll("small", rows)
        var bytes: [UInt8] = []
        try written(ParquetRows(gaps: .blank, level: nil), [rows]) { bytes += $0 }
        try Data(bytes).write(to: folder.appendingPathComponent("small-blank.parquet"))
    }

    @Test func `hold what a meter sends in five minutes`() throws {
        var numbers = SeededGenerator(seed: 9)
        let rows = meterTrace(&numbers, rowCount: 300_000)
        try writeAll("meter", rows)
        for milliseconds in [1, 100, 1000] {
            try write("meter-\(milliseconds)", .sigrok, [rows]) { $0.bucketMilliseconds = milliseconds }
        }
    }
}

/// What a meter with a counter of 1 kHz sends: 40 rows at once, held values, gaps now and then.
func meterTrace(_ numbers: inout SeededGenerator, rowCount: Int) -> TraceRows {
    let layout = Layout(
        [
            Channel("voltage", .volt, decimals: 6), Channel("current", .ampere, decimals: 6),
            Channel("d+", .volt, decimals: 3), Channel("temperature", .celsius, decimals: 7),
            Channel("marker", .none, decimals: 0),
        ], tick: .init(hertz: 1000, modulus: 65_536))
    var rows = TraceRows(layout, first: 0)
    var tick: Int64 = 1234
    var current: Int64 = 1_200_000
    for row in 0..<rowCount {
        if row > 0 && row.isMultiple(of: 40) && numbers.chance(0.001) {
            let missing = Int64.random(in: 1...3000, using: &numbers)
            tick += missing
            rows.marks.append(Mark(.gap, before: row, count: UInt64(missing)))
        }
        if row.isMultiple(of: 2) { current += Int64.random(in: -90...90, using: &numbers) * 64 }
        rows.times.append(1_777_636_800_000 + (tick - 1234) / 40 * 40 + 3)
        rows.ticks.append(tick)
        rows.columns[0].append(5_000_000 + 195 * Int64.random(in: 0...30, using: &numbers))
        rows.columns[1].append(current)
        rows.columns[2].append(Int64.random(in: 600...610, using: &numbers))
        rows.columns[3].append(234_375_000 + Int64(row / 1000 % 8) * 78_125)
        rows.columns[4].append(1)
        tick += 1
    }
    return rows
}

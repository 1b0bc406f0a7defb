import SeededNumbers
import Testing

@testable import Metering

@Suite struct `What of a trace is written` {
    @Test func `are the channels that are named, in that order`() throws {
        let text = try exportedText(.csv, [smallTrace()]) { $0.channels = ["mode", "voltage"] }
        let lines = text.split(separator: "\r\n")
        #expect(lines[0] == "time,tick_1000Hz_mod65536,missing,repeats,mode,voltage_V")
        #expect(lines[1] == "2026-05-01T12:00:00.000Z,65530,0,0,0,1.2345")
    }

    @Test func `are no channels that are not there, which is said with those that are`() throws {
        let error = TraceExportError.unknownChannel("voltag", available: ["voltage", "current", "mode"])
        #expect(throws: error) { try exported(.csv, [smallTrace()]) { $0.channels = ["voltag"] } }
        #expect("\(error)" == "there is no channel voltag; the channels are voltage, current, mode")
        #expect(throws: TraceExportError.self) { try exported(.csv, [smallTrace()]) { $0.channels = [] } }
        #expect(throws: TraceExportError.self) {
            try exported(.csv, [smallTrace()]) { $0.channels = ["mode", "mode"] }
        }
    }

    @Test(arguments: UInt64(1)...60)
    func `is each so manieth row, with all that was missing and repeated before it`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let trace = MadeUpTrace(&numbers)
        let every = Int.random(in: 1...20, using: &numbers)
        let written = try exported(.csv, trace.rows.pieces(&numbers)) { $0.every = every }
        let read = try #require(try rows(ofCSV: written))
        let places = Array(stride(from: 0, to: trace.rows.count, by: every))
        #expect(read.times == places.map { trace.rows.times[$0] })
        #expect(read.columns == trace.rows.columns.map { column in places.map { column[$0] } })
        for kind in [Mark.Kind.gap, .repeats] {
            for (row, place) in places.enumerated() {
                let counted = trace.rows.marks.filter {
                    $0.kind == kind && $0.row <= place && $0.row > (row == 0 ? -1 : places[row - 1])
                }
                let sum = counted.reduce(UInt64(0)) {
                    $0.addingReportingOverflow($1.count).overflow ? .max : $0 + $1.count
                }
                #expect(read.marks.first { $0.kind == kind && $0.row == row }?.count ?? 0 == sum)
            }
        }
    }

    @Test(arguments: UInt64(1)...60)
    func `is one row for all of a bucket, with exact means`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let trace = MadeUpTrace(&numbers, times: 0...3_000_000_000_000)
        let milliseconds = [1, 7, 1000, 86_400_000].randomElement(using: &numbers) ?? 1
        let written = try exported(.csv, trace.rows.pieces(&numbers)) { $0.bucketMilliseconds = milliseconds }
        let read = try #require(try rows(ofCSV: written))
        // The model: rows in runs of one bucket.
        var runs: [Range<Int>] = []
        for row in 0..<trace.rows.count {
            let bucket = trace.rows.times[row] / Int64(milliseconds)
            if let last = runs.last, trace.rows.times[last.lowerBound] / Int64(milliseconds) == bucket {
                runs[runs.count - 1] = last.lowerBound..<row + 1
            } else {
                runs.append(row..<row + 1)
            }
        }
        #expect(read.layout == Layout(trace.layout.channels))
        #expect(
            read.times
                == runs.map { trace.rows.times[$0.lowerBound] / Int64(milliseconds) * Int64(milliseconds) })
        for (column, values) in trace.rows.columns.enumerated() {
            for (row, run) in runs.enumerated() {
                let sum = values[run].reduce(Int128(0)) { $0 + Int128($1) }
                let mean = Int128(read.columns[column][row])
                // |sum - mean * count| is at most half of count, and where it is half, the mean is even.
                let rest = (sum - mean * Int128(run.count)).magnitude * 2
                #expect(rest < UInt128(run.count) || (rest == UInt128(run.count) && mean.isMultiple(of: 2)))
            }
        }
    }

    @Test(
        arguments: [(5, 2, 2), (7, 2, 4), (-5, 2, -2), (-7, 2, -4), (-1, 2, 0), (1, 3, 0), (2, 3, 1), (-2, 3, -1)]
            as [(Int128, Int, Int64)])
    func `rounds halves to the even neighbour`(sum: Int128, count: Int, mean: Int64) {
        #expect(BucketMeans.mean(sum, count) == mean)
    }

    @Test func `begins buckets at multiples of their length, before 1970 too`() {
        #expect(BucketMeans.floor(-1, 1000) == -1000)
        #expect(BucketMeans.floor(-1000, 1000) == -1000)
        #expect(BucketMeans.floor(999, 1000) == 0)
        #expect(BucketMeans.floor(.min, 1000) == .min)
    }

    @Test func `is counted, with what lies behind the last row that was written`() throws {
        var rows = smallTrace()
        rows.marks.append(Mark(.gap, before: 4, count: 11))
        var options = TraceExportOptions()
        options.every = 2
        var writer = try TraceWriter(.csv, options: options)
        try writer.begin(rows.layout) { _ in }
        try writer.append(rows) { _ in }
        let counts = try writer.finish { _ in }
        #expect(counts == .init(rows: 2, missing: 39, repeats: 0, missingBehind: 11, repeatsBehind: 2))
    }

    @Test func `has a format with a word, an ending and a media type of its own`() {
        #expect(
            TraceExportFormat.allCases.map(\.rawValue) == ["csv", "ndjson", "influx", "parquet", "sqlite", "sigrok"])
        #expect(TraceExportFormat.allCases.map(\.fileExtension) == ["csv", "ndjson", "lp", "parquet", "sqlite", "sr"])
        #expect(Set(TraceExportFormat.allCases.map(\.mediaType)).count == 6)
        #expect(TraceExportFormat(rawValue: "xlsx") == nil)
    }

    @Test(arguments: TraceExportFormat.allCases.filter { $0 != .sqlite })
    func `may be no row at all`(format: TraceExportFormat) throws {
        let layout = smallTrace().layout
        let bytes = try exported(format, [TraceRows(layout, first: 0)]) { $0.bucketMilliseconds = 1000 }
        #expect(bytes.isEmpty == (format == .ndjson || format == .influx))
    }

    @Test func `is refused where it makes no sense`() {
        for change: (inout TraceExportOptions) -> Void in [
            { $0.every = 0 }, { $0.bucketMilliseconds = 0 }, { $0.bucketMilliseconds = .max },
        ] {
            var options = TraceExportOptions()
            change(&options)
            #expect(throws: TraceExportError.self) { try TraceWriter(.csv, options: options) }
        }
    }

    @Test func `goes out as it comes, in pieces of bounded size`() throws {
        var numbers = SeededGenerator(seed: 1)
        let rows = MadeUpTrace(&numbers, rowCount: 40_000).rows
        for format in [TraceExportFormat.csv, .ndjson] {
            var writer = try TraceWriter(format)
            var sizes: [Int] = []
            try writer.begin(rows.layout) { sizes.append($0.count) }
            try writer.append(rows) { sizes.append($0.count) }
            _ = try writer.finish { sizes.append($0.count) }
            #expect(sizes.count > 10)
            #expect(sizes.allSatisfy { $0 <= 65_536 })
        }
    }

    @Test func `ends where the sink fails, with its error`() throws {
        struct Full: Error {}
        var writer = try TraceWriter(.csv)
        try writer.begin(smallTrace().layout) { _ in }
        try writer.append(smallTrace()) { _ in }
        #expect(throws: Full.self) { try writer.finish { _ in throw Full() } }
    }
}

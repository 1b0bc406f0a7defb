import ArgumentParser
import Foundation
import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTraceFiles
import GroundwaveWording

struct TraceExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the rows of a trace to a file, even while it is being recorded.",
        discussion: """
              groundwave trace export last -o charge.csv
              groundwave trace export last --format influx --from 2026-05-01T12:00 \\
                | influx -import -path=/dev/stdin
              groundwave trace export last -o week.parquet --bucket 1000 \\
                --channels voltage,current
              groundwave trace export last -o charge.sqlite
              sqlite3 charge.sqlite "SELECT max(voltage_V) FROM readings"

            csv has the unit in each column's name and every decimal, and groundwave trace import reads it back to the \
            same numbers. The column called missing counts the rows that are missing before each row. sqlite is a \
            database, and needs -o: its table rows has the integers, its view readings has the same values in volts \
            and amperes, and its tables channels and trace describe them.

            If the channels change within the trace, the file has all of them, and a value that a row does not have is \
            empty or NULL there.

            Calibrated channels are written calibrated, and the command says so, as do files of sqlite, parquet and influx; \
            --measured writes what was measured: use it to import the file again.

            If some rows cannot be read, the rest is written, and the exit status is 3.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name = "last"

    @OptionGroup var shown: ValueOptions
    @OptionGroup var options: ReadOptions

    @Option(help: "csv, ndjson, influx, parquet, sqlite or sigrok; default: by the file's extension, else csv.")
    var format: TraceExportFormat?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The output file; default and -: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: Overwriting

    @OptionGroup var range: TraceRange

    @Option(help: ArgumentHelp("Only these channels, in this order.", valueName: "name,name"))
    var channels: String?

    @Option(help: ArgumentHelp("Write only every n-th row.", valueName: "rows"))
    var every = 1

    @Option(
        help: ArgumentHelp(
            "Write one row of mean values for each interval of this many milliseconds.", valueName: "ms"))
    var bucket: Int?

    @Option(help: "How missing rows are shown: mark (a count in the next row), or blank (an empty row as well).")
    var gaps = TraceExportOptions.GapPolicy.mark

    struct Result: Encodable {
        var rows: UInt64
        var missing: UInt64
        var withheld: UInt64
        var unreadable: UInt64
        var hidden: UInt64
        var calibrated: [CalibrationResult]?
        var bytes: Int
    }

    func run() async throws {
        let output = try overwriting.file(output)
        if output == nil, options.json {
            throw StoreError(
                .usage, "--json and the rows cannot both go to standard output.", hint: "Name a file with -o.")
        }
        let store = try await options.open(needsHistory: true)
        let trace = try TraceName.resolve(name, store)
        let (start, end) = try range.milliseconds
        var chosen = TraceExportOptions()
        chosen.channels = channels.map { $0.split(separator: ",").map(String.init) }
        (chosen.every, chosen.bucketMilliseconds, chosen.gaps) = (every, bucket, gaps)
        let format = format ?? output.flatMap { Self.format(of: $0) } ?? .csv
        let report: TraceExportReport
        if let output {
            report = try Progress.during("Exporting") { _ in
                try store.export(
                    trace, as: format, chosen, showing: shown.values, from: start, to: end, toFile: output)
            }
        } else {
            report = try store.export(trace, as: format, chosen, showing: shown.values, from: start, to: end) {
                try Output.write(file: $0)
            }
        }
        try printReport(report, isFile: output != nil)
        if report.absent.unreadableCount > 0 { throw Answer.inPart }
    }

    private func printReport(_ report: TraceExportReport, isFile: Bool) throws {
        let absent = report.absent
        if options.json {
            return try Terminal.print(
                json: Result(
                    rows: report.counts.rows, missing: report.counts.missing, withheld: absent.withheldCount,
                    unreadable: absent.unreadableCount, hidden: absent.hiddenCount,
                    calibrated: CalibrationResult.all(report.calibration), bytes: report.byteCount))
        }
        if isFile {
            try Terminal.print(
                "\(NumberText.count(report.counts.rows, "row")), \(NumberText.bytes(report.byteCount)), "
                    + "\(report.counts.missing) missing between them.")
        }
        if absent.hiddenCount > 0 {
            Terminal.remark("\(NumberText.count(absent.hiddenCount, "row")) hidden and not in the file.")
        }
        if let text = report.calibration.text { Terminal.remark("The values are \(text).") }
        if absent.withheldCount > 0 {
            Terminal.remark("\(NumberText.count(absent.withheldCount, "row")) withheld and not in the file.")
        }
        if absent.unreadableCount > 0 {
            Terminal.remark(
                "\(NumberText.count(absent.unreadableCount, "row")) unreadable and not in the file: "
                    + "see groundwave trace verify \(name)")
        }
    }

    private static func format(of path: String) -> TraceExportFormat? {
        let ending = URL(filePath: path).pathExtension.lowercased()
        if ["db", "sqlite3"].contains(ending) { return .sqlite }
        return TraceExportFormat.allCases.first { $0.fileExtension == ending || $0.rawValue == ending }
    }
}

/// From when to when.
struct TraceRange: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only rows from this time on: 2026-05-01T12:00:30.5, 2026-05-01T14:00+02:00, 90m, today.",
            valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only rows before this time.", valueName: "time"))
    var to: String?

    /// Whether it is less than everything.
    var isGiven: Bool { from != nil || to != nil }

    /// The range in milliseconds since 1970; everything where nothing was said.
    var milliseconds: (start: Int64, end: Int64) {
        get throws {
            let now = Int64(Date().timeIntervalSince1970)
            let start = try from.map { try TimeArgument($0, now: now).startMilliseconds } ?? .min
            let end = try to.map { try TimeArgument($0, now: now).endMilliseconds } ?? .max
            guard start < end else {
                throw StoreError(.usage, "--from is not before --to.", hint: "Times are in UTC.")
            }
            return (start, end)
        }
    }
}

extension TraceExportFormat: ExpressibleByArgument {}
extension TraceExportOptions.GapPolicy: ExpressibleByArgument {}

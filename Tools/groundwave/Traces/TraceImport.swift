import ArgumentParser
import Foundation
import Groundwave
import GroundwaveAuditing
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTraceFiles

struct TraceImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a trace from a CSV file, of groundwave or of another program.",
        discussion: """
              groundwave trace import charge.csv --meter 00:15:A5:00:11:22 --model um25c
              groundwave trace import joulescope.csv --start 2026-05-01T12:00 --dry-run
              groundwave trace import bench.csv --time "Time (s)" \\
                --channel "voltage=Volt" --channel "current=Amp:mA"

            A file that groundwave trace export has written becomes a trace with the same integers and times; if it \
            cannot be read to its end, it is refused with the number of the line. A file of another program is read by \
            a recipe, if one fits its columns, or by --time and --channel; what is not a row is left out and counted.

            Recipes:
            \(TraceRecipe.all.map { "  \($0.name): \($0.program)" }.joined(separator: "\n"))

            A column is named by its name in the header, or by its number from 1. Times: s, ms, us, ns, min or h since \
            the recording began; unix or unix-ms since 1970; date, such as 2026-05-01 12:00:00.5, in UTC if it has no \
            offset. Units: V, A, W, Ohm, Ah, Wh, Hz, s and none, with m, u, n, k or M where usual; As, Ws and J; C, F \
            and K. Without a unit, a voltage is in V, a current in A, and so on.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The address of the meter that was recorded; default: none.", valueName: "mac"))
    var meter: String?

    @Option(help: ArgumentHelp("The model; default: none.", valueName: "model"))
    var model: MeterModel?

    @Option(help: ArgumentHelp("The name of the trace.", valueName: "text"))
    var name = ""

    @Option(help: ArgumentHelp("The recipe; default: the first that fits the columns.", valueName: "name"))
    var recipe: String?

    @Option(
        help: ArgumentHelp("The column with the time, and how it is written; default: s.", valueName: "column[:unit]"))
    var time: String?

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("A channel, its column and unit. Repeatable.", valueName: "name=column[:unit]"))
    var channels: [String] = []

    @Option(help: ArgumentHelp("The number of rows per second of a file without times.", valueName: "rows"))
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "When the recording began, if the file does not say so; default: so that it ended when the file was last "
                + "changed.", valueName: "time"))
    var start: String?

    @Flag(help: "Show what would be imported, and import nothing.")
    var dryRun = false

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func validate() throws {
        let isNamed = time != nil || rate != nil || !channels.isEmpty
        if recipe != nil, isNamed {
            throw ValidationError("A recipe says which columns there are: leave out --time, --rate and --channel.")
        }
        if isNamed, channels.isEmpty {
            throw ValidationError("Say which channels there are: --channel voltage=COLUMN.")
        }
        if isNamed, (time == nil) == (rate == nil) {
            throw ValidationError("Say where the times are: --time COLUMN, or --rate ROWS if the file has none.")
        }
        if let rate, !(rate > 0 && rate <= 1_000_000_000) {
            throw ValidationError("--rate must be a number of rows per second.")
        }
        if let recipe, TraceRecipe.named(recipe) == nil {
            throw ValidationError(
                "There is no recipe “\(recipe)”, only \(TraceRecipe.all.map(\.name).joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let address = try meter.map { try MACAddress(argument: $0) }
        guard file != "-" else {
            throw StoreError(
                .usage, "A trace file is read twice, but standard input can be read only once.", hint: "Name a file.")
        }
        // To its end before anything is written: a file that is no trace leaves none.
        let source = try Progress.during("Reading") { _ in try readSource() }
        let report = try await importRows(of: source, address)
        if options.json { return try Terminal.print(json: report.result) }
        try report.print()
    }

    /// Reads the file to its end, as what it is.
    private func readSource() throws -> TraceSource {
        if recipe == nil, time == nil, rate == nil, try TraceSource.isExport(file) {
            return try TraceSource(export: file)
        }
        return try TraceSource(foreign: file, survey(), start: start)
    }

    private func survey() throws -> ForeignSurvey {
        if channels.isEmpty {
            return ForeignSurvey(recipe.flatMap { TraceRecipe.named($0) }.map { [$0] } ?? TraceRecipe.all)
        }
        var mapping = TraceMapping()
        do {
            if let time { mapping.times = [try TimeColumn(time)] }
            mapping.channels = try channels.map { try ChannelColumn($0) }
        } catch {
            throw StoreError(
                .usage, "\(error).", hint: "Name a column like this: --channel current=Amp:mA, --channel voltage=2")
        }
        mapping.rate = rate
        return ForeignSurvey(mapping)
    }

    private func importRows(of source: TraceSource, _ address: MACAddress?) async throws -> TraceImportReport {
        var reading = try source.reading()
        var (rows, missing) = (UInt64(0), UInt64(0))
        func next() throws -> TraceRows? {
            guard let piece = try reading.next() else { return nil }
            rows += UInt64(piece.count)
            missing += piece.marks.reduce(0) { $0 + ($1.kind.isGap ? $1.count : 0) }
            return piece
        }
        if dryRun {
            while try next() != nil {}
            return TraceImportReport(source, reading.leftOut, trace: nil, rows: rows, missing: missing)
        }
        let store = try await options.open(author: writing.author)
        let recorder = try await store.importTrace(
            of: address, model: model, name: name, source: source.name, started: source.started,
            author: writing.author)
        do {
            try await Progress.during("Importing") { _ in
                while let piece = try next() { try await recorder.append(recorded: piece) }
            }
            try await recorder.finish()
            for marker in reading.markers {
                _ = try await store.mark(recorder.trace, at: marker.time, marker.text, author: writing.author)
            }
        } catch {
            // The file was whole a moment ago: it was changed, or the disk is full. A part of a trace is none.
            try? await recorder.stop()
            try await store.setHidden(true, trace: recorder.trace, note: "Import failed", author: writing.author)
            throw error
        }
        return TraceImportReport(source, reading.leftOut, trace: recorder.trace, rows: rows, missing: missing)
    }
}

extension MACAddress {
    /// The address that somebody typed.
    init(argument: String) throws {
        guard let address = MACAddress(argument) else {
            throw StoreError(
                .usage, "“\(argument)” is not the address of a meter.",
                hint: "Use twelve hexadecimal digits: 00:15:A5:00:11:22.")
        }
        self = address
    }
}

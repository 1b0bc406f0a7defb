import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveWording

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write contacts to a file; fields that nobody changed come out exactly as imported.",
        discussion: """
            Contacts are written in the order in which they were logged or imported, without hidden ones. A file is \
            written under a temporary name and then renamed, so nobody ever sees an incomplete file. csv is a table \
            with a column for each field in use; a value that a spreadsheet would run as a formula has an apostrophe \
            before it, which an import takes off again. sqlite is a database with the same columns in a table called qso.

            cabrillo is the log of one contest for its sponsor. Its header has what --header says, what the last imported \
            Cabrillo log of the contest had, and settings such as cabrillo.EMAIL, cabrillo.CLUB and cabrillo.ADDRESS.

              groundwave export -o log.adi
              groundwave export --since 2026-05-01 --band 20m -o may.csv
              groundwave export --new lotw -o lotw.adi
              groundwave export --contest CQ-WW-CW --header CATEGORY-POWER=LOW --sent 5 -o contest.log
              groundwave export --map svg -o map.svg
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters

    @Option(help: "adi, adx, csv, ndjson, sqlite or cabrillo; default: by the file's extension, else adi.")
    var format: ExportFormat?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The output file; default and -: standard output. With --split, a folder.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: Overwriting

    @Option(
        help: ArgumentHelp(
            "A map instead of the contacts: svg is a drawn world map of the grid squares worked, geojson is for programs "
                + "that draw maps.", valueName: "format"))
    var map: MapFormat?

    @Option(
        help: ArgumentHelp(
            "Only contacts that changed since the last export under this name with the same filters.",
            valueName: "name"))
    var new: String?

    @Option(
        help: ArgumentHelp(
            "Write one file for each of your parks (park), each UTC day (day), or both (park,day).", valueName: "by"))
    var split: String?

    @Option(help: ArgumentHelp("Only contacts of this contest, for cabrillo: their CONTEST_ID.", valueName: "id"))
    var contest: String?

    @Option(
        help: ArgumentHelp(
            "A line for the header of cabrillo, such as CATEGORY-POWER=LOW. Repeatable.", valueName: "tag=text"))
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "What you sent, without report and number, for contacts that do not say it, for cabrillo.",
            valueName: "text"))
    var sent: String?

    struct Result: Encodable {
        struct File: Encodable {
            var file: String
            var records: Int
            var bytes: Int
        }

        struct Warning: Encodable {
            var id: String
            var field: String
            var message: String
        }

        var records: Int
        var bytes: Int
        var files: [File]?
        var warnings: [Warning]
    }

    func run() async throws {
        if let map { return try await run(drawing: map) }
        let output = split == nil ? try overwriting.file(output) : output
        if output == nil, options.json {
            throw StoreError(
                .usage, "--json and the contacts cannot both go to standard output.", hint: "Name a file with -o.")
        }
        guard new == nil || options.at == nil else {
            throw StoreError(
                .usage, "--new exports what changed until now, so it cannot be combined with --at.",
                hint: "Leave out --new or --at.")
        }
        guard let new else {
            let store = try await options.open()
            return try printReport(written(filters.query(store), store, to: output), isFile: output != nil)
        }
        let store = try await options.store.open()
        let (query, isContinued) = try store.query(
            filters.query(store), newSinceExportNamed: new, filter: filterText)
        if !isContinued {
            Terminal.remark("There is no earlier export called \(new) with these filters: all contacts are written.")
        }
        let written = try written(query, store, to: output)
        try store.finishExport(named: new, filter: filterText, written.report)
        try printReport(written, isFile: output != nil)
    }

    private func written(
        _ query: ContactQuery, _ store: any Reading, to output: String?
    ) throws -> (report: ExportReport, files: [Result.File]?) {
        var query = query
        query.includesMetadata = true
        let now = Int64(Date().timeIntervalSince1970)
        let format = format ?? output.map { split == nil ? Self.format(of: $0) : .adi } ?? .adi
        let cabrillo = try cabrilloOptions(format)
        guard let split else { return (try write(query, format, cabrillo, store, now, to: output), nil) }
        guard let output, output != "-" else {
            throw StoreError(.usage, "--split writes several files.", hint: "Name a folder with -o.")
        }
        let parts = try store.export(
            query, as: format, by: try Self.parse(split), into: URL(filePath: output), created: now,
            isReplacing: overwriting.force)
        return (parts.report, parts.files.map { .init(file: $0.name, records: $0.records, bytes: $0.bytes) })
    }

    private func write(
        _ query: ContactQuery, _ format: ExportFormat, _ cabrillo: CabrilloOptions, _ store: any Reading, _ now: Int64,
        to output: String?
    ) throws -> ExportReport {
        guard let output else {
            return try store.export(query, as: format, cabrillo: cabrillo, created: now) { try Output.write(file: $0) }
        }
        return try Progress.during("Exporting") { _ in
            try store.export(query, as: format, cabrillo: cabrillo, created: now, toFile: output)
        }
    }

    /// What the command line says of the log of a contest.
    private func cabrilloOptions(_ format: ExportFormat) throws -> CabrilloOptions {
        guard format == .cabrillo || contest == nil && header.isEmpty && sent == nil else {
            throw StoreError(
                .usage, "--contest, --header and --sent are for the log of a contest.", hint: "Add --format cabrillo.")
        }
        var options = CabrilloOptions(contest: contest, sent: sent)
        for line in header {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw StoreError(
                    .usage, "“\(line)” is not a line of a header.", hint: "A line is like CATEGORY-POWER=LOW.")
            }
            try options.addHeader(String(parts[0]), String(parts[1]))
        }
        return options
    }

    private func printReport(_ written: (report: ExportReport, files: [Result.File]?), isFile: Bool) throws {
        let (report, files) = written
        if options.json {
            return try Terminal.print(
                json: Result(
                    records: report.records, bytes: report.bytes, files: files,
                    warnings: report.remarks.map {
                        .init(id: "\($0.record)", field: $0.field, message: $0.message)
                    }))
        }
        if let files {
            var table = TextTable(["FILE", "CONTACTS", "BYTES"], numbersFrom: 1)
            for file in files { table.append([file.file, "\(file.records)", "\(file.bytes)"]) }
            try table.print()
        }
        if isFile {
            try Terminal.print(
                "\(NumberText.count(report.records, "contact")), \(NumberText.count(report.bytes, "byte")).")
        }
        for (message, remarks) in Dictionary(grouping: report.remarks, by: \.message).sorted(by: { $0.key < $1.key }) {
            Terminal.remark("  \(remarks.count) × \(message)")
        }
    }

    /// The filters as they were given: by them an export under a name is known again.
    private var filterText: String { filters.text }

    private static func format(of path: String) -> ExportFormat {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "db", "sqlite3": .sqlite
        case "log", "cbr": .cabrillo
        case let ending: ExportFormat(rawValue: ending) ?? .adi
        }
    }

    private static func parse(_ split: String) throws -> Set<ExportSplit> {
        try Set(
            split.split(separator: ",").map { word in
                guard let part = ExportSplit(rawValue: word.lowercased()) else {
                    throw StoreError(
                        .usage, "Files cannot be split by “\(word)”.", hint: "Split by park, day, or park,day.")
                }
                return part
            })
    }
}

extension ExportFormat: ExpressibleByArgument {}
extension MapFormat: ExpressibleByArgument {}

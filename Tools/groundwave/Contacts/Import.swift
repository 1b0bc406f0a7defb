import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import Synchronization

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import log files; only what is new is written.",
        discussion: """
            A file can be imported again. Values that have not changed in it since the last import are skipped, your \
            own corrections are kept, and contacts that are no longer in it are counted and kept. A value that is \
            empty in the file, or says less than the one that is here, such as 1200 for 120030, replaces nothing. If \
            two programs contradict each other, the value that was imported first is shown, on every device: \
            groundwave conflicts list --sources shows the others. What you have written or cleared by hand stays, \
            unless you trust the source of the file: its values then count as written by hand. A file of another source is \
            then refused.

            fle is typed by hand, a line for each contact, as Fast Log Entry reads it: a line "20m cw", then lines such \
            as "1205 w1aw 599 579 #US-0001".

              groundwave import wsjtx_log.adi
              groundwave import summit.txt --format fle
              groundwave import portable.adi --set MY_RIG=KX2 --shift -01:00 --dry-run
              groundwave import lotw.adi --trust LoTW --report
            """)

    @Argument(
        help: ArgumentHelp("Log files: ADI, ADX, CSV, NDJSON or Cabrillo; - for standard input.", valueName: "file"))
    var files: [String]

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Option(help: "The format, if it cannot be detected: adi, adx, csv, ndjson, cabrillo or fle.")
    var format: LogFormat?

    @Option(help: ArgumentHelp("The name of the source; default: the program that wrote the file.", valueName: "name"))
    var source: String?

    @Option(
        help: ArgumentHelp("Set a field in every record, overriding the file. Repeatable.", valueName: "field=value"))
    var set: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Add this to all times, to correct a wrong clock: --shift -01:00 if the clock was an hour fast.",
            valueName: "±HH:MM"))
    var shift: String?

    @Option(help: ArgumentHelp("The session that new contacts belong to; default: none.", valueName: "id"))
    var session: String?

    @Option(
        help: ArgumentHelp(
            "A source to trust: its values replace what is here, also what you wrote, unless they say less.",
            valueName: "name"))
    var trust: String?

    @Flag(help: "Show what became of the values of each field: filled, refined, corrected, kept or contradicted.")
    var report = false

    @Flag(help: "Import contacts that were erased here, too, as new contacts.")
    var again = false

    @Flag(help: "Show what would be imported, and import nothing.")
    var dryRun = false

    struct Result: Encodable {
        struct Warning: Encodable {
            var file: String
            var record: Int
            var offset: UInt64
            var field: String
            var code: String
            var message: String
        }

        /// A file, and what became of it.
        struct File: Encodable {
            var file: String
            var `import`: String?
            var records = 0
            var imported = 0
            var unchanged = 0
            var updated = 0
            var rejected = 0
            /// Why nothing more of it could be read.
            var error: String?
        }

        /// The import of a single file.
        var `import`: String?
        var files: [File] = []
        var records = 0
        var imported = 0
        var unchanged = 0
        var updated = 0
        var rejected = 0
        var hidden = 0
        var erased = 0
        var erasedAt: String?
        var absent = 0
        var fields: [String: [String: Int]] = [:]
        var warnings: [Warning] = []
    }

    func run() async throws {
        var importOptions = ImportOptions()
        importOptions.format = format
        importOptions.source = source
        importOptions.assignments = try set.map { try Assignment(argument: $0) }
        importOptions.shiftMinutes = try shift.map { try Self.minutes($0) } ?? 0
        importOptions.takesErasedAgain = again
        if let trust {
            guard !trust.isEmpty else { throw ValidationError("--trust needs the name of a source.") }
            importOptions.trusted = trust
        }
        importOptions.isDryRun = dryRun
        importOptions.author = writing.author
        importOptions.note = writing.note
        let store = try await options.open(author: writing.author)
        importOptions.session = try session.flatMap { try store.resolve($0, kind: "session") }
        var result = Result()
        var failures: [StoreError] = []
        for file in files {
            do {
                try await importFile(file, importOptions, store, &result)
            } catch let error as StoreError where files.count > 1 && Self.isOfFile(error) {
                // The others may be what the operator wants most.
                failures.append(error)
                result.files.append(Result.File(file: file, error: error.message))
                if !options.json { Terminal.report(error) }
            }
        }
        result.import = files.count == 1 ? result.files.first?.import : nil
        if options.json { try Terminal.print(json: result) } else if files.count > 1 { try describe(result) }
        if failures.count == files.count, let first = failures.first { throw Answer.failed(first.code) }
        if result.rejected > 0 || !failures.isEmpty { throw Answer.inPart }
    }

    /// Whether what went wrong is in a file, so that the next one may still be imported.
    private static func isOfFile(_ error: StoreError) -> Bool {
        [.damaged, .notFound, .notPermitted, .inputOutput].contains(error.code)
    }

    private func importFile(_ file: String, _ importOptions: ImportOptions, _ store: Store, _ result: inout Result)
        async throws
    {
        let input = try InputFile(file)
        let report = try await Progress.during("Importing \(input.name)") { progress in
            try await store.importLog(
                named: input.name, importOptions,
                progress: { records in progress.update("Importing \(input.name): \(input.share)\(records) records") },
                chunks: { try input.read() })
        }
        result.files.append(
            Result.File(
                file: file, import: report.id.map { "\($0)" }, records: report.records, imported: report.imported,
                unchanged: report.unchanged, updated: report.updated, rejected: report.rejected))
        result.records += report.records
        result.imported += report.imported
        result.unchanged += report.unchanged
        result.updated += report.updated
        result.rejected += report.rejected
        result.absent += report.absent
        result.hidden += report.hidden
        result.erased += report.erased
        if let erased = report.lastErased {
            result.erasedAt = max(result.erasedAt ?? "", UTCText.milliseconds(erased.milliseconds))
        }
        for (field, outcomes) in report.fields {
            for (outcome, count) in outcomes {
                result.fields[field, default: [:]][outcome.rawValue, default: 0] += count
            }
        }
        result.warnings += report.remarks.map {
            Result.Warning(
                file: $0.file, record: $0.record, offset: $0.offset, field: $0.field, code: $0.code,
                message: $0.message)
        }
        if !options.json { try describe(report, input.name) }
    }

    /// The sum of several files.
    private func describe(_ result: Result) throws {
        let failed = result.files.count { $0.error != nil }
        try Terminal.print(
            """
            \(files.count) files: records: \(result.records), \(dryRun ? "would be " : "")imported: \(result.imported), \
            updated: \(result.updated), unchanged: \(result.unchanged), rejected: \(result.rejected)\
            \(failed == 0 ? "" : ". Files that could not be read: \(failed)").
            """)
    }

    private func describe(_ report: ImportReport, _ name: String) throws {
        let verb = dryRun ? "would be " : ""
        try Terminal.print(
            """
            \(name): records: \(report.records), \(verb)imported: \(report.imported), \
            updated: \(report.updated), unchanged: \(report.unchanged), rejected: \(report.rejected).
            """)
        if report.hidden > 0 {
            try Terminal.print(
                """
                Hidden contacts among the unchanged ones: \(report.hidden). They stay hidden. groundwave qso list \
                --hidden shows them, groundwave qso restore brings them back.
                """)
        }
        if report.erased > 0 {
            try Terminal.print(
                """
                \(report.erased) of the unchanged contacts \(report.erased == 1 ? "was" : "were") \
                erased here\(Self.day(report)), and nothing of \(report.erased == 1 ? "it" : "them") was stored. To import \
                erased contacts as new ones: --again
                """)
        }
        if report.absent > 0 {
            try Terminal.print(
                "Contacts of this source that are no longer in the file: \(report.absent). They are kept.")
        }
        if self.report { try describe(fields: report) }
        let rejections = report.remarks.filter(\.isRejection)
        for remark in rejections.prefix(20) {
            let place = remark.record > 0 ? "record \(remark.record), " : ""
            Terminal.remark("  rejected: \(place)byte \(remark.offset): \(remark.message)")
        }
        if rejections.count > 20 { Terminal.remark("  … and \(rejections.count - 20) more: --json lists them all.") }
        let warnings = Dictionary(grouping: report.remarks.filter { !$0.isRejection }, by: \.code)
        for (_, remarks) in warnings.sorted(by: { $0.key < $1.key }) {
            Terminal.remark("  \(remarks.count) × \(remarks[0].message)")
        }
    }

    /// When the contacts of a report were erased: a day, or until which.
    private static func day(_ report: ImportReport) -> String {
        guard let erased = report.lastErased else { return "" }
        let day = UTCText.milliseconds(erased.milliseconds).prefix(10)
        return report.erased == 1 ? " on \(day)" : ", the last one on \(day)"
    }

    /// What became of the values of each field.
    private func describe(fields report: ImportReport) throws {
        if report.fields.isEmpty {
            if report.updated + report.unchanged == 0 { return }
            return try Terminal.print("Every value of a contact that was already here is as the file has it.")
        }
        let outcomes = ImportComparison.FieldOutcome.allCases
        var table = TextTable(["FIELD"] + outcomes.map { $0.rawValue.uppercased() }, numbersFrom: 1)
        for (field, counts) in report.fields.sorted(by: { $0.key < $1.key }) {
            table.append([field] + outcomes.map { outcome in counts[outcome].map { "\($0)" } ?? "" })
        }
        try Terminal.print(lines: table.lines)
        if report.fields.values.contains(where: { $0[.contradicted] != nil }) {
            try Terminal.print("Contradicted values stay beside the ones shown: groundwave conflicts list --sources")
        }
    }

    private static func minutes(_ text: String) throws -> Int {
        let digits = text.drop { $0 == "+" || $0 == "-" }
        let parts = digits.split(separator: ":")
        guard parts.count == 2, let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60 else {
            throw ValidationError("“\(text)” is not a time difference such as +02:00.")
        }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 60 + minutes)
    }
}

extension LogFormat: ExpressibleByArgument {}

/// A file or standard input, read in pieces.
final class InputFile: Sendable {
    /// What it is called in notes and remarks: the last part of its path.
    let name: String
    private let handle: FileHandle
    private let size: UInt64
    private let position = Atomic<UInt64>(0)

    init(_ path: String) throws {
        if path == "-" {
            name = "standard input"
            handle = .standardInput
            size = 0
            return
        }
        name = URL(filePath: path).lastPathComponent
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw StoreError(
                isThere ? .notPermitted : .notFound,
                "The file \(path) \(isThere ? "cannot be read" : "does not exist").",
                hint: "Check its path.")
        }
        self.handle = handle
        size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64) ?? 0
    }

    /// How much of it was read, as `45 %, `; empty where its size is not known.
    var share: String {
        size == 0 ? "" : "\(min(100, position.load(ordering: .relaxed) * 100 / size)) %, "
    }

    /// The next 256 KiB; `nil` at the end.
    func read() throws -> [UInt8]? {
        do {
            guard let data = try handle.read(upToCount: 1 << 18), !data.isEmpty else { return nil }
            position.add(UInt64(data.count), ordering: .relaxed)
            return [UInt8](data)
        } catch {
            throw StoreError(.inputOutput, "\(name) cannot be read.", cause: error)
        }
    }
}

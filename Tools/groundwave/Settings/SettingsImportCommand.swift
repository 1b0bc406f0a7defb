import ArgumentParser
import Groundwave
import GroundwaveWording

struct SettingsImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import settings from a JSON file.",
        discussion: """
            Keys that are not synchronised are listed and skipped, and credentials are refused. Exits with status 3 if \
            there are any of these.

              groundwave settings import settings.json
            """)

    @Argument(help: ArgumentHelp("The file; - for standard input.", valueName: "file"))
    var file: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Flag(help: "Show what would be imported, and import nothing.")
    var dryRun = false

    struct Result: Encodable {
        var imported: [String]
        var unchanged: [String]
        var unknown: [String]
        var rejected: [String]
        var credentials: Int
    }

    func run() async throws {
        let input = try InputFile(file)
        var bytes: [UInt8] = []
        while let chunk = try input.read() {
            bytes += chunk
            guard bytes.count < 16 << 20 else { throw StoreError(.damaged, "\(input.name) is not a settings file.") }
        }
        let store = try await options.open(author: writing.author)
        let report = try await store.importSettings(
            bytes, named: input.name, isDryRun: dryRun, note: writing.note, author: writing.author)
        if options.json {
            try Terminal.print(
                json: Result(
                    imported: report.imported, unchanged: report.unchanged, unknown: report.unknown,
                    rejected: report.rejected, credentials: report.credentials))
        } else {
            let verb = dryRun ? "would be " : ""
            let count = report.imported.count
            try Terminal.print(
                "\(NumberText.count(count, "setting")) \(verb)imported, \(report.unchanged.count) unchanged.")
            for key in report.unknown { Terminal.remark("  skipped: \(key) is not synchronised.") }
            for key in report.rejected {
                Terminal.remark("  rejected: \(key) cannot have that value.")
            }
            if report.credentials > 0 {
                Terminal.remark(
                    "  refused: values that look like credentials (\(report.credentials)). Groundwave stores none.")
            }
        }
        if !report.unknown.isEmpty || !report.rejected.isEmpty || report.credentials > 0 { throw Answer.inPart }
    }
}

import ArgumentParser
import Everything
import Foundation
import Groundwave

struct RecoverDiagnostics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnostics", abstract: "Write a file for a bug report; decides nothing.",
        discussion: """
            The file has versions, sizes, counts, codes and hashes, but no call, grid, note, name or key. It is \
            JSON, so you can read it before you send it. With --anonymize, a log of the same shape with invented \
            content is written beside it, for problems that can only be seen in a log.
            """)

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String

    @OptionGroup var overwriting: Overwriting

    @Flag(help: "Also write a log with invented content, as FILE.log.mdb.")
    var anonymize = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var state: String
        var report: String
        var log: String?
    }

    func run() async throws {
        let log = anonymize ? output + ".log.mdb" : nil
        try overwriting.check(output)
        if let log, FileManager.default.fileExists(atPath: log) {
            throw StoreError(.exists, "The file \(log) already exists.", hint: "Name another file.")
        }
        try await Progress.during("Writing the report") { _ in
            try await Store.writeDiagnostics(
                of: options.url, to: URL(filePath: output), components: .all,
                anonymousLog: log.map { URL(filePath: $0) })
        }
        let state = try Store.recoveryStatus(at: options.url).state
        if options.json {
            return try Terminal.print(json: Result(state: state.rawValue, report: output, log: log))
        }
        try Terminal.print("Wrote \(output)\(log.map { " and \($0)" } ?? "").")
        if state == .waiting { try Terminal.print("Nothing was decided: the store is still waiting for recovery.") }
    }
}

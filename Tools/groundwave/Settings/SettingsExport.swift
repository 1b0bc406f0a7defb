import ArgumentParser
import Foundation
import Groundwave
import GroundwaveWording

struct SettingsExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the synchronised settings to a JSON file.",
        discussion: """
              groundwave settings export -o settings.json
            """)

    @OptionGroup var options: ReadOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The output file; default and -: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: Overwriting

    struct Result: Encodable {
        var settings: Int
        var bytes: Int
    }

    func run() async throws {
        let output = try overwriting.file(output)
        let store = try await options.open()
        let bytes = try store.exportSettings()
        guard let output else {
            return try Output.write(file: bytes)
        }
        var file = try AtomicFile(output)
        try file.write(bytes)
        try file.finish()
        let count = try store.settings().filter(\.travels).count
        if options.json { return try Terminal.print(json: Result(settings: count, bytes: bytes.count)) }
        try Terminal.print("\(NumberText.count(count, "setting")), \(NumberText.count(bytes.count, "byte")).")
    }
}

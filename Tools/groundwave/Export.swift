import ArgumentParser
import Foundation
import Groundwave
import Radio

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write contacts to a file: what nobody touched comes out as it came in.")

    @OptionGroup var options: StoreOptions

    @Option(name: .short, help: ArgumentHelp("The file; else standard output.", valueName: "file"))
    var output: String?

    struct Result: Encodable {
        var records: Int
        var bytes: Int
    }

    func run() async throws {
        let store = try await options.open()
        var bytes = 0
        let now = Int64(Date().timeIntervalSince1970)
        let records: Int
        if let output {
            var file = try AtomicFile(output)
            records = try store.exportADI(.contacts, created: now) { piece in
                bytes += piece.count
                try file.write(piece)
            }
            try file.finish()
        } else {
            records = try store.exportADI(.contacts, created: now) { piece in
                bytes += piece.count
                try FileHandle.standardOutput.write(contentsOf: piece)
            }
        }
        if options.json, output != nil { return try Terminal.print(json: Result(records: records, bytes: bytes)) }
        if output != nil { Terminal.print("\(records) contacts, \(bytes) bytes.") }
    }
}

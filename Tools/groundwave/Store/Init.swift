import ArgumentParser
import Foundation
import Groundwave

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a new log with its first replica.")

    @OptionGroup var options: StoreOptions

    @Option(help: ArgumentHelp("The name of this device; default: the host's name.", valueName: "device"))
    var name: String?

    struct Result: Encodable {
        var store: String
        var log: String
        var replica: String
    }

    func run() async throws {
        var configuration = options.configuration()
        if let name { configuration.deviceName = name }
        let store = try await Store.create(at: options.url, configuration)
        let result = Result(
            store: store.url.path, log: "\(store.logID)", replica: store.replica.map { "\($0)" } ?? "")
        if options.json { return try Terminal.print(json: result) }
        try Terminal.print("A new log \(store.logID.short) is in \(result.store).")
        try Terminal.print("This device is \(configuration.deviceName), replica \(store.replica?.short ?? "").")
        try store.close()
    }
}

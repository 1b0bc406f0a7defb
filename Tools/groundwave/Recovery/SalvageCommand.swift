import ArgumentParser
import Foundation
import Groundwave

struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage", abstract: "Create a new store from what is left in a damaged log file.",
        discussion: """
            The file is only read, page by page and without the database. Any Groundwave log can be salvaged: a file \
            in EmergencyBackup, a copy, an undeleted file, or a file that is cut short.

              groundwave salvage old/log.mdb --to rescued
            """)

    @Argument(help: "The damaged log, such as log.mdb.")
    var file: String
    @Option(help: ArgumentHelp("The folder of the new store.", valueName: "path"))
    var to: String
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Range: Encodable {
            var replica: String
            var first: UInt64
            var last: UInt64
        }

        var store: String
        var appended: UInt64
        var recovered: UInt64
        var lost: [Range]
        var unnamed: UInt64
        var atLeast: Bool
    }

    func run() async throws {
        let receipt = try await Progress.during("Salvaging") { _ in
            try await Store.salvage(URL(filePath: file), to: URL(filePath: to))
        }
        if options.json {
            try Terminal.print(
                json: Result(
                    store: to, appended: receipt.appended, recovered: receipt.recovered,
                    lost: receipt.lost.map { .init(replica: "\($0.replica)", first: $0.first, last: $0.last) },
                    unnamed: receipt.unnamed, atLeast: receipt.isAtLeast))
        } else {
            try RecoveryText.print(receipt, lost: receipt.lost, peers: [:])
            try Terminal.print("The store is in \(to).")
        }
        if receipt.lostCount > 0 { throw Answer.inPart }
    }
}

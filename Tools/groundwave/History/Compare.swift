import ArgumentParser
import Groundwave

struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare this store with another store of the same log; exit with status 1 if anything differs.",
        discussion: """
            The two stores compare hashes, as they would over a network: in one exchange if they are equal, in a few \
            if they differ. Every event is hashed again, so events that were altered in a file are found too. Neither \
            store is changed.

              groundwave compare /media/stick/logbook
              groundwave compare ~/backup --store ~/logbook
            """)

    @Argument(help: ArgumentHelp("The folder of the other store.", valueName: "path"))
    var path: String

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Show at most this many of the events that differ.", valueName: "count"))
    var limit = 50

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit cannot be negative.") }
    }

    func run() async throws {
        let store = try await options.openWholeForReading()
        var others = options
        others.store = path
        let other = try await others.openWholeForReading()
        let comparison = try Progress.during("Comparing") { _ in try store.compare(with: other, eventLimit: limit) }
        let output = ComparisonOutput(comparison)
        if options.json { try Terminal.print(json: output) } else { try output.print() }
        if !comparison.isSame { throw Answer.no }
    }
}

import ArgumentParser
import Groundwave

struct SnapshotPrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Delete the snapshots that are not worth their bytes.",
        discussion: """
            Kept are the newest, and of the others at most 24 that take at most half of what the log takes, spread evenly \
            over its events. This happens by itself whenever one is made.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Tell which would go, and delete nothing.")
    var dryRun = false

    struct Result: Encodable {
        var pruned: [SnapshotResult]
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole()
        let gone = try store.pruneSnapshots(isDryRun: dryRun)
        if options.json { return try Terminal.print(json: Result(pruned: gone.map { SnapshotResult($0) })) }
        if gone.isEmpty { return try Terminal.print("Every snapshot is worth its bytes.") }
        var table = SnapshotTable()
        for snapshot in gone { table.append(snapshot, dryRun ? "would go" : "deleted") }
        try table.print()
    }
}

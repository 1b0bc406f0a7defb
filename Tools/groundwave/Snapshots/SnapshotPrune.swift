import ArgumentParser
import Groundwave

struct SnapshotPrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Delete the snapshots that take more space than they are worth.",
        discussion: """
            The newest snapshot is kept, and at most 24 others that take at most half as much space as the log, spread \
            evenly over its events. This also happens automatically whenever a snapshot is made.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Show which would be deleted, and delete nothing.")
    var dryRun = false

    struct Result: Encodable {
        var pruned: [SnapshotResult]
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole()
        let pruned = try store.pruneSnapshots(isDryRun: dryRun)
        if options.json { return try Terminal.print(json: Result(pruned: pruned.map { SnapshotResult($0) })) }
        if pruned.isEmpty { return try Terminal.print("There is no snapshot to delete.") }
        var table = SnapshotTable()
        for snapshot in pruned { table.append(snapshot, dryRun ? "would be deleted" : "deleted") }
        try table.print()
    }
}

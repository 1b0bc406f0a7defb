import ArgumentParser
import Groundwave

struct SnapshotList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the snapshots, the oldest first.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var snapshots: [SnapshotResult]
    }

    func run() async throws {
        let snapshots = try await options.openForReading().snapshots()
        if options.json { return try Terminal.print(json: Result(snapshots: snapshots.map { SnapshotResult($0) })) }
        if snapshots.isEmpty {
            try Terminal.print("No snapshots yet.")
            return Terminal.remark(
                "The first snapshot is made automatically when something has changed and the store is six hours old.")
        }
        var table = SnapshotTable()
        for snapshot in snapshots { table.append(snapshot) }
        try table.print()
    }
}

import ArgumentParser
import Groundwave
import GroundwaveProjections

struct SnapshotCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Write a snapshot of the store as it is now.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.openWhole()
        let information = try Progress.during("Writing a snapshot") { _ in try store.createSnapshot() }
        let snapshot = store.snapshots().first { $0.information?.id == information.id }
        guard let snapshot else { return }
        if options.json { return try Terminal.print(json: SnapshotResult(snapshot)) }
        var table = SnapshotTable()
        table.append(snapshot)
        try table.print()
    }
}

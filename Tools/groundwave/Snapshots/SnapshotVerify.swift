import ArgumentParser
import Groundwave

struct SnapshotVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every byte of the snapshots and report damaged ones; exit with status 65 if there are any.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var ok: Bool
        var snapshots: [SnapshotResult]
    }

    func run() async throws {
        let store = try await options.openForReading()
        var result = Result(ok: true, snapshots: [])
        var table = SnapshotTable()
        for snapshot in store.snapshots() {
            var entry = SnapshotResult(snapshot)
            var remark = "intact"
            do { _ = try store.verifySnapshot(snapshot.file) } catch let error as StoreError {
                entry.trouble = error.message
                remark = error.message
                result.ok = false
            }
            result.snapshots.append(entry)
            table.append(snapshot, remark)
        }
        if options.json {
            try Terminal.print(json: result)
        } else if result.snapshots.isEmpty {
            try Terminal.print("No snapshots.")
        } else {
            try table.print()
        }
        if !result.ok {
            Terminal.remark("Nothing is lost: delete the damaged ones; replays then start earlier.")
            throw ExitCode(StoreError.Code.damaged.exitCode)
        }
    }
}

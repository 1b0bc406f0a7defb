import ArgumentParser
import Groundwave
import GroundwaveWording

struct Missing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the events missing here: those that other devices have, or that pending events wait for.")

    @Flag(help: "Exit with status 1 if something is missing.")
    var exitCode = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var ranges: [SyncStatusResult.Range]
        var events: UInt64
    }

    func run() async throws {
        let store = try await options.openForReading()
        let missing = try store.missingRanges()
        let names = try store.deviceNames()
        let events = missing.reduce(0) { $0 + $1.range.count }
        if options.json {
            try Terminal.print(json: Result(ranges: missing.map { .init($0.range) }, events: events))
        } else if missing.isEmpty {
            try Terminal.print("Nothing is missing, as far as this device knows.")
        } else {
            var table = TextTable(["DEVICE", "REPLICA", "EVENTS", "", "WHY"])
            for item in missing {
                table.append([
                    names[item.range.replica] ?? "unknown", item.range.replica.short,
                    "\(item.range.first)-\(item.range.last)", NumberText.count(item.range.count, "event"), item.reason,
                ])
            }
            try table.print()
        }
        if exitCode, !missing.isEmpty { throw Answer.no }
    }
}

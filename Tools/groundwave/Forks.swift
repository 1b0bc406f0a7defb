import ArgumentParser
import Groundwave

struct Forks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Two histories of one device: what went on twice under one name.",
        discussion: """
            That happens where nothing tells a copy of a store from the original, as when the image of a whole machine is \
            restored and both go on. Nothing of either history is lost: the one that came here first counts, the other \
            is kept aside. A copy goes on under a new name as soon as it meets what the other one has signed.
            """)

    @Flag(help: "Exit with 1 where there is one.")
    var exitCode = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Item: Encodable {
            var replica: String
            var device: String?
            var split: UInt64
            var here: String?
            var other: String?
            var eventsHere: UInt64
            var eventsAside: UInt64
            var aside: [SyncStatusResult.Range]
        }

        var forks: [Item]
    }

    func run() async throws {
        let store = try await options.openForReading()
        let forks = try store.forks()
        let names = try store.deviceNames()
        if options.json {
            try Terminal.print(
                json: Result(
                    forks: forks.map { fork in
                        Result.Item(
                            replica: "\(fork.replica)", device: names[fork.replica], split: fork.split,
                            here: fork.here.map { "\($0)" }, other: fork.other.map { "\($0)" },
                            eventsHere: fork.eventsHere, eventsAside: fork.keptCount,
                            aside: fork.kept.map { .init($0) })
                    }))
        } else if forks.isEmpty {
            Terminal.print("No device has two histories.")
        } else {
            var table = TextTable(["DEVICE", "REPLICA", "FROM EVENT", "HERE", "ASIDE", "HASH HERE", "HASH ASIDE"])
            for fork in forks {
                table.append([
                    names[fork.replica] ?? "unknown", fork.replica.short, "\(fork.split)", "\(fork.eventsHere)",
                    "\(fork.keptCount)", fork.here.map { String("\($0)".prefix(16)) } ?? "–",
                    fork.other.map { String("\($0)".prefix(16)) } ?? "–",
                ])
            }
            table.print()
        }
        if exitCode, !forks.isEmpty { throw Answer.no }
    }
}

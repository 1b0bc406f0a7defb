import ArgumentParser
import Groundwave

struct Forks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Several histories of one device: what went on twice under one name.",
        discussion: """
            That happens where nothing tells a copy of a store from the original, as when the image of a whole machine is \
            restored and both go on. Nothing is lost: from where they part each history counts like a device of its own, \
            and has an id that is the same on every device. A copy goes on under a new name as soon as it meets what the \
            other one has signed.
            """)

    @Flag(help: "Exit with 1 where there is one.")
    var exitCode = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Branch: Encodable {
            var stream: String
            var first: String
            var events: UInt64
            var lastWritten: String
        }

        struct Item: Encodable {
            var replica: String
            var device: String?
            var stream: String
            var split: UInt64
            var branches: [Branch]
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
                            replica: "\(fork.replica)", device: names[fork.replica], stream: "\(fork.stream)",
                            split: fork.split,
                            branches: fork.branches.map {
                                .init(
                                    stream: "\($0.stream)", first: "\($0.first)", events: $0.events,
                                    lastWritten: UTCText.milliseconds($0.lastWritten))
                            })
                    }))
        } else if forks.isEmpty {
            Terminal.print("No device has several histories.")
        } else {
            var table = TextTable(["DEVICE", "FROM EVENT", "HISTORY", "EVENTS", "LAST WRITTEN", "FIRST HASH"])
            for fork in forks {
                for branch in fork.branches {
                    table.append([
                        names[fork.replica] ?? fork.replica.short, "\(fork.split)", branch.stream.short,
                        "\(branch.events)", TimeText.milliseconds(branch.lastWritten), String("\(branch.first)".prefix(16)),
                    ])
                }
            }
            table.print()
        }
        if exitCode, !forks.isEmpty { throw Answer.no }
    }
}

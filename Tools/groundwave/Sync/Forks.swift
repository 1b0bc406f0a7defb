import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveWording

struct Forks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Devices with several histories: list, resolve.",
        discussion: """
            A fork happens if nothing distinguishes a copy of a store from the original, such as when the image of a \
            whole machine is restored and both machines keep writing. Nothing is lost: after the fork point, each \
            history counts as a device of its own, and has an id that is the same on every device. A copy continues as \
            a new replica as soon as it receives a signed head of the other store.
            """,
        subcommands: [ForksList.self, ForksResolve.self], defaultSubcommand: ForksList.self)
}

struct ForksList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices whose history has forked.",
        discussion: """
              groundwave forks list --exit-code
            """)

    @Flag(help: "Exit with status 1 if there are unresolved forks.")
    var exitCode = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Branch: Encodable {
            var stream: String
            var first: String
            var events: UInt64
            var takenBack: UInt64
            var lastWritten: String
        }

        struct Item: Encodable {
            var replica: String
            var device: String?
            var stream: String
            var split: UInt64
            var resolved: Bool
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
                            split: fork.split, resolved: fork.isResolved,
                            branches: fork.branches.map {
                                .init(
                                    stream: "\($0.stream)", first: "\($0.first)", events: $0.events,
                                    takenBack: $0.takenBack,
                                    lastWritten: UTCText.milliseconds($0.lastWritten))
                            })
                    }))
        } else if forks.isEmpty {
            try Terminal.print("No device has more than one history.")
        } else {
            var table = TextTable(
                ["DEVICE", "FROM EVENT", "HISTORY", "EVENTS", "REVERTED", "LAST WRITTEN (UTC)", "FIRST HASH"],
                numbersFrom: 3, to: 4)
            for fork in forks {
                for branch in fork.branches {
                    table.append([
                        names[fork.replica] ?? fork.replica.short, "\(fork.split)", branch.stream.short,
                        "\(branch.events)", "\(branch.takenBack)",
                        TimeText.milliseconds(branch.lastWritten), String("\(branch.first)".prefix(16)),
                    ])
                }
            }
            try table.print()
        }
        if exitCode, !forks.allSatisfy(\.isResolved) { throw Answer.no }
    }
}

struct ForksResolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Keep one of the histories and revert the others, on all devices.",
        discussion: """
            Shows what would change, and asks. What the other histories wrote is reverted by new events: groundwave \
            history shows them, and groundwave undo reverts them. What others changed since then stays and is listed. \
            Later changes of the other histories count until the fork is resolved again.

              groundwave forks resolve --adopt 6HZZCXME
            """)

    @Option(
        help: ArgumentHelp("The history to keep: its id, or the first letters of it.", valueName: "history"))
    var adopt: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Show what would be reverted, and write nothing.")
    var dryRun = false

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole(author: writing.author)
        let all = try store.forks().flatMap(\.branches).map(\.stream)
        let found = all.filter { "\($0)".hasPrefix(adopt.uppercased()) }
        guard found.count == 1, let stream = found.first, !adopt.isEmpty else {
            throw StoreError(
                .notFound,
                found.isEmpty
                    ? "There is no history \(adopt)." : "\(found.count) histories begin with \(adopt).",
                hint: "groundwave forks lists them.")
        }
        let words = "all histories except \(stream.short)"
        try await TakingBack(
            try store.events(beside: stream), words, note: writing.note ?? "Resolve fork: keep \(stream.short)",
            author: writing.author
        ).run(store, json: options.json, yes: yes, dryRun: dryRun)
    }
}

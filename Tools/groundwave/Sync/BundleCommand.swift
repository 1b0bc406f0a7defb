import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveWording

struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Carry events to another device in a file, such as on a USB stick or by e-mail.",
        discussion: """
            Bundles may be applied in any order and any number of times, and not all of them have to be applied. \
            Events that depend on missing ones wait until those arrive. Bundles are signed, and encrypted if the log is sealed.

              groundwave bundle create -o summit.gwb
              groundwave bundle apply summit.gwb --store ~/logbook
            """,
        subcommands: [BundleCreate.self, BundleApply.self])
}

struct BundleCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Write the events that another device is missing to a file.")

    @Option(
        help: ArgumentHelp(
            "What the other device has, as groundwave digest shows it there: REPLICA=n,… Default: include all events.",
            valueName: "vector"))
    var missingFrom: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String

    @OptionGroup var overwriting: Overwriting
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var ranges: Int
        var events: UInt64
        var bytes: Int
    }

    func run() async throws {
        try overwriting.check(output)
        let store = try await options.openWhole()
        let vector = try missingFrom.map { try store.vector($0) } ?? VersionVector()
        let made = try await store.createBundle(missingFrom: vector, to: output)
        if options.json {
            return try Terminal.print(json: Result(ranges: made.ranges, events: made.events, bytes: made.bytes))
        }
        try Terminal.print("\(output): \(NumberText.count(made.events, "event")), \(NumberText.bytes(made.bytes)).")
    }
}

struct BundleApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Add the events of bundles to the log.")

    @Argument(help: ArgumentHelp("The bundles.", valueName: "file"))
    var files: [String]
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var ranges: Int
        var events: Int
        var returned: Int
        var repeated: UInt64
        var waiting: [SyncStatusResult.Range]
        var apart: [SyncStatusResult.Range]
    }

    func run() async throws {
        let store = try await options.openWhole()
        var all = BundleApplied()
        for file in files {
            let applied = try await store.applyBundle(file)
            all.ranges += applied.ranges
            all.events += applied.events
            all.returned += applied.returned
            all.repeated += applied.repeated
            all.apart += applied.apart
            if !options.json {
                try Terminal.print(
                    "\(file): \(NumberText.received(applied.events, "new event", returned: applied.returned)), "
                        + "\(applied.repeated) already here.")
            }
        }
        let waiting = try store.missing()
        if options.json {
            try Terminal.print(
                json: Result(
                    ranges: all.ranges, events: all.events, returned: all.returned, repeated: all.repeated,
                    waiting: waiting.map { .init($0.range) }, apart: all.apart.map { .init($0) }))
        } else if !waiting.isEmpty {
            Terminal.remark(
                "\(NumberText.count(waiting.count, "range")) pending; earlier events are missing: groundwave missing")
        }
        if !waiting.isEmpty { throw Answer.inPart }
    }
}

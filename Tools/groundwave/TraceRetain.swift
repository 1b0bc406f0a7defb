import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters

struct TraceRetain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retain", abstract: "Say for how long this device keeps samples, and let go of older ones.",
        discussion: """
              groundwave trace retain --days 90 --dry-run
              groundwave trace retain --days 90
              groundwave trace retain --forever

            Old samples leave the log of this device, and it gets smaller. What is said of them stays for ever: trace \
            show, trace plot from afar, and every proof are as before. Other devices keep theirs. Samples that are set to \
            synced stay until every other device has seen them.

            The rule holds from then on: what gets old later goes by itself, where that is worth writing the log anew.
            """)

    @Option(help: ArgumentHelp("Keep samples for so many days from when they were recorded.", valueName: "days"))
    var days: Int?

    @Flag(help: "Keep samples for ever.")
    var forever = false

    @Option(
        help: ArgumentHelp(
            "A device that will never be heard of again, and need not have seen what goes. Repeatable.",
            valueName: "device"))
    var gone: [String] = []

    @OptionGroup var options: StoreOptions
    @Flag(help: "Do not ask.")
    var yes = false
    @Flag(help: "Tell what would go, and change nothing.")
    var dryRun = false

    struct Result: Encodable {
        var days: Int?
        var traces: [String]
        var blocks: Int
        var rows: UInt64
        var bytes: Int
        var heldBack: Int
        var waitingFor: [String]
        var logBytesBefore: Int
        var logBytes: Int
    }

    func validate() throws {
        if days != nil, forever { throw ValidationError("--days or --forever, not both.") }
    }

    func run() async throws {
        let store = try await options.openWhole()
        let gone = Set(try gone.map { try store.replica(named: $0) })
        let bytesBefore = try store.logBytes()
        let rule = try days ?? (forever ? nil : store.sampleDays())
        var old = try store.oldSamples(keptForDays: rule, gone: gone)
        if !options.json { try tell(old, store) }
        if !dryRun {
            if old.blockCount > 0, !yes {
                try Confirmation.ask("Let go of them?", orElse: "This would take old samples out of the log.")
            }
            if rule != (try store.sampleDays()) { try store.keepSamples(forDays: rule) }
            old = try Progress.during("Letting go") { _ in try store.letGoOfOldSamples(gone: gone) }
        }
        if options.json {
            return try Terminal.print(
                json: Result(
                    days: old.days, traces: old.traces.map { "\($0)" }, blocks: old.blockCount, rows: old.rowCount,
                    bytes: old.byteCount, heldBack: old.heldBackCount, waitingFor: old.waitingFor.map { "\($0)" },
                    logBytesBefore: bytesBefore, logBytes: try store.logBytes()))
        }
        if dryRun { return try Terminal.print("Nothing was changed.") }
        guard old.blockCount > 0 else { return }
        try Terminal.print(
            "Let go: the log takes \(NumberText.bytes(try store.logBytes())), and took "
                + "\(NumberText.bytes(bytesBefore)).")
    }

    private func tell(_ old: OldSamples, _ store: Store) throws {
        guard let days = old.days else { return try Terminal.print("This device keeps samples for ever.") }
        try Terminal.print("This device keeps samples for \(NumberText.count(days, "day")).")
        if old.blockCount > 0 {
            try Terminal.print(
                "Older: \(NumberText.count(old.rowCount, "row")) of \(NumberText.count(old.traces.count, "trace")), "
                    + "\(NumberText.bytes(old.byteCount)).")
        } else {
            try Terminal.print("None is older that could go.")
        }
        guard old.heldBackCount > 0 else { return }
        let names = try store.deviceNames()
        let devices = old.waitingFor.map { names[$0] ?? $0.short }.joined(separator: ", ")
        try Terminal.print(
            "\(NumberText.count(old.heldBackCount, "block")) that travel stay: "
                + (devices.isEmpty ? "another device asks for them." : "not seen yet by \(devices)."))
    }
}

import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

struct TraceRetain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retain", abstract: "Set how long this device keeps samples, and remove older ones.",
        discussion: """
              groundwave trace retain --days 90 --dry-run
              groundwave trace retain --days 90
              groundwave trace retain --forever

            Old samples are removed from the log of this device, which gets smaller. Their summaries stay permanently: \
            groundwave trace show, plots of long stretches, and every proof stay the same. Other devices keep their \
            samples. Samples that are set to synced stay until every other device has seen them.

            The rule stays in force: samples that become old later are removed automatically, when that frees enough \
            space to be worth rewriting the log.
            """)

    @Option(help: ArgumentHelp("Keep samples for this many days after they were recorded.", valueName: "days"))
    var days: Int?

    @Flag(help: "Keep samples forever.")
    var forever = false

    @Option(
        help: ArgumentHelp(
            "A device that will never sync again: do not wait until it has seen these samples. Repeatable.",
            valueName: "device"))
    var gone: [String] = []

    @OptionGroup var options: StoreOptions
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Show what would be removed, and change nothing.")
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
        if days != nil, forever { throw ValidationError("Use either --days or --forever, not both.") }
    }

    func run() async throws {
        let store = try await options.openWhole()
        let gone = Set(try gone.map { try store.replica(named: $0) })
        let bytesBefore = try store.logBytes()
        let rule = try days ?? (forever ? nil : store.sampleDays())
        var old = try store.oldSamples(keptForDays: rule, retired: gone)
        if !options.json { try printReport(old, store) }
        if !dryRun {
            if old.blockCount > 0, !yes {
                try Confirmation.ask("Remove them?", orElse: "This would remove old samples from the log.")
            }
            if rule != (try store.sampleDays()) { try store.keepSamples(forDays: rule) }
            old = try Progress.during("Removing old samples") { _ in try store.removeOldSamples(retired: gone) }
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
            "Removed. The log now takes \(NumberText.bytes(try store.logBytes())); before, it took "
                + "\(NumberText.bytes(bytesBefore)).")
    }

    private func printReport(_ old: OldSamples, _ store: Store) throws {
        guard let days = old.days else { return try Terminal.print("This device keeps samples forever.") }
        try Terminal.print("This device keeps samples for \(NumberText.count(days, "day")).")
        if old.blockCount > 0 {
            try Terminal.print(
                "Older: \(NumberText.count(old.rowCount, "row")) of \(NumberText.count(old.traces.count, "trace")), "
                    + "\(NumberText.bytes(old.byteCount)).")
        } else {
            try Terminal.print("There are no older samples that can be removed.")
        }
        guard old.heldBackCount > 0 else { return }
        let names = try store.deviceNames()
        let devices = old.waitingFor.map { names[$0] ?? $0.short }.joined(separator: ", ")
        try Terminal.print(
            "\(NumberText.count(old.heldBackCount, "block")) of synced samples kept: "
                + (devices.isEmpty ? "another device has requested them." : "not yet seen by \(devices)."))
    }
}

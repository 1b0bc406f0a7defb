import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

struct WhatIf: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whatif",
        abstract: "Show the store as it would be without an import, a device or an event, or with a corrected clock.",
        discussion: """
            The log is replayed with these changes into a temporary view, and the differences are shown. Nothing is \
            written unless you add --keep. Then the result is written as new changes: groundwave history shows them, \
            groundwave undo reverts them, and they reach your other devices.

              groundwave whatif --without-import last
              groundwave whatif --without-replica laptop
              groundwave whatif --clock summit=+3600
              groundwave whatif --policy qso.COMMENT=established
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var archives: ArchiveOptions
    @OptionGroup var writing: WriteOptions

    @Option(help: ArgumentHelp("Without this import: its id, or last. Repeatable.", valueName: "id"))
    var withoutImport: [String] = []
    @Option(
        help: ArgumentHelp("Without what this device wrote: its name or replica. Repeatable.", valueName: "replica"))
    var withoutReplica: [String] = []
    @Option(help: ArgumentHelp("Without this event: REPLICA.n, @position or last. Repeatable.", valueName: "event"))
    var withoutEvent: [String] = []
    @Option(
        help: ArgumentHelp("With this many seconds added to the device's clock. Repeatable.", valueName: "replica=+s"))
    var clock: [String] = []
    @Option(
        help: ArgumentHelp(
            "Of several concurrent values, show the last one (latest) or the first one (established). Repeatable.",
            valueName: "kind.field=policy"))
    var policy: [String] = []
    @Flag(help: "Apply the result: write the changes that make the store look like this.")
    var keep = false
    @Flag(help: "Do not ask before --keep writes.")
    var yes = false
    @Option(help: ArgumentHelp("Show at most this many records; default on a terminal: 50.", valueName: "count"))
    var limit: Int?

    struct Result: Encodable {
        var added: [DifferenceOutput.Record]
        var removed: [DifferenceOutput.Record]
        var changed: [DifferenceOutput.Record]
        var kept: Bool
        var events: Int
    }

    func validate() throws {
        if keep, !archives.files.isEmpty { throw ValidationError("--keep cannot be combined with --archive.") }
        if [withoutImport, withoutReplica, withoutEvent, clock, policy].allSatisfy(\.isEmpty) {
            throw ValidationError(
                "Specify --without-import, --without-replica, --without-event, --clock or --policy.")
        }
    }

    func run() async throws {
        let store = try await keep ? options.openWhole(author: writing.author) : options.openForReading(archives)
        let filter = try filter(store)
        let (kinds, names) = try policies(store.kinds)
        let other = try await store.replaying(filter, kinds: kinds)
        var output = DifferenceOutput()
        try store.forEachDifference(from: store, to: other, policiesOf: names) { difference in
            output.append(difference)
            return true
        }
        if !options.json { try output.print(store, limit: limit) }
        var reverted = Reverted()
        if keep, !output.isEmpty {
            try confirm()
            reverted = try await store.keep(
                filter, kinds: kinds, policyKinds: names, note: writing.note, author: writing.author)
        }
        if options.json {
            return try Terminal.print(
                json: Result(
                    added: output.added, removed: output.removed, changed: output.changed, kept: keep,
                    events: reverted.eventCount))
        }
        guard keep else { return Terminal.remark("Nothing was written; --keep applies the result.") }
        try RevertOutput.print(reverted, store)
        try RevertOutput.printLeft(reverted, store)
    }

    private func filter(_ store: Store) throws -> EventFilter {
        var filter = EventFilter()
        for name in withoutImport {
            filter.without.formUnion(try store.events(ofImport: store.resolve(name, kind: "import")))
        }
        for name in withoutReplica {
            filter.without.insert(EventRange(try store.replica(named: name), 1, through: .max))
        }
        for name in withoutEvent {
            let event = try store.event(named: name)
            filter.without.insert(event)
        }
        for text in clock {
            guard let equals = text.lastIndex(of: "="), let seconds = Int64(text[text.index(after: equals)...]),
                abs(seconds) < 1 << 40
            else { throw ValidationError("“\(text)” is not REPLICA=+SECONDS.") }
            filter.clockShifts[try store.replica(named: String(text[..<equals]))] = seconds * 1000
        }
        return filter
    }

    private func policies(_ kinds: Kinds) throws -> (kinds: Kinds?, names: Set<String>) {
        var result = kinds
        var names: Set<String> = []
        for text in policy {
            guard let match = text.wholeMatch(of: /([^.=]+)\.([^=]+)=(.+)/) else {
                throw ValidationError("“\(text)” is not KIND.FIELD=POLICY.")
            }
            let (kind, field) = (String(match.1), match.2.uppercased())
            guard let policy = MergePolicy(rawValue: String(match.3)), [.latest, .established].contains(policy) else {
                throw ValidationError("“\(match.3)” is not a policy: use latest or established.")
            }
            guard let changed = result.reading(kind, field, by: policy) else {
                throw StoreError(
                    .usage, "The kind \(kind) has no single-valued field \(field).",
                    hint: "groundwave record kinds lists them.")
            }
            result = changed
            names.insert(kind)
        }
        return (names.isEmpty ? nil : result, names)
    }

    private func confirm() throws {
        if yes { return }
        try Confirmation.ask("Apply the result?", orElse: "This would write changes.")
    }
}

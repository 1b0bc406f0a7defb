import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

struct WhatIf: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whatif",
        abstract: "What the store would show without an import, a device or an event, or with a clock set right.",
        discussion: """
            The log is replayed without them into a scratch view, and what differs is shown. Nothing is written, unless \
            --keep makes it so: by new changes that the history shows, that undo takes back, and that reach your other \
            devices like all others.

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
        help: ArgumentHelp("With so many seconds added to this device's clock. Repeatable.", valueName: "replica=+s"))
    var clock: [String] = []
    @Option(
        help: ArgumentHelp(
            "Of several values written side by side show the latest, or the established one, which came first.",
            valueName: "kind.field=policy"))
    var policy: [String] = []
    @Flag(help: "Make it so: write what makes the store show this.")
    var keep = false
    @Flag(help: "Do not ask before --keep writes.")
    var yes = false
    @Option(help: ArgumentHelp("Show at most so many records; 50 on a terminal.", valueName: "count"))
    var limit: Int?

    struct Result: Encodable {
        var added: [DifferenceOutput.Record]
        var removed: [DifferenceOutput.Record]
        var changed: [DifferenceOutput.Record]
        var kept: Bool
        var events: Int
    }

    func validate() throws {
        if keep, !archives.files.isEmpty { throw ValidationError("--keep writes, and goes with no --archive.") }
        if [withoutImport, withoutReplica, withoutEvent, clock, policy].allSatisfy(\.isEmpty) {
            throw ValidationError(
                "What if what? Say --without-import, --without-replica, --without-event, --clock or --policy.")
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
        guard keep else { return Terminal.remark("Nothing was written; --keep makes it so.") }
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
            else { throw ValidationError("“\(text)” is no REPLICA=+SECONDS.") }
            filter.clockShifts[try store.replica(named: String(text[..<equals]))] = seconds * 1000
        }
        return filter
    }

    private func policies(_ kinds: Kinds) throws -> (kinds: Kinds?, names: Set<String>) {
        var result = kinds
        var names: Set<String> = []
        for text in policy {
            guard let match = text.wholeMatch(of: /([^.=]+)\.([^=]+)=(.+)/) else {
                throw ValidationError("“\(text)” is no KIND.FIELD=POLICY.")
            }
            let (kind, field) = (String(match.1), match.2.uppercased())
            guard let policy = MergePolicy(rawValue: String(match.3)), [.latest, .established].contains(policy) else {
                throw ValidationError("“\(match.3)” is no policy: say latest or established.")
            }
            guard let changed = result.reading(kind, field, by: policy) else {
                throw StoreError(
                    .usage, "There is no field \(field) of one value in the kind \(kind).",
                    hint: "groundwave record kinds lists them.")
            }
            result = changed
            names.insert(kind)
        }
        return (names.isEmpty ? nil : result, names)
    }

    private func confirm() throws {
        if yes { return }
        try Confirmation.ask("Make it so?", orElse: "This would write changes.")
    }
}

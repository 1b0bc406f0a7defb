import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRecords
import GroundwaveWording

struct QSORemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Hide one or more contacts; groundwave qso restore shows them again.",
        discussion: """
            Nothing is lost: the contact stays in the log. Hiding more than one contact needs --yes.

              groundwave qso remove last --note "Logged twice"
              groundwave qso remove --session last --call N0CALL --yes
            """)

    @Argument(help: ArgumentHelp("The contacts: ids, calls or last.", valueName: "id"))
    var names: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var filters: QSOFilters

    @Flag(help: "Hide more than one contact without asking.")
    var yes = false

    @Flag(help: "Show what would be hidden, and hide nothing.")
    var dryRun = false

    func run() async throws {
        try await QSOVisibility(
            names: names, options: options, writing: writing, filters: filters, yes: yes, dryRun: dryRun, isHiding: true
        ).run()
    }
}

/// Hides contacts, or shows them again.
struct QSOVisibility {
    let names: [String]
    let options: StoreOptions
    let writing: WriteOptions
    let filters: QSOFilters
    let yes: Bool
    let dryRun: Bool
    let isHiding: Bool

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let scope: ResolveScope = isHiding || names.contains { RecordID(text: $0) != nil } ? .all : .hidden
        let selection = try QSOSelection(names, filters, in: store, among: scope)
        try selection.confirm(isHiding ? "hide" : "restore", yes: yes, dryRun: dryRun, json: options.json)
        let ids = selection.records.map(\.id)
        let isHiding = isHiding
        let change: @Sendable (inout WriteBatch) throws -> [RecordID] = { batch in
            try ids.filter { isHiding ? try batch.remove("qso", $0) : try batch.restore("qso", $0) }
        }
        let changed: [RecordID]
        var batch: Batch?
        if dryRun {
            changed = try await store.preview(change)
        } else {
            let written = try await store.write(note: writing.note ?? "", author: writing.author, change)
            changed = written.value
            batch = written.batch
        }
        try report(selection, changed, batch)
    }

    private func report(_ selection: QSOSelection, _ changed: [RecordID], _ batch: Batch?) throws {
        if options.json {
            if selection.isSingle, let id = selection.records.first?.id {
                return try Terminal.print(json: ChangeResult(id, batch))
            }
            return try Terminal.print(
                json: BulkResult(
                    changed: changed.count, ids: changed.map { "\($0)" }, event: batch.map { "\($0.first)" },
                    position: batch?.position))
        }
        if selection.records.isEmpty { return try Terminal.print("No contact matches.") }
        if changed.isEmpty {
            let name = selection.single.map { ": \(ContactText.line($0))" } ?? ""
            return try Terminal.print("No change: \(isHiding ? "already" : "not") hidden\(name).")
        }
        let verb = isHiding ? "hidden" : "shown again"
        if let contact = selection.single {
            return try Terminal.print(
                "\(dryRun ? "Would be \(verb)" : verb.prefix(1).uppercased() + verb.dropFirst()): \(ContactText.line(contact))"
            )
        }
        try Terminal.print("\(NumberText.count(changed.count, "contact")) \(dryRun ? "would be " : "")\(verb).")
    }
}

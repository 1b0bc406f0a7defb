import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct QSOEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change fields of a contact, or of many.",
        discussion: """
            FIELD= clears a field. A new FREQ also changes BAND, and a new MODE also changes SUBMODE. With filters \
            instead of an id, all contacts that match are changed in one batch; more than one needs --yes.

              groundwave qso edit W1AW FREQ=14.035 --note "Read back wrong"
              groundwave qso edit --since today --band 40m MY_RIG=KX2 --yes
            """)

    @Argument(help: ArgumentHelp("The contact, then its new values.", valueName: "id field=value"))
    var words: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var filters: QSOFilters

    @Flag(help: "Change more than one contact without asking.")
    var yes = false

    @Flag(help: "Show what would be changed, and change nothing.")
    var dryRun = false

    func run() async throws {
        let arguments = try FieldArguments(words)
        guard !arguments.assignments.isEmpty else {
            throw StoreError(.usage, "No new value was given.", hint: "groundwave qso edit ID FIELD=VALUE")
        }
        let store = try await options.open(author: writing.author)
        let selection = try QSOSelection(arguments.names, filters, in: store)
        try selection.confirm("change", yes: yes, dryRun: dryRun, json: options.json)
        let ids = selection.records.map(\.id)
        let assignments = arguments.assignments
        let countries = assignments.contains { $0.name == "CALL" } ? Countries.forLogging(store) : nil
        let edit: @Sendable (inout WriteBatch) throws -> ([RecordID], [String]) = { batch in
            var changed: [RecordID] = []
            var remarks: [String] = []
            for id in ids {
                let result = try batch.edit(id, assignments)
                if let countries { try batch.replaceCountry(of: id, assignments, by: countries) }
                if result.isChanged { changed.append(id) }
                for remark in result.remarks where !remarks.contains(remark) { remarks.append(remark) }
            }
            return (changed, remarks)
        }
        let changed: [RecordID]
        let remarks: [String]
        var batch: Batch?
        if dryRun {
            (changed, remarks) = try await store.preview(edit)
        } else {
            let written = try await store.write(note: writing.note ?? "", author: writing.author, edit)
            (changed, remarks) = written.value
            batch = written.batch
        }
        try report(selection, changed, assignments, remarks, batch)
    }

    private func report(
        _ selection: QSOSelection, _ changed: [RecordID], _ assignments: [Assignment], _ remarks: [String],
        _ batch: Batch?
    ) throws {
        if options.json {
            if selection.isSingle, let id = selection.records.first?.id {
                return try Terminal.print(json: ChangeResult(id, batch))
            }
            return try Terminal.print(
                json: BulkResult(
                    changed: changed.count, ids: changed.map { "\($0)" }, event: batch.map { "\($0.first)" },
                    position: batch?.position))
        }
        for remark in remarks { Terminal.remark("\(remark)") }
        if selection.records.isEmpty { return try Terminal.print("No contact matches.") }
        if changed.isEmpty {
            let name = selection.single.map { ": \(ContactText.line($0))" } ?? ""
            return try Terminal.print("No change: these values are already set\(name).")
        }
        if let contact = selection.single {
            let values = assignments.map { "\($0.name)=\(RecordText.text($0.value ?? []))" }.joined(separator: " ")
            let verb = dryRun ? "Would be changed" : "Changed"
            return try Terminal.print("\(verb): \(ContactText.line(contact)): \(values)")
        }
        try Terminal.print("\(NumberText.count(changed.count, "contact")) \(dryRun ? "would be " : "")changed.")
    }
}

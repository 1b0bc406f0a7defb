import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

struct RecordEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change fields of a record; FIELD= clears one.",
        discussion: """
              groundwave record edit equipment Portable POWER=10
            """)

    @Argument(help: ArgumentHelp("The kind.", valueName: "kind"))
    var kind: String

    @Argument(help: ArgumentHelp("The record: its id, its name, or last.", valueName: "id"))
    var name: String

    @Argument(help: ArgumentHelp("The new values.", valueName: "field=value"))
    var fields: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let arguments = try FieldArguments(fields)
        if let word = arguments.names.first { throw StoreError(.usage, "“\(word)” is not FIELD=VALUE.") }
        guard !arguments.assignments.isEmpty else {
            throw StoreError(
                .usage, "No new value was given for the \(kind).", hint: "groundwave record edit KIND ID FIELD=VALUE")
        }
        let store = try await options.open(author: writing.author)
        let id = try store.resolve(name, kind: kind)
        let assignments = try RecordFields.resolved(arguments.assignments, kind: kind, store)
        let kind = kind
        let written = try await store.write(note: writing.note ?? "", author: writing.author) { batch in
            try batch.editNaturally(kind, id, assignments)
        }
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        for remark in written.value.remarks { Terminal.remark("\(remark)") }
        try Terminal.print(
            written.value.isChanged
                ? "The \(kind) \(id.short) was changed."
                : "No change: these values are already set.")
    }
}

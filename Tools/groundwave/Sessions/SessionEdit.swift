import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct SessionEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the values that a session fills in for future contacts.",
        discussion: """
            Contacts that are already logged stay the same. An empty value clears a field.

              groundwave session edit --freq 7.032
              groundwave session edit last --park US-1234,US-5678 NOTES="Two-fer"
              groundwave session edit last STARTED=2026-05-01T08:00 ENDED=2026-05-01T10:30
            """)

    @Argument(help: ArgumentHelp("The session (default: the open one), and other fields.", valueName: "id field=value"))
    var words: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var session: SessionFields
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let arguments = try FieldArguments(words)
        guard arguments.names.count < 2 else { throw StoreError(.usage, "Only one session can be edited at a time.") }
        let assignments = session.assignments + arguments.assignments
        guard !assignments.isEmpty else {
            throw StoreError(.usage, "No new value was given.", hint: "groundwave session edit --freq 7.032")
        }
        let store = try await options.open(author: writing.author)
        let id = try arguments.names.first.map { try SessionName.resolve($0, store) } ?? SessionName.open(store).id
        let written = try await store.editSession(
            id, assignments, now: Clock.now, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        for remark in written.value { Terminal.remark("\(remark)") }
        try Terminal.print(
            written.batch == nil ? "No change: these values are already set." : "The session \(id.short) was changed.")
    }
}

import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords

struct ConflictsChoose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "choose", abstract: "Decide which value counts, on all devices.",
        discussion: """
            If one device hid the record while another changed it, the conflict is listed under the field RECORD.

              groundwave conflicts choose W1AW FREQ ABCD1234.17
            """)

    @Argument(help: ArgumentHelp("The record: its id, or for a contact its call.", valueName: "id"))
    var name: String

    @Argument(help: ArgumentHelp("The field, as groundwave conflicts show prints it.", valueName: "field"))
    var field: String

    @Argument(
        help: ArgumentHelp("The event whose value counts: its id, or the first letters of it.", valueName: "event"))
    var event: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Option(help: ArgumentHelp("The kind of the record.", valueName: "kind"))
    var kind = QSOKind.name

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let record = try ConflictRecord.find(name, kind, store)
        let conflicts = try store.conflicts(in: record) + store.contradictions(in: record)
        guard !conflicts.isEmpty else {
            throw StoreError(.notFound, "The \(record.kind) \(record.id.short) has no conflict.")
        }
        let wanted = field.uppercased()
        guard let conflict = conflicts.first(where: { $0.field.uppercased() == wanted || $0.members.contains(wanted) })
        else {
            throw StoreError(
                .notFound, "The field \(field) has no conflict.",
                hint: "Fields with a conflict: \(conflicts.map(\.field).joined(separator: ", ")).")
        }
        let candidate = try candidate(in: conflict)
        let written = try await store.choose(
            candidate, in: conflict, note: writing.note, author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(record.id, written.batch)) }
        let value = ConflictText.text(candidate, of: conflict) ?? "(cleared)"
        try Terminal.print("\(conflict.field) is now \(value).")
    }

    private func candidate(in conflict: Conflict) throws -> Conflict.Candidate {
        let wanted = event.uppercased()
        func names(_ candidate: Conflict.Candidate) -> [String] {
            [ConflictText.name(candidate, in: conflict), ConflictText.short(candidate, in: conflict)]
        }
        let exact = conflict.candidates.filter { names($0).contains(wanted) }
        let found = exact.isEmpty ? conflict.candidates.filter { names($0).contains { $0.hasPrefix(wanted) } } : exact
        guard found.count == 1 else {
            let list = conflict.candidates.map { ConflictText.short($0, in: conflict) }.joined(separator: ", ")
            throw StoreError(
                .notFound, "\(event) matches \(found.isEmpty ? "none" : "several") of the values of \(conflict.field).",
                hint: "The values are from the events \(list).")
        }
        return found[0]
    }
}

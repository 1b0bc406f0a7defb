import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

struct ConflictsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the conflicts of one record.",
        discussion: """
              groundwave conflicts show W1AW
              groundwave conflicts show W1AW --sources
            """)

    @Argument(help: ArgumentHelp("The record: its id, or for a contact its call.", valueName: "id"))
    var name: String

    @OptionGroup var options: ReadOptions

    @Option(help: ArgumentHelp("The kind of the record.", valueName: "kind"))
    var kind = QSOKind.name

    @Flag(help: "Show what imported files say against the values shown, instead of conflicts.")
    var sources = false

    func run() async throws {
        let store = try await options.open(needsHistory: true)
        let record = try ConflictRecord.find(name, kind, store)
        let conflicts = sources ? try store.contradictions(in: record) : try store.conflicts(in: record)
        try ConflictText.print(conflicts, store, ofSources: sources, json: options.json)
    }
}

/// The record that a conflict is in.
enum ConflictRecord {
    /// The record that `name` names: one that has a conflict, of whichever kind; else one of `kind`.
    static func find(_ name: String, _ kind: String, _ store: any Reading) throws -> Record {
        let waiting = try store.conflicts().filter { $0.id.description.hasPrefix(name.uppercased()) }
        if waiting.count == 1 { return waiting[0] }
        let id = try store.resolve(name, kind: kind)
        guard let record = try store.read({ try $0.record(kind, id) }) else {
            throw StoreError(.notFound, "There is no \(kind) \(id.short).")
        }
        return record
    }
}

import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents

struct Revert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Revert one event or a whole import, no matter who wrote it and when.",
        discussion: """
            The values that it replaced come back; what was changed since then stays, and is listed. Nothing is \
            lost: the revert is itself a change that groundwave history shows and that reaches your other devices, and \
            groundwave undo reverts it.

              groundwave revert --import last
              groundwave revert @1204 --note "Wrong contact"
            """)

    @Argument(help: ArgumentHelp("The event: REPLICA.n, @position or last.", valueName: "event"))
    var event: String?
    @Option(name: .customLong("import"), help: ArgumentHelp("The import: its id, or last.", valueName: "id"))
    var importName: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Show what would be reverted, and write nothing.")
    var dryRun = false

    func validate() throws {
        if (event == nil) == (importName == nil) { throw ValidationError("Specify either an event or --import ID.") }
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole(author: writing.author)
        let (events, words) = try chosen(store)
        try await TakingBack(events, words, note: writing.note ?? "Revert \(words)", author: writing.author)
            .run(store, json: options.json, yes: yes, dryRun: dryRun)
    }

    private func chosen(_ store: Store) throws -> (EventSet, String) {
        if let importName {
            let id = try store.resolve(importName, kind: "import")
            let file = try store.record("import", id).flatMap { store.kinds["import"]?.value(of: "FILE", in: $0) }
            return (
                try store.events(ofImport: id),
                "import \(file.map { String(decoding: $0, as: UTF8.self) } ?? id.short)"
            )
        }
        let event = try store.event(named: event ?? "")
        return (try store.events(standingFor: event), event.short)
    }
}

import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents

struct Revert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back one event, or a whole import, whoever wrote it and whenever.",
        discussion: """
            What it replaced comes back; what others changed since stays, and is listed. Nothing is lost: the revert is \
            itself a change that the history shows and that reaches your other devices, and undo gives everything back.

              groundwave revert --import last
              groundwave revert @1204 --note "Wrong contact"
            """)

    @Argument(help: ArgumentHelp("The event: REPLICA.n, @position or last.", valueName: "event"))
    var event: String?
    @Option(name: .customLong("import"), help: ArgumentHelp("The import: its id, or last.", valueName: "id"))
    var importName: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @Flag(help: "Do not ask.")
    var yes = false
    @Flag(help: "Tell what would be taken back, and write nothing.")
    var dryRun = false

    func validate() throws {
        if (event == nil) == (importName == nil) { throw ValidationError("Say an event, or --import and which one.") }
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

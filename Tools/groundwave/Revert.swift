import ArgumentParser
import Events
import Foundation
import Groundwave

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

    struct Result: Encodable {
        struct Record: Encodable {
            var kind: String
            var record: String

            init(_ record: Reverted.Record) {
                kind = record.kind
                self.record = "\(record.record)"
            }
        }

        var events: Int
        var batches: Int
        var changed: [Record]
        var left: [Record]
        var event: String?
    }

    func validate() throws {
        if (event == nil) == (importName == nil) { throw ValidationError("Say an event, or --import and which one.") }
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.open(author: writing.author)
        let (events, words) = try chosen(store)
        let preview = try store.previewRevert(events)
        var reverted = preview
        if !options.json { try RevertOutput.preview(preview, words, store) }
        if !dryRun, !preview.changed.isEmpty {
            if !yes {
                try Confirmation.ask(
                    "Take it back?", orElse: "This would change \(NumberText.count(preview.changed.count, "record")).")
            }
            reverted = try await store.revert(events, note: writing.note ?? "Revert \(words)", author: writing.author)
        }
        if options.json {
            try Terminal.print(
                json: Result(
                    events: reverted.eventCount, batches: reverted.batches.count,
                    changed: reverted.changed.map(Result.Record.init),
                    left: reverted.left.map(Result.Record.init),
                    event: reverted.batches.first.map { "\($0.first)" }))
        } else if dryRun {
            Terminal.print("Nothing was written.")
        } else {
            RevertOutput.print(reverted, store)
        }
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

/// What a revert did, or would do, in sentences.
enum RevertOutput {
    static func preview(_ reverted: Reverted, _ words: String, _ store: Store) throws {
        let changed = NumberText.count(reverted.changed.count, "record")
        Terminal.print("Taking back \(words) changes \(changed)\(reverted.changed.isEmpty ? "." : ":")")
        try list(reverted.changed, store)
        try printLeft(reverted, store)
    }

    static func printLeft(_ reverted: Reverted, _ store: Store) throws {
        let left = reverted.left.count
        if left > 0 {
            Terminal.print(
                "\(NumberText.count(left, "record")) \(left == 1 ? "stays" : "stay"), changed by others since:")
        }
        try list(reverted.left, store)
    }

    private static func list(_ records: [Reverted.Record], _ store: Store) throws {
        var names = RecordNames(store)
        for record in records.prefix(20) { Terminal.print("  \(try names.name(record.kind, record.record))") }
        if records.count > 20 { Terminal.print("  and \(records.count - 20) more; --json lists all.") }
    }

    static func print(_ reverted: Reverted, _ store: Store) {
        guard let first = reverted.batches.first, !reverted.changed.isEmpty else {
            return Terminal.print("There was nothing left to take back.")
        }
        Terminal.print(
            "Taken back: \(NumberText.count(reverted.changed.count, "record")), from event \(first.first.short) on.")
    }
}

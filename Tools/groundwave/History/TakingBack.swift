import Groundwave
import GroundwaveEvents
import GroundwaveWording

/// Reverts events after showing what that changes and asking.
struct TakingBack {
    let events: EventSet
    /// A description of the events, for use in a sentence.
    let words: String
    let note: String
    let author: String?

    init(_ events: EventSet, _ words: String, note: String, author: String?) {
        (self.events, self.words, self.note, self.author) = (events, words, note, author)
    }

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

    func run(_ store: Store, json: Bool, yes: Bool, dryRun: Bool) async throws {
        let preview = try store.previewRevert(events)
        var reverted = preview
        if !json { try RevertOutput.preview(preview, words, store) }
        if !dryRun, !preview.changed.isEmpty {
            if !yes {
                try Confirmation.ask(
                    "Revert it?", orElse: "This would change \(NumberText.count(preview.changed.count, "record")).")
            }
            reverted = try await store.revert(events, note: note, author: author)
        }
        if json {
            try Terminal.print(
                json: Result(
                    events: reverted.eventCount, batches: reverted.batches.count,
                    changed: reverted.changed.map(Result.Record.init),
                    left: reverted.left.map(Result.Record.init),
                    event: reverted.batches.first.map { "\($0.first)" }))
        } else if dryRun {
            try Terminal.print("Nothing was written.")
        } else {
            try RevertOutput.print(reverted, store)
        }
    }
}

/// What a revert did, or would do, in sentences.
enum RevertOutput {
    static func preview(_ reverted: Reverted, _ words: String, _ store: Store) throws {
        let changed = NumberText.count(reverted.changed.count, "record")
        try Terminal.print("Reverting \(words) changes \(changed)\(reverted.changed.isEmpty ? "." : ":")")
        try list(reverted.changed, store)
        try printLeft(reverted, store)
    }

    static func printLeft(_ reverted: Reverted, _ store: Store) throws {
        let left = reverted.left.count
        if left > 0 {
            try Terminal.print(
                "\(NumberText.count(left, "record")) \(left == 1 ? "stays" : "stay"), changed since:")
        }
        try list(reverted.left, store)
    }

    private static func list(_ records: [Reverted.Record], _ store: Store) throws {
        var names = RecordNames(store)
        for record in records.prefix(20) { try Terminal.print("  \(try names.name(record.kind, record.record))") }
        if records.count > 20 { try Terminal.print("  … and \(records.count - 20) more: --json lists them all.") }
    }

    static func print(_ reverted: Reverted, _ store: Store) throws {
        guard let first = reverted.batches.first, !reverted.changed.isEmpty else {
            return try Terminal.print("There was nothing left to revert.")
        }
        try Terminal.print(
            "Reverted: \(NumberText.count(reverted.changed.count, "record")), from event \(first.first.short) on.")
    }
}

import ArgumentParser
import Foundation
import Groundwave
import GroundwaveWording

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the latest changes that were made in this store.",
        discussion: """
            Shows what would be undone, and asks. An import is one step, however large. Nothing is lost: the undo is \
            itself a change that groundwave history shows, and what was changed since then is kept.

            Undo reaches what this store wrote as its present replica: the one that groundwave replicas marks as this \
            device. A store that was copied or restored from a backup becomes a new replica with its first change or \
            sync; a store that is cleared, or recovered after damage, becomes one then. Undo does not reach what was \
            written before that, nor what came from other devices: groundwave revert does.

              groundwave undo --dry-run
              groundwave undo 2 --note "Wrong file"
            """)

    @Argument(help: ArgumentHelp("The number of steps.", valueName: "count"))
    var count = 1

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Show what would be undone, and write nothing.")
    var dryRun = false

    struct Result: Encodable {
        struct Step: Encodable {
            var stamp: String
            var author: String
            var note: String
            var changes: Int
            var batches: Int
            var event: String
        }

        var batches: Int
        var events: Int
        var records: Int
        var steps: [Step]
    }

    func validate() throws {
        guard count > 0 else { throw ValidationError("The count must be at least 1.") }
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.open(author: writing.author)
        let steps = try store.undoableSteps(count)
        var result = Result(
            batches: 0, events: 0, records: 0,
            steps: steps.map {
                .init(
                    stamp: UTCText.milliseconds($0.stamp.milliseconds), author: $0.note.author, note: $0.note.text,
                    changes: $0.changeCount, batches: $0.batches.count, event: "\($0.batches[0].first)")
            })
        if !options.json { try describe(steps) }
        var isLeft = false
        if !steps.isEmpty, !dryRun {
            try confirm(steps)
            for step in steps {
                let reverted = try await store.revert(step, note: writing.note, author: writing.author)
                result.batches += reverted.batches.count
                result.events += reverted.eventCount
                result.records += reverted.changed.count
                isLeft = isLeft || !reverted.left.isEmpty
            }
        }
        if options.json { return try Terminal.print(json: result) }
        if steps.isEmpty {
            return try Terminal.print(
                "The present replica of this store has nothing to undo. groundwave revert reverts other changes.")
        }
        if dryRun { return try Terminal.print("Nothing was written.") }
        if result.records == 0 {
            return try Terminal.print(
                isLeft
                    ? "There was nothing left to undo: all of it has been changed since."
                    : "There was nothing to undo: no record shows anything of it.")
        }
        try Terminal.print(
            "Undone: \(NumberText.count(steps.count, "step")), \(NumberText.count(result.records, "record")).")
    }

    private func describe(_ steps: [UndoStep]) throws {
        if steps.isEmpty { return }
        var table = TextTable(["UTC", "WHO", "CHANGES", "NOTE"], numbersFrom: 2, to: 2)
        for step in steps {
            table.append([
                TimeText.milliseconds(step.stamp.milliseconds), step.note.author, "\(step.changeCount)",
                step.note.text,
            ])
        }
        try table.print()
    }

    private func confirm(_ steps: [UndoStep]) throws {
        if yes { return }
        try Confirmation.ask(
            "Undo this?", orElse: "This would undo \(NumberText.count(steps.count, "step")).")
    }
}

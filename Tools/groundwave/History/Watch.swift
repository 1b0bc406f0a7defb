import ArgumentParser
import Foundation
import Groundwave
import GroundwaveMeters
import GroundwaveProjections
import GroundwaveWording

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show changes as they happen, including those of other programs.",
        discussion: """
            Without --since, it starts with the next change. A token marks a position in the history: pass the last \
            token you saw to continue after it; then nothing is missed or shown twice. Ends after --count lines, or \
            when it is interrupted. Exits with status 66 if the token belongs to a history that the store no longer \
            has.

              groundwave watch --kind qso --others
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: ArgumentHelp("Start after this token; 0 for the beginning.", valueName: "token"))
    var since: String?
    @Option(help: ArgumentHelp("Only records of this kind, such as qso.", valueName: "kind"))
    var kind: String?
    @Option(help: ArgumentHelp("Only changes of this field. Repeatable.", valueName: "field"))
    var field: [String] = []
    @Flag(help: "Leave out what this device wrote.")
    var others = false
    @Option(help: ArgumentHelp("End after this many lines.", valueName: "count"))
    var count: Int?

    struct Line: Encodable {
        struct Change: Encodable {
            var field: String
            var operation: String
            var before: JSONBytes?
            var after: JSONBytes?
        }

        var token: String
        var event: String
        var stamp: String
        var replica: String
        var device: String
        var author: String
        var note: String
        var correlation: String?
        var causation: String?
        var local: Bool
        var imported: Bool
        var kind: String
        var id: String
        var changes: [Change]
    }

    func run() async throws {
        let store = try await options.openForReading()
        let token: ChangeToken?
        switch since {
        case nil: token = try store.currentToken()
        case "0": token = nil
        case let text?:
            guard let given = ChangeToken(text) else {
                throw StoreError(
                    .usage, "“\(text)” is not a token.",
                    hint: "Tokens look like 1f2e3d4c5b6a7988.18c91aa0c5b60000@120.")
            }
            token = given
        }
        var filter = ChangeFilter()
        filter.kind = kind
        filter.fields = Set(field.map { $0.uppercased() })
        filter.excludesThisDevice = others
        var names = RecordNames(store)
        var left = count ?? .max
        for try await set in store.changes(since: token, matching: filter) {
            for change in set.changes {
                guard left > 0 else { return }
                left -= 1
                try show(change, of: set, &names)
            }
            if left == 0 { return }
        }
    }

    private func show(
        _ change: ChangeSet.RecordChange, of set: ChangeSet, _ names: inout RecordNames
    ) throws {
        guard options.json else {
            let who = set.author.isEmpty || set.author == set.device ? set.device : "\(set.author) @\(set.device)"
            let what = try names.name(change.kind, change.record)
            let words = AuditNote(
                text: set.note.isEmpty ? "" : "(\(set.note))", correlation: set.correlation, causation: set.causation)
            let parts = [
                TimeText.milliseconds(set.stamp.milliseconds), who, what, Self.text(change),
                ShownValue.note(words, nil),
            ]
            return try Terminal.print("\(parts.filter { !$0.isEmpty }.joined(separator: "  "))")
        }
        try Terminal.print(
            json: Line(
                token: "\(set.token)", event: "\(change.event)", stamp: UTCText.milliseconds(set.stamp.milliseconds),
                replica: "\(set.replica)", device: set.device, author: set.author, note: set.note,
                correlation: set.correlation.isEmpty ? nil : set.correlation,
                causation: set.causation.isEmpty ? nil : set.causation, local: set.isLocal,
                imported: change.isImported, kind: change.kind, id: "\(change.record)",
                changes: change.fields.map {
                    .init(
                        field: $0.field, operation: "\($0.operation)", before: $0.before.map { JSONBytes($0) },
                        after: $0.after.map { JSONBytes($0) })
                }))
    }

    private static func text(_ change: ChangeSet.RecordChange) -> String {
        if let bookkeeping = Bookkeeping(change.kind, change.fields) { return ChangeText.text(bookkeeping) }
        if let handover = Handover(change.kind, change.fields) { return ChangeText.text(handover) }
        if change.isNew, change.fields.allSatisfy({ $0.withheld == nil }) {
            let shown = change.fields.prefix(4).map { "\($0.field) \(ShownValue.text($0.after, limit: 20))" }
            let rest = change.fields.count > shown.count ? ", \(change.fields.count - shown.count) more" : ""
            return "new: \(shown.joined(separator: ", "))\(rest)"
        }
        return change.fields.map(ChangeText.text).joined(separator: "; ")
    }
}

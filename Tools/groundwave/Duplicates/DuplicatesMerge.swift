import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct DuplicatesMerge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Merge two duplicate contacts, or all duplicates.",
        discussion: """
            The first contact stays. Fields that it does not have are copied from the second one, and the second one \
            is hidden. If both have different values for a field, the first contact keeps its own, and the other value \
            is listed. Nothing is lost: groundwave undo reverts the merge, and groundwave qso restore shows the hidden \
            contact again.

            With --all, the contact with more fields stays in each group, or the one that came from the source given \
            with --prefer. A group with a dismissed pair is not merged. The command shows what it would do, and asks.

              groundwave duplicates merge 7Q2X4 9KD0M --note "Logged on two computers"
              groundwave duplicates merge --all --prefer wsjtx_log.adi --dry-run
            """)

    @Argument(help: ArgumentHelp("The contact that stays, then the one that is hidden.", valueName: "id"))
    var names: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Flag(help: "Merge all duplicates.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "With --all: which contact to keep: more (the one with more fields), or an imported file or source.",
            valueName: "more|file"))
    var prefer: String?

    @Option(
        help: ArgumentHelp(
            "With --all: the maximum number of seconds between the two start times; default: 120.",
            valueName: "seconds"))
    var window: Int64?

    @Flag(help: "Merge all without asking.")
    var yes = false

    @Flag(help: "Show what would be merged, and merge nothing.")
    var dryRun = false

    func validate() throws {
        if all, !names.isEmpty { throw ValidationError("Either name two contacts, or use --all.") }
        if !all, names.count != 2 {
            throw ValidationError("Name the contact to keep and the one to hide, or use --all.")
        }
        if !all, prefer != nil || window != nil { throw ValidationError("--prefer and --window need --all.") }
    }

    func run() async throws {
        let store = try await options.open(author: writing.author)
        if all { return try await mergeAll(store) }
        let ids = try names.map { try store.resolve($0, kind: QSOKind.name) }
        if dryRun {
            let merged = try await store.preview { try $0.merge([ids[1]], into: ids[0]) }
            return try report([merged], [], store)
        }
        let written = try await store.merge([ids[1]], into: ids[0], note: writing.note, author: writing.author)
        try report([written.value], written.batch.map { [$0] } ?? [], store)
    }

    private func mergeAll(_ store: Store) async throws {
        let rule = prefer.map { $0.lowercased() == "more" ? .more : DuplicateRule.file($0) } ?? .more
        let groups = try store.duplicateGroups(within: window ?? DuplicatePair.defaultWindow, keeping: rule)
        if groups.isEmpty {
            return options.json ? try report([], [], store) : try Terminal.print("No duplicates to merge.")
        }
        let preview = try await store.preview { batch in try groups.map { try batch.merge($0.drop, into: $0.keep) } }
        if dryRun { return try report(preview, [], store) }
        if !yes { try confirm(preview, store) }
        let merged = try await store.merge(groups, note: writing.note, author: writing.author)
        try report(merged.contacts, merged.batches, store)
        if !merged.left.isEmpty {
            let count = NumberText.count(merged.left.count, "group")
            Terminal.remark("\(count) not merged: a contact of the group was hidden in the meantime.")
        }
    }

    private func confirm(_ preview: [MergedContact], _ store: Store) throws {
        if !options.json { try Terminal.print(lines: table(preview, store).lines) }
        let count = NumberText.count(preview.reduce(0) { $0 + $1.dropped.count }, "contact")
        guard Terminal.canAsk else {
            throw StoreError(
                .usage, "This would hide \(count), merged into \(preview.count).",
                hint: "Add --yes to do it; groundwave undo reverts it.")
        }
        Terminal.ask("Hide \(count), merged into \(preview.count)? [y/N] ")
        guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else { throw Answer.no }
    }
}

// What was done, or would be.
extension DuplicatesMerge {
    struct Result: Encodable {
        struct Pair: Encodable {
            var keep: String
            var drop: String
            var taken: [String]
            var differing: [Difference]
        }

        struct Difference: Encodable {
            var field: String
            var keep: String?
            var drop: String
        }

        var pairs: [Pair]
        var batches: Int
        var events: Int
    }

    private func report(_ merged: [MergedContact], _ batches: [Batch], _ store: Store) throws {
        if options.json {
            let pairs = merged.flatMap { contact in
                contact.dropped.map { dropped in
                    Result.Pair(
                        keep: "\(contact.keep)", drop: "\(dropped.id)", taken: dropped.taken,
                        differing: dropped.differences.map {
                            Result.Difference(
                                field: $0.field, keep: $0.kept.map(RecordText.text), drop: RecordText.text($0.dropped))
                        })
                }
            }
            return try Terminal.print(
                json: Result(
                    pairs: pairs, batches: batches.count, events: batches.reduce(0) { $0 + $1.count }))
        }
        // What was shown before the question is not shown again.
        if !all || dryRun || yes { try Terminal.print(lines: table(merged, store).lines) }
        let count = NumberText.count(merged.reduce(0) { $0 + $1.dropped.count }, "contact")
        try Terminal.print("\(count) \(dryRun ? "would be " : "")hidden, merged into \(merged.count).")
    }

    private func table(_ merged: [MergedContact], _ store: Store) throws -> TextTable {
        var table = TextTable(["STAYS", "HIDDEN", "UTC", "CALL", "COPIED", "NOT COPIED"])
        for contact in merged {
            let record = try store.read { try $0.record(QSOKind.name, contact.keep) }
            let facts = record.map { ContactFacts($0) }
            for dropped in contact.dropped {
                let differences = dropped.differences.map { difference in
                    func text(_ value: [UInt8]) -> String { RecordText.short(RecordText.text(value), 20) }
                    let stays = difference.kept.map(text) ?? "empty"
                    return "\(difference.field) \(text(difference.dropped)) (kept: \(stays))"
                }
                table.append([
                    contact.keep.short, dropped.id.short, facts?.startSeconds.map(TimeText.seconds) ?? "?",
                    facts?.call ?? "", dropped.taken.joined(separator: ", "), differences.joined(separator: ", "),
                ])
            }
        }
        return table
    }
}

import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRecords
import GroundwaveWording

struct Conflicts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "Fields with several concurrent values: list, show, choose.",
        discussion: """
            If two devices write the same field without having seen each other's change, both values are kept and one \
            of them is shown. Decide here which one counts.

            Imported files are no conflict: what you wrote is shown before them, the finest value before coarser ones, \
            and of values that contradict each other the one that was imported first. With --sources such \
            contradictions are listed, and you can choose another value.
            """,
        subcommands: [ConflictsList.self, ConflictsShow.self, ConflictsChoose.self],
        defaultSubcommand: ConflictsList.self)
}

struct ConflictsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the conflicts that wait for a decision.",
        discussion: """
              groundwave conflicts list --exit-code
              groundwave conflicts list --sources
            """)

    @OptionGroup var options: ReadOptions

    @Flag(help: "List the fields in which an imported file contradicts what is shown, instead of conflicts.")
    var sources = false

    @Flag(help: "Exit with status 1 if there are any.")
    var exitCode = false

    func run() async throws {
        let store = try await options.open(needsHistory: true)
        let conflicts =
            sources
            ? try store.contradictions().flatMap { try store.contradictions(in: $0) }
            : try store.conflicts().flatMap { try store.conflicts(in: $0) }
        try ConflictText.print(conflicts, store, ofSources: sources, json: options.json)
        if exitCode, !conflicts.isEmpty { throw Answer.no }
    }
}

/// Conflicts as they are printed.
enum ConflictText {
    struct Result: Encodable {
        struct Conflict: Encodable {
            var kind: String
            var record: String
            var field: String
            var candidates: [Candidate]
        }

        struct Candidate: Encodable {
            var value: String?
            var event: String
            var author: String
            var note: String
            var stamp: String
            var shown: Bool
        }

        var conflicts: [Conflict]
    }

    static func print(_ conflicts: [Conflict], _ store: any Reading, ofSources: Bool, json: Bool) throws {
        if json {
            return try Terminal.print(
                json: Result(
                    conflicts: conflicts.map { conflict in
                        Result.Conflict(
                            kind: conflict.kind, record: "\(conflict.record)", field: conflict.field,
                            candidates: conflict.candidates.map { candidate in
                                Result.Candidate(
                                    value: text(candidate, of: conflict), event: name(candidate, in: conflict),
                                    author: candidate.note.author, note: candidate.note.text,
                                    stamp: UTCText.milliseconds(candidate.stamp.milliseconds), shown: candidate.isShown)
                            })
                    }))
        }
        if conflicts.isEmpty { return try Terminal.print(ofSources ? "No contradictions." : "No conflicts.") }
        var table = TextTable(["KIND", "RECORD", "FIELD", "SHOWN", "VALUE", "EVENT", "WHO", "UTC", "NOTE"])
        for conflict in conflicts {
            for candidate in conflict.candidates {
                table.append([
                    conflict.kind, conflict.record.short, conflict.field, candidate.isShown ? "*" : "",
                    RecordText.short(text(candidate, of: conflict) ?? "(cleared)", 40), short(candidate, in: conflict),
                    candidate.note.author, TimeText.milliseconds(candidate.stamp.milliseconds),
                    RecordText.short(candidate.note.text, 40),
                ])
            }
        }
        try Terminal.print(lines: table.lines)
        Terminal.remark("To decide: groundwave conflicts choose RECORD FIELD EVENT")
    }

    /// A candidate's value; of a register its members, separated by blanks.
    static func text(_ candidate: Conflict.Candidate, of conflict: Conflict) -> String? {
        guard let value = candidate.value else { return nil }
        if conflict.members.isEmpty { return RecordText.text(value) }
        let register = Register(decoding: value, memberCount: conflict.members.count)
        return register.values.compactMap { $0.map(RecordText.text) }.joined(separator: " ")
    }

    /// The event that `choose` takes; where one event wrote several values, with the place of each.
    static func name(_ candidate: Conflict.Candidate, in conflict: Conflict) -> String {
        "\(candidate.head.event)" + place(candidate, in: conflict)
    }

    static func short(_ candidate: Conflict.Candidate, in conflict: Conflict) -> String {
        candidate.head.event.short + place(candidate, in: conflict)
    }

    private static func place(_ candidate: Conflict.Candidate, in conflict: Conflict) -> String {
        let isAlone = conflict.candidates.filter { $0.head.event == candidate.head.event }.count == 1
        return isAlone ? "" : "#\(candidate.head.index)"
    }
}

import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct BlameVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blame", abstract: "Show why each field has its value: who wrote it, and which values lost to it.",
        discussion: """
            Why a value is shown: only (nobody else wrote the field), causal (its author had seen the value before \
            it), chosen (somebody resolved a conflict in its favour), stamp (of several concurrent values, it is the \
            latest), tie (of several concurrent values with the same time, it is from the replica with the greater \
            id), hand (a person wrote it, which comes before what files say), trusted (so does a file that was \
            imported with --trust), finest (no file says more), first (of files that contradict each other, the one \
            that was imported first).

              groundwave blame W1AW --field FREQ
            """)

    @Argument(help: ArgumentHelp("The record: its id, the first letters of the id, last, or a call.", valueName: "id"))
    var id: String

    @OptionGroup var options: ReadOptions
    @Option(help: ArgumentHelp("Only this field.", valueName: "field"))
    var field: String?
    @Option(help: ArgumentHelp("The kind of the record.", valueName: "kind"))
    var kind = "qso"

    struct Result: Encodable {
        struct Write: Encodable {
            var value: JSONBytes?
            var event: String
            var stamp: String
            var countsAs: String?
            var author: String
            var device: String
            var note: String
            var noteWithheld: String?
            var imported: Bool
            var withheld: String?
        }

        struct Field: Encodable {
            var value: JSONBytes?
            var event: String
            var why: String
            var stamp: String
            var countsAs: String?
            var author: String
            var device: String
            var note: String
            var noteWithheld: String?
            var imported: Bool
            var withheld: String?
            var losers: [Write]
        }

        var id: String
        var kind: String
        var fields: [String: Field]
    }

    func run() async throws {
        let store = try await options.open(needsHistory: true)
        let record = try store.resolve(id, kind: kind)
        let wanted = field?.uppercased()
        if try store.read({ try $0.record(kind, record)?.isErased }) == true {
            if options.json { return try Terminal.print(json: Result(id: "\(record)", kind: kind, fields: [:])) }
            try Terminal.print("\(record.short)  erased")
            return Terminal.remark("\(ShownValue.ofErased(record))")
        }
        let blames = try store.blame(kind, record).filter { wanted == nil || $0.field == wanted }
        if let wanted, blames.isEmpty {
            let verb = kind == QSOKind.name ? "qso show" : "record show \(kind)"
            throw StoreError(
                .notFound, "\(record.short) has no field \(wanted).",
                hint: "groundwave \(verb) \(record.short) lists them.")
        }
        let devices = try store.deviceNames()
        func device(_ write: Blame.Write) -> String { devices[write.event.replica] ?? write.event.replica.short }
        if options.json {
            let fields = blames.map { ($0.field, Self.field($0, device)) }
            return try Terminal.print(
                json: Result(
                    id: "\(record)", kind: kind,
                    // The elements of a collection share a name: the last one stands for the field.
                    fields: Dictionary(fields, uniquingKeysWith: { $1.joining($0) })))
        }
        var table = TextTable(["FIELD", "VALUE", "WHY", "UTC", "WHO", "NOTE", "INSTEAD OF"])
        for blame in blames {
            let winner = blame.winner
            let who = winner.note.author.isEmpty ? device(winner) : winner.note.author
            table.append([
                blame.field, Self.value(blame, of: kind), blame.reason.rawValue,
                TimeText.milliseconds(winner.counted.milliseconds), who,
                ClockText.note(
                    ShownValue.note(winner.note, winner.noteWithheld), winner.counted, insteadOf: winner.stamp),
                blame.losers.map { loser in
                    let author = loser.note.author.isEmpty ? device(loser) : loser.note.author
                    return "\(ShownValue.text(loser.value, loser.withheld, limit: 20)) (\(author))"
                }.joined(separator: ", "),
            ])
        }
        try table.print()
    }

    /// The value as it is shown: of what keeps the books how many events it names, and not which.
    private static func value(_ blame: Blame, of kind: String) -> String {
        let winner = blame.winner
        guard Bookkeeping.namesEvents(blame.field, of: kind), let value = winner.value else {
            return ShownValue.text(winner.value, winner.withheld)
        }
        return NumberText.count(EventSet(text: FieldValue.text(value)).count, "event")
    }

    private static func field(_ blame: Blame, _ device: (Blame.Write) -> String) -> Result.Field {
        let winner = blame.winner
        return Result.Field(
            value: winner.value.map { JSONBytes($0) }, event: "\(winner.event)", why: blame.reason.rawValue,
            stamp: UTCText.milliseconds(winner.stamp.milliseconds),
            countsAs: ClockText.counted(winner.counted, insteadOf: winner.stamp), author: winner.note.author,
            device: device(winner), note: winner.note.text, noteWithheld: winner.noteWithheld?.rawValue,
            imported: winner.isImported,
            withheld: winner.withheld?.rawValue,
            losers: blame.losers.map { loser in
                Result.Write(
                    value: loser.value.map { JSONBytes($0) }, event: "\(loser.event)",
                    stamp: UTCText.milliseconds(loser.stamp.milliseconds),
                    countsAs: ClockText.counted(loser.counted, insteadOf: loser.stamp), author: loser.note.author,
                    device: device(loser), note: loser.note.text, noteWithheld: loser.noteWithheld?.rawValue,
                    imported: loser.isImported, withheld: loser.withheld?.rawValue)
            })
    }
}

extension BlameVerb.Result.Field {
    /// Elements of one collection as one field: their values separated by commas.
    func joining(_ other: Self) -> Self {
        var copy = self
        copy.value = JSONBytes((other.value?.bytes ?? []) + [UInt8(ascii: ",")] + (value?.bytes ?? []))
        return copy
    }
}

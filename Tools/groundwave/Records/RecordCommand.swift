import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "All other kinds of record: equipment, notes sources, receivers, friends, challenges and more.",
        subcommands: [
            RecordKinds.self, RecordAdd.self, RecordEdit.self, RecordRemove.self, RecordRestore.self, RecordList.self,
            RecordShow.self,
        ])
}

struct RecordKinds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinds", abstract: "List the kinds of record, their fields, and how many records there are.",
        discussion: """
              groundwave record kinds
            """)

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        struct Kind: Encodable {
            var name: String
            var version: UInt32?
            var records: Int
            var hidden: Int
            var fields: [Field]
        }

        struct Field: Encodable {
            var number: UInt32
            var name: String
            var policy: String
        }

        var kinds: [Kind]
    }

    func run() async throws {
        let store = try await options.open()
        let kinds = try store.kindCounts().map { count in
            let schema = try store.schema(of: count.kind)
            return Result.Kind(
                name: count.kind, version: schema?.version, records: count.shown, hidden: count.hidden,
                fields: (schema?.shownFields ?? []).map {
                    Result.Field(number: $0.number, name: $0.name, policy: $0.policy)
                })
        }
        if options.json { return try Terminal.print(json: Result(kinds: kinds)) }
        var table = TextTable(["KIND", "RECORDS", "HIDDEN", "FIELDS"], numbersFrom: 1, to: 2)
        for kind in kinds {
            let names = kind.fields.map(\.name).joined(separator: " ")
            let fields = kind.name == QSOKind.name ? "the ADIF fields" : names
            table.append([
                kind.name, "\(kind.records)", kind.hidden == 0 ? "" : "\(kind.hidden)",
                kind.version != nil ? RecordText.short(fields, 80) : "(unknown to this version)",
            ])
        }
        try Terminal.print(lines: table.lines)
    }
}

extension KindSchema {
    /// The fields that people see: of a register its members, under its number.
    var shownFields: [(number: UInt32, name: String, policy: String)] {
        fields.filter { !$0.isInternal }.flatMap { field in
            (field.members.isEmpty ? [field.name] : field.members).map { (field.number, $0, field.policy.rawValue) }
        }
    }
}

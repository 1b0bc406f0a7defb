import ArgumentParser
import Events
import Groundwave
import Radio
import Records

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Every other kind of record: equipment, notes sources, receivers, friends, challenges and more.",
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

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Kind: Encodable {
            var kind: String
            var registered: Bool
            var records: Int
            var hidden: Int
            var fields: [String]
        }

        var kinds: [Kind]
    }

    func run() async throws {
        let store = try await options.open()
        let kinds = try store.kindCounts().map { count in
            Result.Kind(
                kind: count.kind, registered: store.kinds[count.kind] != nil, records: count.shown,
                hidden: count.hidden,
                fields: store.kinds[count.kind]?.fieldNames ?? [])
        }
        if options.json { return try Terminal.print(json: Result(kinds: kinds)) }
        var table = TextTable(["KIND", "RECORDS", "HIDDEN", "FIELDS"])
        for kind in kinds {
            let fields = kind.kind == QSOKind.name ? "those of ADIF" : kind.fields.joined(separator: " ")
            table.append([
                kind.kind, "\(kind.records)", kind.hidden == 0 ? "" : "\(kind.hidden)",
                kind.registered ? RecordText.short(fields, 80) : "(of a version that is not this one)",
            ])
        }
        table.lines.forEach(Terminal.print)
    }
}

extension KindSchema {
    /// The fields that people see.
    var fieldNames: [String] {
        fields.filter { !$0.isInternal }.flatMap { $0.members.isEmpty ? [$0.name] : $0.members }
    }
}

import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveWording

struct RecordList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the records of a kind, even if this version does not know the kind.",
        discussion: """
              groundwave record list equipment
            """)

    @Argument(help: ArgumentHelp("The kind.", valueName: "kind"))
    var kind: String

    @OptionGroup var options: ReadOptions

    @Flag(help: "Show hidden records instead of visible ones.")
    var hidden = false

    @Flag(help: "Print one JSON object per line.")
    var ndjson = false

    struct Result: Encodable {
        struct Item: Encodable {
            var id: String
            var fields: [String: String]
        }

        var kind: String
        var records: [Item]
    }

    func run() async throws {
        let store = try await options.open()
        let schema = try store.knownKind(kind)
        var records: [Record] = []
        try store.read { view in
            records.removeAll()
            try view.forEachRecord(of: kind) { record in
                if record.isVisible != hidden { records.append(record) }
                return true
            }
        }
        records.sort { ($0.firstPosition, $0.id) < ($1.firstPosition, $1.id) }
        let items = records.map { record in
            Result.Item(
                id: "\(record.id)",
                fields: Dictionary(record.texts(schema).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        }
        if ndjson { return try items.forEach { try Terminal.print(json: $0) } }
        if options.json { return try Terminal.print(json: Result(kind: kind, records: items)) }
        if records.isEmpty { return try Terminal.print("No \(hidden ? "hidden " : "")records of the kind \(kind).") }
        var table = TextTable(["ID", "FIELDS"])
        for record in records {
            let fields = record.texts(schema).map { "\($0.name)=\(RecordText.short($0.value, 40))" }
            table.append([record.id.short, fields.joined(separator: "  ")])
        }
        try Terminal.print(lines: table.lines)
    }
}

import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveWording

struct RecordShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all fields of a record, and who wrote each of them and when.",
        discussion: """
              groundwave record show equipment Portable
            """)

    @Argument(help: ArgumentHelp("The kind.", valueName: "kind"))
    var kind: String

    @Argument(help: ArgumentHelp("The record: its id, its name, or last.", valueName: "id"))
    var name: String

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        var id: String
        var kind: String
        var fields: [String: String]
        var hidden: Bool
        var provenance: [String: Provenance]
    }

    func run() async throws {
        let store = try await options.open()
        let schema = try store.knownKind(kind)
        let id = try store.resolve(name, kind: kind)
        guard let record = try store.read({ try $0.record(kind, id) }) else { return }
        let provenance = try Provenance.all(of: record, store)
        let fields = record.texts(schema).map { ($0.name, $0.value) }
        if options.json {
            return try Terminal.print(
                json: Result(
                    id: "\(id)", kind: kind, fields: Dictionary(fields, uniquingKeysWith: { $1 }),
                    hidden: !record.isVisible, provenance: provenance))
        }
        try Terminal.print("\(id)\(record.isVisible ? "" : "  hidden")")
        try Terminal.print(lines: FieldTable.lines(fields, provenance))
    }
}

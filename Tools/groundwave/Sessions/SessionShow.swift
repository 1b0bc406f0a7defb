import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct SessionShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a session and its counts by band, mode, park and UTC day.",
        discussion: """
              groundwave session show last
            """)

    @Argument(help: ArgumentHelp("The session; default: the open one, else the last one.", valueName: "id"))
    var name: String?

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        var id: String
        var fields: [String: String]
        var total: Int
        var counts: [String: [CountResult.Group]]
    }

    func run() async throws {
        let store = try await options.open()
        let id =
            try name.map { try SessionName.resolve($0, store) } ?? store.openSession()?.id
            ?? store.resolve("last", kind: Radio.session.name)
        guard let record = try store.read({ try $0.record(Radio.session.name, id) }) else { return }
        let keys: [ContactCounts.Key] = [.band, .mode, .park, .day]
        let counts = try store.countContacts(.contacts.of(session: id), by: keys)
        let session = OperatingSession(record)
        if options.json {
            let groups = Dictionary(
                uniqueKeysWithValues: keys.map { ($0.rawValue, CountResult.groups(counts, by: $0)) })
            return try Terminal.print(
                json: Result(id: "\(id)", fields: session.fields, total: counts.total, counts: groups))
        }
        try Terminal.print("\(id)  \(session.status.rawValue)")
        var table = TextTable(["FIELD", "VALUE"])
        for (name, value) in record.texts(Radio.session) where name != "STATUS" {
            table.append([name, RecordText.short(value, 60)])
        }
        try Terminal.print(lines: table.lines)
        for key in keys where counts.total > 0 {
            try Terminal.print("\nContacts by \(key == .day ? "UTC day" : key.rawValue)")
            try Terminal.print(lines: CountText.lines(counts, by: key))
        }
        if counts.total == 0 { try Terminal.print("\nNo contacts yet.") }
    }
}

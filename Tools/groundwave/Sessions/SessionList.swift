import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveWording

struct SessionList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List sessions, the newest last.",
        discussion: """
              groundwave session list
            """)

    @OptionGroup var options: ReadOptions

    @Flag(help: "Only sessions that have not ended, on any device.")
    var open = false

    struct Result: Encodable {
        struct Session: Encodable {
            var id: String
            var fields: [String: String]
            var contacts: Int
        }

        var sessions: [Session]
    }

    func run() async throws {
        let store = try await options.open()
        let sessions = try store.sessions().filter { !open || $0.isOpen }
        let counts = try sessions.map { try store.countContacts(.contacts.of(session: $0.id), by: []).total }
        if options.json {
            return try Terminal.print(
                json: Result(
                    sessions: zip(sessions, counts).map { session, count in
                        Result.Session(id: "\(session.id)", fields: session.fields, contacts: count)
                    }))
        }
        if sessions.isEmpty { return try Terminal.print("No sessions.") }
        var table = TextTable(
            ["ID", "STARTED", "STATUS", "CALL", "OPERATOR", "PARK", "TITLE", "CONTACTS"], numbersFrom: 7)
        for (session, count) in zip(sessions, counts) {
            table.append(
                [
                    session.id.short, session.fields["STARTED"]?.replacing("T", with: " ") ?? "",
                    session.status.rawValue,
                    session.fields["CALL"] ?? "", session.fields["OPERATOR"] ?? "",
                    session.parks.joined(separator: ","),
                    RecordText.short(session.fields["TITLE"] ?? "", 30), "\(count)",
                ])
        }
        try Terminal.print(lines: table.lines)
    }
}

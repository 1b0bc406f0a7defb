import ArgumentParser
import Foundation
import Groundwave
import GroundwaveRadio
import GroundwaveRecords

struct QSOList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List contacts, the newest last.",
        discussion: """
            Shows the latest 50 on a terminal, otherwise all. A day in --since means its start, in --until its end.

              groundwave qso list --since today --band 20m
              groundwave qso list --recorded-since 90m --ndjson
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters

    @Flag(help: "Show hidden contacts instead of visible ones.")
    var hidden = false

    @Option(
        help: ArgumentHelp(
            "Show at most this many, the latest ones; 0 for all; default on a terminal: 50.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object per line.")
    var ndjson = false

    struct Contact: Encodable {
        var id: String
        var fields: [String: String]

        init(_ record: Record) {
            id = "\(record.id)"
            fields = record.contactFields
        }
    }

    struct Result: Encodable {
        var qsos: [Contact]
    }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit cannot be negative.") }
    }

    func run() async throws {
        let store = try await options.open()
        var query = try filters.query(store)
        query.isHidden = hidden
        let isForPeople = !options.json && !ndjson
        let latest = isForPeople && isatty(STDOUT_FILENO) == 1 ? 50 : 0
        let count = limit ?? latest
        query.limit = count == 0 ? nil : count
        if ndjson {
            return try store.forEachContactByTime(query) { try Terminal.print(json: Contact($0)) }
        }
        if options.json {
            var result = Result(qsos: [])
            try store.forEachContactByTime(query) { result.qsos.append(Contact($0)) }
            return try Terminal.print(json: result)
        }
        var table = ContactTable()
        try store.forEachShownContactByTime(query) { table.append($0, $1) }
        if table.count == 0 { return try Terminal.print(hidden ? "No hidden contacts." : "No contacts.") }
        try Terminal.print(lines: table.lines)
        if limit == nil, table.count == latest {
            Terminal.remark("Showing the latest \(latest); --limit 0 shows all.")
        }
    }
}

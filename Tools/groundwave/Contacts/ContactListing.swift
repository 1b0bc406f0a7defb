import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// How contacts are listed, and how many of them.
struct ContactListing: ParsableArguments {
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

    /// Prints the contacts that match `query`, the newest last.
    ///
    /// - Parameter none: What is said if there are none.
    func print(_ query: ContactQuery, in store: any Reading, json: Bool, none: TerminalText) throws {
        var query = query
        let latest = !json && !ndjson && Terminal.isTerminal ? 50 : 0
        let count = limit ?? latest
        query.limit = count == 0 ? nil : count
        if ndjson {
            return try store.forEachContactByTime(query) { try Terminal.print(json: Contact($0)) }
        }
        if json {
            var result = Result(qsos: [])
            try store.forEachContactByTime(query) { result.qsos.append(Contact($0)) }
            return try Terminal.print(json: result)
        }
        var table = ContactTable(words: query.words)
        try store.forEachShownContactByTime(query) { table.append($0, $1) }
        if table.count == 0 { return try Terminal.print(none) }
        try Terminal.print(lines: table.lines)
        if limit == nil, table.count == latest {
            Terminal.remark("Showing the latest \(latest); --limit 0 shows all.")
        }
    }
}

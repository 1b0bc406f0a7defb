import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct DuplicatesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List possible duplicates in pairs, the oldest first.",
        discussion: """
            The last column shows what differs.

              groundwave duplicates list --window 300
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var apart: WindowOption

    @Flag(help: "Exit with status 1 if there are any.")
    var exitCode = false

    @Flag(help: "Print one JSON object per line.")
    var ndjson = false

    struct Result: Encodable {
        struct Pair: Encodable {
            var a: String
            var b: String
            var seconds: Int64
            var differing: [Difference]

            init(_ text: PairText) {
                a = "\(text.first.id)"
                b = "\(text.second.id)"
                seconds = text.pair.seconds
                differing = text.differences.map {
                    Difference(field: $0.field, a: $0.first.map(RecordText.text), b: $0.second.map(RecordText.text))
                }
            }
        }

        struct Difference: Encodable {
            var field: String
            var a: String?
            var b: String?
        }

        var pairs: [Pair]
    }

    func run() async throws {
        let store = try await options.open()
        let pairs = try store.duplicates(within: apart.window).compactMap { try PairText($0, store) }
        if ndjson {
            try pairs.forEach { try Terminal.print(json: Result.Pair($0)) }
        } else if options.json {
            try Terminal.print(json: Result(pairs: pairs.map { Result.Pair($0) }))
        } else {
            try self.print(pairs)
        }
        if exitCode, !pairs.isEmpty { throw Answer.no }
    }

    private func print(_ pairs: [PairText]) throws {
        if pairs.isEmpty { return try Terminal.print("No duplicates.") }
        var table = TextTable(["PAIR", "ID", "UTC", "CALL", "BAND", "MODE", "STATION", "DIFFERENT"])
        func append(_ name: String, _ candidate: DuplicateCandidate, _ record: Record, _ words: String) {
            let facts = ContactFacts(record)
            table.append([
                name, record.id.short, Self.time(candidate), facts.call, facts.band ?? "",
                facts.emission?.description ?? "", record.text("STATION_CALLSIGN") ?? record.text("OPERATOR") ?? "",
                words,
            ])
        }
        for (index, text) in pairs.enumerated() {
            append("\(index + 1)", text.pair.first, text.first, text.words.first)
            append("", text.pair.second, text.second, text.words.second)
        }
        try Terminal.print(lines: table.lines)
        Terminal.remark(
            """
            \(NumberText.count(pairs.count, "pair")). Merge a pair with groundwave duplicates merge KEEP DROP, or mark \
            it as two different contacts with groundwave duplicates dismiss A B.
            """)
    }

    /// When a contact started, without seconds where it does not say them.
    private static func time(_ candidate: DuplicateCandidate) -> String {
        let text = TimeText.seconds(candidate.start.lowerBound)
        return candidate.start.count == 1 ? text : text.dropLast(4) + "Z"
    }
}

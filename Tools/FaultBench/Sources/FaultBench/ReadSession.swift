import Foundation
import Groundwave
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords

/// Reads everything that a store returns, and prints it: `read FOLDER`.
///
/// | line | what |
/// |---|---|
/// | `q NAME ANSWER` | a question, and the checksum of its answer; `!` if it was an error |
/// | `o ready`, `o refused WORDS` | how the store was opened |
/// | `o recovering RECOVERED LOST APPENDED LEAST` | that it is in recovery, with the numbers of the receipt |
/// | `a read` | the end |
enum ReadSession {
    static func run(_ folder: String) async {
        let url = URL(filePath: StoreSession.path(in: folder))
        do {
            switch try await Store.open(at: url, StoreSession.configuration(in: folder)) {
            case .ready(let store):
                Witness.write(line: "o ready")
                ask(store)
                // An error that it detects while closing is left to the next process.
                try? store.close()
            case .recovering(let recovery):
                let words =
                    recovery.receipt.map { "\($0.recovered) \($0.lostCount) \($0.appended) \($0.isAtLeast ? 1 : 0)" }
                    ?? "0 0 0 1"
                Witness.write(line: "o recovering \(words)")
                try recovery.temporary.close()
            }
        } catch {
            Witness.write(line: "o refused \("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))")
        }
        Witness.write(line: "a read")
    }

    private static func words(_ contact: Contact) -> String {
        let id = contact.id.map { "\($0)" } ?? "-"
        return "\(id) \(contact.call) \(contact.start) \(contact.comment ?? "-") \(contact.notes ?? "-")"
    }

    private static func ask(_ store: Store) {
        func ask(_ name: String, _ answer: () throws -> [String]) {
            do {
                let text = try answer().joined(separator: "\n")
                Witness.write(line: "q \(name) \(CRC32C.checksum([UInt8](text.utf8).span.bytes))")
            } catch {
                Witness.write(line: "q \(name) !")
            }
        }
        var ids: [RecordID] = []
        ask("contacts") {
            let contacts = try store.read { try $0.all(.contacts) }
            ids = contacts.map(\.id)
            return contacts.map { words(Contact($0)) }
        }
        ask("count") { ["\(try store.read { try $0.count(.contacts) })"] }
        ask("found") { try ids.map { id in "\(try store.read { try $0.find(id) }.map(words) ?? "none")" } }
        ask("history") {
            try store.history(HistoryQuery()).map { "\($0.event) \($0.changes)" }
        }
        ask("histories") {
            try ids.map { id in
                var query = HistoryQuery()
                query.record = (QSOKind.name, id)
                return try store.history(query).map { "\($0.event)" }.joined(separator: ",")
            }
        }
        ask("views") { ["\(try store.digest().views)"] }
        ask("content") { ["\(try store.digest().content)"] }
        ask("log") { ["\(try store.logDigest())"] }
        for format in [ExportFormat.adi, .csv, .ndjson] {
            ask("export-\(format)") {
                var bytes: [UInt8] = []
                _ = try store.export(ContactQuery(), as: format, created: 1_700_000_000) { bytes += $0 }
                return [String(decoding: bytes, as: UTF8.self)]
            }
        }
    }
}

/// The answers of a reader.
struct Answers {
    private(set) var answers: [String: String] = [:]
    private(set) var opening: [String] = []
    private(set) var isWhole = false

    init(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "q" where words.count == 3: answers[words[1]] = words[2]
            case "o": opening = Array(words.dropFirst())
            case "a": isWhole = true
            default: continue
            }
        }
    }

    /// The errors in the answers, if `truth` are the right ones.
    func wrong(_ truth: Answers, events: Int) -> [String] {
        var wrong: [String] = []
        for (name, answer) in answers where answer != "!" && answer != truth.answers[name] {
            wrong.append("another answer to \(name), and no error")
        }
        if opening.first == "ready", isWhole, answers.count != truth.answers.count {
            wrong.append("\(answers.count) answers of \(truth.answers.count)")
        }
        if opening.first == "refused" { wrong.append("it cannot be opened: \(opening.joined(separator: " "))") }
        if opening.first == "recovering" {
            let numbers = opening.dropFirst().compactMap { Int($0) }
            if numbers.count != 4 { return wrong + ["a receipt without numbers"] }
            // Compared with the number that the bench counted, not with that of the receipt.
            let told = numbers[0] + numbers[1]
            if numbers[3] == 0 ? told != events : told > events {
                wrong.append("recovered \(numbers[0]) + lost \(numbers[1]) is not the \(events) that were appended")
            }
            if numbers[2] != told { wrong.append("the receipt says \(numbers[2]) were appended, and \(told)") }
        }
        return wrong
    }

    /// The same answers, with one changed.
    var altered: Answers {
        var altered = self
        altered.answers["count"] = "0"
        return altered
    }

    /// How the store was opened, in one word, and whether a read was refused.
    var word: String {
        if opening.first == "ready" { return answers.values.contains("!") ? "errors" : "truth" }
        return opening.first ?? "nothing"
    }
}

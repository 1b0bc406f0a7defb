import Foundation
import Groundwave
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// A contact in one line.
enum ContactText {
    /// `7HK2M1QA  W1AW 14.0325 MHz CW 2026-05-01 12:34:00Z`: enough to tell it from all others.
    static func line(_ record: Record) -> String {
        let facts = ContactFacts(record)
        return line(
            record.id, call: facts.call, frequency: record.text(.freq), band: facts.band,
            mode: facts.emission?.description, start: facts.startSeconds)
    }

    /// - Parameter id: `nil` for a contact that is not stored.
    static func line(
        _ id: RecordID?, call: String, frequency: String?, band: String?, mode: String?, start: Int64?
    ) -> String {
        let words = [
            call, frequency.flatMap { $0.isEmpty ? nil : "\($0) MHz" } ?? band, mode, start.map(TimeText.seconds),
        ]
        return (id.map { "\($0.short)  " } ?? "")
            + words.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// Contacts as a table: those columns in which anything stands.
struct ContactTable {
    private var rows: [[TerminalText]] = []
    private let words: [String]
    private static let headings = [
        "ID", "UTC", "CALL", "BAND", "FREQ", "MODE", "SENT", "RCVD", "NAME", "PARK", "MY PARK", "FOUND IN",
    ]

    /// - Parameter words: What was looked for: a column says in which fields it is.
    init(words: [String] = []) { self.words = words }

    mutating func append(_ record: Record) { append(record.id, ContactFacts(record), "") { record.text($0) } }

    mutating func append(_ id: RecordID, _ contact: borrowing ShownValues) {
        let found = words.isEmpty ? [] : contact.fields(having: words).map(\.name)
        append(id, ContactFacts(contact), found.joined(separator: " ")) { contact.text($0) }
    }

    private mutating func append(_ id: RecordID, _ facts: ContactFacts, _ found: String, _ text: (FieldName) -> String?)
    {
        let cells = [
            id.short, facts.startSeconds.map(TimeText.seconds) ?? "?", facts.call, facts.band ?? "", text(.freq) ?? "",
            facts.emission?.description ?? "", text(.rstSent) ?? "", text(.rstRcvd) ?? "",
            RecordText.short(text(.name) ?? "", 20), text(.potaRef) ?? "", text(.myPOTARef) ?? "",
            found,
        ]
        rows.append(cells.map { TerminalText($0) })
    }

    var count: Int { rows.count }

    /// The lines: headings, then a line each.
    var lines: [TerminalText] {
        let shown = Self.headings.indices.filter { column in column < 4 || rows.contains { !$0[column].isEmpty } }
        var table = TextTable(shown.map { Self.headings[$0] })
        for row in rows { table.append(shown.map { row[$0] }) }
        return table.lines
    }
}

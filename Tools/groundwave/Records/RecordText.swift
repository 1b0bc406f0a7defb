import Foundation
import Groundwave
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords

// Records as they are printed.
extension Record {
    /// The fields of a contact by their ADIF names.
    var contactFields: [String: String] {
        Dictionary(
            adifFields.map { ($0.name.name, RecordText.text($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The fields of a record of any kind, registered or not, in order.
    func texts(_ schema: KindSchema?) -> [(name: String, value: String)] {
        (schema ?? KindSchema(name: kind, fields: [])).values(of: self).filter { $0.name != "#0" }
            .map { ($0.name, RecordText.text($0.value)) }
    }
}

/// Values as text.
enum RecordText {
    /// `value` as text: UTF-8, else Windows-1252 for what came from old programs; bytes that are no text as hex.
    static func text(_ value: [UInt8]) -> String {
        if ShownValue.isBinary(value) {
            return "0x" + value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        return FieldValue.text(value)
    }

    /// `text` in one line, at most `count` characters.
    static func short(_ text: String, _ count: Int) -> String {
        // The expression is compiled at each use, which takes longer than all else that is done with a text.
        let hasLines = text.utf8.contains { $0 == 0x0A || $0 == 0x0D }
        let line = hasLines ? text.replacing(/\s*[\r\n]+\s*/, with: " ⏎ ") : text
        return line.utf8.count > count && line.count > count ? line.prefix(count - 1) + "…" : line
    }
}

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

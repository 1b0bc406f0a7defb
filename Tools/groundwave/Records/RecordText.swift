import Foundation
import Groundwave
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
        let line = text.replacing(/\s*[\r\n]+\s*/, with: " ⏎ ")
        return line.count > count ? line.prefix(count - 1) + "…" : line
    }
}

/// Contacts as a table: those columns in which anything stands.
struct ContactTable {
    private var rows: [[String]] = []
    private static let headings = [
        "ID", "UTC", "CALL", "BAND", "FREQ", "MODE", "SENT", "RCVD", "NAME", "PARK", "MY PARK",
    ]

    mutating func append(_ record: Record) {
        let facts = ContactFacts(record)
        rows.append([
            record.id.short, facts.startSeconds.map(TimeText.seconds) ?? "?", facts.call, facts.band ?? "",
            record.text("FREQ") ?? "", facts.emission?.description ?? "", record.text("RST_SENT") ?? "",
            record.text("RST_RCVD") ?? "", RecordText.short(record.text("NAME") ?? "", 20),
            record.text("POTA_REF") ?? "", record.text("MY_POTA_REF") ?? "",
        ])
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

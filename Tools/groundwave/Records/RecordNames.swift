import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords

/// What people call a record: a contact its station, everything else its short id.
struct RecordNames {
    private let store: any Reading
    private var known: [RecordID: String] = [:]

    init(_ store: any Reading) { self.store = store }

    /// The name of a record, with its kind where it is no contact.
    mutating func name(_ kind: String, _ id: RecordID) throws -> String {
        guard kind == QSOKind.name else { return "\(kind) \(id.short)" }
        if let name = known[id] { return name }
        let call = try store.read { try $0.record(kind, id) }?.text("CALL") ?? ""
        let name = call.isEmpty ? id.short : "\(call) \(id.short)"
        // A bounded memory: histories name the same contacts again and again, but logs are long.
        if known.count > 10_000 { known.removeAll() }
        known[id] = name
        return name
    }
}

/// Values as they are shown in a table: one line, not too long.
enum ShownValue {
    /// `value` as text; where there is none, why it is withheld, or a dash.
    static func text(_ value: [UInt8]?, _ withheld: Withholding? = nil, limit: Int = 40) -> String {
        guard let value else { return withheld?.rawValue ?? "–" }
        if isBinary(value) { return NumberText.count(value.count, "byte") }
        let text = FieldValue.text(value).split(whereSeparator: \.isNewline).joined(separator: " ⏎ ")
        if text.isEmpty { return "“”" }
        return text.count > limit ? text.prefix(limit - 1) + "…" : text
    }

    /// What is said of a record that was erased, instead of its fields.
    static func ofErased(_ record: RecordID) -> String {
        "Nothing of it is left. When it was erased, and by whom: groundwave history \(record.short)"
    }

    /// The words of a batch; where they are not here, why.
    static func note(_ note: AuditNote, _ withheld: Withholding?) -> String {
        if let withheld { return withheld.rawValue }
        let traces = [("part of", note.correlation), ("because of", note.causation)].filter { !$0.1.isEmpty }
        return ([note.text] + traces.map { "(\($0) \($1))" }).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Whether `value` has bytes that no text has.
    static func isBinary(_ value: [UInt8]) -> Bool {
        let whitespace: [UInt8] = [0x09, 0x0A, 0x0D]
        return value.contains { byte in byte < 0x20 && !whitespace.contains(byte) }
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRecords

/// Values as they are shown in a table: one line, not too long.
package enum ShownValue {
    /// `value` as text; where there is none, why it is withheld, or a dash.
    package static func text(_ value: [UInt8]?, _ withheld: Withholding? = nil, limit: Int = 40) -> String {
        guard let value else { return withheld?.rawValue ?? "–" }
        if isBinary(value) { return NumberText.count(value.count, "byte") }
        let text = FieldValue.text(value).split(whereSeparator: \.isNewline).joined(separator: " ⏎ ")
        if text.isEmpty { return "“”" }
        return text.count > limit ? text.prefix(limit - 1) + "…" : text
    }

    /// The words of a batch; where they are not here, why.
    package static func note(_ note: AuditNote, _ withheld: Withholding?) -> String {
        if let withheld { return withheld.rawValue }
        let traces = [("part of", note.correlation), ("because of", note.causation)].filter { !$0.1.isEmpty }
        return ([note.text] + traces.map { "(\($0) \($1))" }).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Whether `value` has bytes that no text has.
    package static func isBinary(_ value: [UInt8]) -> Bool {
        let whitespace: [UInt8] = [0x09, 0x0A, 0x0D]
        return value.contains { byte in byte < 0x20 && !whitespace.contains(byte) }
    }
}

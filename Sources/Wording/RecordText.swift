import GroundwaveADIF
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords

// Records as they are printed.
extension Record {
    /// The fields of a contact by their ADIF names.
    package var contactFields: [String: String] {
        Dictionary(
            adifFields.map { ($0.name.name, RecordText.text($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The fields of a record of any kind, registered or not, in order.
    package func texts(_ schema: KindSchema?) -> [(name: String, value: String)] {
        (schema ?? KindSchema(name: kind, fields: [])).values(of: self).filter { $0.name != "#0" }
            .map { ($0.name, RecordText.text($0.value)) }
    }
}

/// Values as text.
package enum RecordText {
    /// `value` as text: UTF-8, else Windows-1252 for what came from old programs; bytes that are no text as hex.
    package static func text(_ value: [UInt8]) -> String {
        if ShownValue.isBinary(value) {
            return "0x" + value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        return FieldValue.text(value)
    }

    /// `text` in one line, at most `count` characters.
    package static func short(_ text: String, _ count: Int) -> String {
        // The expression is compiled at each use, which takes longer than all else that is done with a text.
        let hasLines = text.utf8.contains { $0 == 0x0A || $0 == 0x0D }
        let line = hasLines ? text.replacing(/\s*[\r\n]+\s*/, with: " ⏎ ") : text
        return line.utf8.count > count && line.count > count ? line.prefix(count - 1) + "…" : line
    }
}

import Foundation
import GroundwaveADIF
import GroundwaveByteCoding

/// Contacts as JSON objects, one per line: `{"id":"…","fields":{"CALL":"W1AW",…}}`.
///
/// The fields keep their order. A value is a string; a value whose bytes are not UTF-8 is `{"base64":"…"}`, so that
/// nothing is lost. Lines end with a line feed.
public enum NDJSON {
    /// Appends the start of a contact, whose fields follow.
    package static func appendStart(id: String, to bytes: inout [UInt8]) {
        bytes += "{\"id\":\"\(id)\",\"fields\":{".utf8
    }

    /// Appends a field of a contact.
    package static func append(
        _ name: FieldName, _ value: ArraySlice<UInt8>, isFirst: Bool, to bytes: inout [UInt8]
    ) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        append(text: name.name.utf8, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if value.span.bytes.isUTF8 { return append(text: value, to: &bytes) }
        bytes += "{\"base64\":\"".utf8
        bytes += Data(value).base64EncodedString().utf8
        bytes += "\"}".utf8
    }

    /// Appends the end of a contact.
    package static func appendEnd(to bytes: inout [UInt8]) { bytes += "}}\n".utf8 }

    /// Appends text in UTF-8 as a JSON string (RFC 8259, section 7).
    package static func append(text: some Collection<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += "\\u00\(digits.utf8.count == 1 ? "0" : "")\(digits)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the fields in `line`; `nil` if it is not such an object, or exceeds `limits`.
    static func fields(of line: ArraySlice<UInt8>, limits: ADIFLimits) -> ADIFFields? {
        guard let fields = JSONText(line)?["fields"], case .object(let members) = fields else { return nil }
        guard members.count <= limits.fieldCount else { return nil }
        var result = ADIFFields()
        for member in members {
            let name = FieldName(member.name)
            guard ADIFFields.accepts(name) else { return nil }
            switch member.value {
            case .string(let text): result.append(name, value: text.utf8)
            // Other programs write numbers: keep their spelling.
            case .number(let text): result.append(name, value: text.utf8)
            case .null: continue
            case .object:
                guard case .string(let text)? = member.value["base64"], let data = Data(base64Encoded: text) else {
                    return nil
                }
                result.append(name, value: [UInt8](data))
            case .bool, .array: return nil
            }
            if let last = result.last, last.value.count > limits.fieldByteCount { return nil }
        }
        return result.isEmpty ? nil : result
    }
}

/// Reads contacts from JSON objects, one per line, piece by piece.
public struct NDJSONReader: Sendable {
    private let limits: ADIFLimits
    private var lines = LineBuffer()
    private var number = 0

    /// Creates a reader with these limits.
    public init(limits: ADIFLimits = ADIFLimits()) { self.limits = limits }

    /// Appends the next bytes of the file.
    public mutating func append(_ bytes: [UInt8]) { lines.append(bytes) }

    /// Ends the file.
    public mutating func finish() { lines.finish() }

    /// Returns the next record or rejected line; `nil` if more bytes are needed, or at the end.
    public mutating func next() -> ADIFItem? {
        // A JSON text may be longer than its record, because of escapes and member names.
        while let line = lines.next(limit: 4 * limits.recordByteCount) {
            if line.isTooLong { return rejected(.recordTooLong, line.range) }
            if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            guard let fields = NDJSON.fields(of: line.bytes, limits: limits) else {
                return rejected(.malformedJSON, line.range)
            }
            number += 1
            return .record(ADIFRecord(number: number, byteOffset: line.range.lowerBound, fields: fields))
        }
        return nil
    }

    private mutating func rejected(_ code: ADIFRejection.Code, _ range: Range<UInt64>) -> ADIFItem {
        number += 1
        return .rejected(ADIFRejection(code, recordNumber: number, byteRange: range))
    }
}

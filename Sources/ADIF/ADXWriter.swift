/// Writes ADX, the XML form of ADIF (ADIF 3.1.6, "ADX File Format"), to a buffer.
///
/// ```swift
/// var bytes: [UInt8] = []
/// ADXWriter.appendStart(header, to: &bytes)
/// for record in records { problems += ADXWriter.append(record, to: &bytes) }
/// ADXWriter.appendEnd(to: &bytes)
/// ```
///
/// Known fields become elements of their name; `APP_PROGRAMID_FIELDNAME` becomes an `APP` element; every other field
/// becomes a `USERDEF` element, whether or not the header defines it. ``ADXReader`` returns the same values, line
/// breaks included, except for those reported in the result. ADX cannot hold the type letters of fields other than
/// `APP` fields, nor the case of known names.
public enum ADXWriter {
    /// A field that ADX cannot hold unchanged.
    public struct Problem: Sendable, Hashable {
        /// The kind of problem.
        public enum Code: String, Sendable, Hashable, CaseIterable {
            /// The value has a character that XML 1.0 forbids, such as most control characters. The field was left out.
            case forbiddenCharacter = "forbidden-character"
            /// The value is not valid UTF-8. It was read as Windows-1252 and written as UTF-8.
            case convertedToUTF8 = "converted-to-utf8"
            /// The header cannot contain a field of this name, or the name has a character that XML forbids. The
            /// field was left out.
            case unsuitableName = "unsuitable-name"
        }

        /// The kind of problem.
        public var code: Code
        /// The record's number; 0 for the header.
        public var recordNumber: Int
        /// The field concerned.
        public var field: FieldName
    }

    /// Appends the XML declaration, the header and the start of the records.
    ///
    /// The header's free text cannot be stored in ADX and is left out.
    ///
    /// - Returns: The fields that could not be written unchanged.
    @discardableResult
    public static func appendStart(_ header: ADIFHeader, to bytes: inout [UInt8]) -> [Problem] {
        var problems: [Problem] = []
        append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ADX>\n<HEADER>\n", to: &bytes)
        for field in header.fields {
            if let definition = UserFieldDefinition(field) {
                append(definition, to: &bytes, problems: &problems)
            } else if field.name.isHeaderField, field.name.isKnown {
                append(field, recordNumber: 0, to: &bytes, problems: &problems)
            } else {
                problems.append(Problem(code: .unsuitableName, recordNumber: 0, field: field.name))
            }
        }
        append("</HEADER>\n<RECORDS>\n", to: &bytes)
        return problems
    }

    /// Appends a record.
    ///
    /// - Returns: The fields that could not be written unchanged; empty if the record can be read back unchanged.
    public static func append(_ record: ADIFRecord, to bytes: inout [UInt8]) -> [Problem] {
        var problems: [Problem] = []
        append("<RECORD>\n", to: &bytes)
        for field in record.fields { append(field, recordNumber: record.number, to: &bytes, problems: &problems) }
        append("</RECORD>\n", to: &bytes)
        return problems
    }

    /// Appends the end of the document.
    public static func appendEnd(to bytes: inout [UInt8]) {
        append("</RECORDS>\n</ADX>\n", to: &bytes)
    }

    // MARK: Elements

    private static func append(
        _ field: ADIFField, recordNumber: Int, to bytes: inout [UInt8], problems: inout [Problem]
    ) {
        let name = field.name
        let text = field.text
        guard text.string.unicodeScalars.allSatisfy(isXMLCharacter) else {
            problems.append(Problem(code: .forbiddenCharacter, recordNumber: recordNumber, field: name))
            return
        }
        let writtenName = ValueText(decoding: field.writtenNameBytes).string
        guard writtenName.unicodeScalars.allSatisfy(isXMLCharacter) else {
            problems.append(Problem(code: .unsuitableName, recordNumber: recordNumber, field: name))
            return
        }
        if text.encoding == .windows1252 {
            problems.append(Problem(code: .convertedToUTF8, recordNumber: recordNumber, field: name))
        }
        let (element, attributes) = element(for: name, writtenName: writtenName, typeIndicator: field.typeIndicator)
        append("<" + element, to: &bytes)
        for (key, value) in attributes { append(key, value, to: &bytes) }
        append(">", to: &bytes)
        appendEscaped(text.string, to: &bytes)
        append("</" + element + ">\n", to: &bytes)
    }

    private static func element(
        for name: FieldName, writtenName: String, typeIndicator: UInt8?
    ) -> (element: String, attributes: [(String, String)]) {
        if name.isKnown { return (name.name, []) }
        guard name.isApplicationDefined else { return ("USERDEF", [("FIELDNAME", writtenName)]) }
        let parts = writtenName.dropFirst(4).split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            return ("USERDEF", [("FIELDNAME", writtenName)])
        }
        var attributes = [("PROGRAMID", String(parts[0])), ("FIELDNAME", String(parts[1]))]
        if let typeIndicator { attributes.append(("TYPE", String(Unicode.Scalar(typeIndicator)))) }
        return ("APP", attributes)
    }

    private static func append(
        _ definition: UserFieldDefinition, to bytes: inout [UInt8], problems: inout [Problem]
    ) {
        var attributes = [("FIELDID", String(definition.number))]
        if let type = definition.typeIndicator { attributes.append(("TYPE", String(Unicode.Scalar(type)))) }
        if !definition.values.isEmpty {
            attributes.append(("ENUM", "{" + definition.values.joined(separator: ",") + "}"))
        }
        if let limits = definition.limits { attributes.append(("RANGE", "{\(limits.minimum):\(limits.maximum)}")) }
        let texts = [definition.writtenName] + attributes.map(\.1)
        guard texts.allSatisfy({ $0.unicodeScalars.allSatisfy(isXMLCharacter) }) else {
            problems.append(
                Problem(code: .forbiddenCharacter, recordNumber: 0, field: FieldName("USERDEF\(definition.number)")))
            return
        }
        append("<USERDEF", to: &bytes)
        for (key, value) in attributes { append(key, value, to: &bytes) }
        append(">", to: &bytes)
        appendEscaped(definition.writtenName, to: &bytes)
        append("</USERDEF>\n", to: &bytes)
    }

    private static func append(_ key: String, _ value: String, to bytes: inout [UInt8]) {
        append(" " + key + "=\"", to: &bytes)
        appendEscaped(value, to: &bytes)
        append("\"", to: &bytes)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    private static func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case .lessThan: append("&lt;", to: &bytes)
            case .greaterThan: append("&gt;", to: &bytes)
            case 0x26: append("&amp;", to: &bytes)
            case 0x22: append("&quot;", to: &bytes)
            // A parser turns a bare carriage return into a line feed.
            case .carriageReturn: append("&#13;", to: &bytes)
            default: bytes.append(byte)
            }
        }
    }

    /// Whether XML 1.0 allows the character: production `Char`, section 2.2.
    private static func isXMLCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

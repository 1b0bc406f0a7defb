/// An irregularity that the reader had to interpret in a record or header; nothing was lost.
public struct ADIFWarning: Sendable, Hashable {
    /// The kind of irregularity.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A field occurs more than once in a record; the last occurrence with a value is effective.
        case duplicateField = "duplicate-field"
        /// The length counts Unicode scalars or UTF-16 units instead of bytes.
        case lengthInCharacters = "length-in-characters"
        /// The tag has no length; the value extends to the end of its line or to the next tag.
        case lengthMissing = "length-missing"
        /// The length is implausible; the value extends to the next tag, without blanks at its end.
        case lengthWrong = "length-wrong"
        /// Text with a stray `<` or `>` was skipped; it may be the remains of a field.
        case malformedTag = "malformed-tag"
        /// The header has no end tag; it was taken to end at the first record.
        case noEndOfHeader = "no-end-of-header"
        /// The value is not valid UTF-8 and is read as Windows-1252.
        case notUTF8 = "not-utf8"
        /// Text outside of the fields was skipped: a comment, as the standard allows, or the remains of a damaged
        /// field.
        ///
        /// Comments after `//` are not reported.
        case skippedText = "skipped-text"
        /// The type in the tag is longer than a letter and was dropped.
        case typeUnknown = "type-unknown"
        /// An ADX element is unknown to ADIF or misplaced, and was read as a field or skipped.
        case unexpectedElement = "unexpected-element"
    }

    /// The kind of irregularity.
    public var code: Code
    /// The number of the record in the file, from 1; 0 in a header.
    public var recordNumber: Int
    /// The offset in the file, in bytes from 0; in ADX, of the beginning of the line.
    public var byteOffset: UInt64
    /// The field concerned, if there is one.
    public var field: FieldName?

    /// Makes a warning.
    public init(_ code: Code, recordNumber: Int, byteOffset: UInt64, field: FieldName? = nil) {
        self.code = code
        self.recordNumber = recordNumber
        self.byteOffset = byteOffset
        self.field = field
    }
}

/// A part of a file that could not be read as a complete record or header.
public struct ADIFRejection: Sendable, Hashable {
    /// The reason for a rejection.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The remains of a record whose beginning was damaged.
        case damaged = "damaged"
        /// The document is larger than ``ADIFLimits/documentByteCount``; nothing was read.
        case documentTooLarge = "document-too-large"
        /// A value is larger than ``ADIFLimits/fieldByteCount``.
        case fieldTooLong = "field-too-long"
        /// The document has a document type declaration or an encoding other than UTF-8, ASCII or Latin-1.
        case forbiddenXML = "forbidden-xml"
        /// The header is larger than ``ADIFLimits/headerByteCount``.
        case headerTooLong = "header-too-long"
        /// The row of a table has more cells than the table has columns, or a quote that does not end. Only used for CSV,
        /// which the module Radio reads.
        case malformedCSV = "malformed-csv"
        /// The line is not a JSON object with the fields of a contact. Only used for NDJSON, which the module Radio
        /// reads.
        case malformedJSON = "malformed-json"
        /// A word of the line is not understood. Only used for Fast Log Entry, which the module Radio reads.
        case malformedLine = "malformed-line"
        /// The line is no contact as Cabrillo writes it, with as many words sent as received, or has no tag. Only used for
        /// Cabrillo, which the module Radio reads.
        case malformedQSO = "malformed-qso"
        /// The document is not well-formed XML from here on; the records before were read.
        case malformedXML = "malformed-xml"
        /// The contact has no date or no time: no line before it gives one. Only used for Fast Log Entry.
        case noDate = "no-date"
        /// A record has no end tag: the next one begins, or the file ends after one of its fields.
        case noEndOfRecord = "no-end-of-record"
        /// An end-of-record tag has no field before it.
        case noFields = "no-fields"
        /// The file contains neither a header nor a field.
        case notADIF = "not-adif"
        /// The record is larger than ``ADIFLimits/recordByteCount``.
        case recordTooLong = "record-too-long"
        /// The record has more fields than ``ADIFLimits/fieldCount``.
        case tooManyFields = "too-many-fields"
        /// The file ends within a field or a tag.
        case truncated = "truncated"
    }

    /// The reason for the rejection.
    public var code: Code
    /// The number in the file, from 1, counted together with the records; 0 for a header or a whole file.
    public var recordNumber: Int
    /// The rejected bytes of the file, from 0; in ADX, whole lines.
    public var byteRange: Range<UInt64>
    /// The field concerned, if there is one.
    public var field: FieldName?

    /// Makes a rejection.
    public init(_ code: Code, recordNumber: Int, byteRange: Range<UInt64>, field: FieldName? = nil) {
        self.code = code
        self.recordNumber = recordNumber
        self.byteRange = byteRange
        self.field = field
    }
}

/// Something in a record or header that the reader had to interpret; nothing was lost.
public struct ADIFWarning: Sendable, Hashable {
    /// What was odd.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A field occurs more than once in a record; its last value that is not empty counts.
        case duplicateField = "duplicate-field"
        /// The length counts Unicode scalars or UTF-16 units instead of bytes.
        case lengthInCharacters = "length-in-characters"
        /// The tag has no length; the value reaches to the end of its line or to the next tag.
        case lengthMissing = "length-missing"
        /// The length fits nothing; the value reaches to the next tag, without blanks at its end.
        case lengthWrong = "length-wrong"
        /// Text with a stray `<` or `>` was skipped; it may be what is left of a field.
        case malformedTag = "malformed-tag"
        /// The header has no end; it was taken to end where the first record begins.
        case noEndOfHeader = "no-end-of-header"
        /// The value is not valid UTF-8 and reads as Windows-1252.
        case notUTF8 = "not-utf8"
        /// Text outside of the fields was skipped: a comment, as the standard allows, or what damage left of a field.
        ///
        /// Comments after `//` are not reported.
        case skippedText = "skipped-text"
        /// The type in the tag is longer than a letter and was left out.
        case typeUnknown = "type-unknown"
        /// An ADX element is not known to ADIF or sits where it means nothing, and was read as a field or skipped.
        case unexpectedElement = "unexpected-element"
    }

    /// What was odd.
    public var code: Code
    /// The record's place in the file, from 1; 0 in a header.
    public var recordNumber: Int
    /// Where in the file, in bytes from 0; in ADX, where the line begins.
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

/// A part of a file that could not be read as a whole record or header.
public struct ADIFRejection: Sendable, Hashable {
    /// Why a part was rejected.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// What is left of a record whose beginning was damaged.
        case damaged = "damaged"
        /// The document is larger than ``ADIFLimits/documentByteCount``; nothing was read.
        case documentTooLarge = "document-too-large"
        /// A value is larger than ``ADIFLimits/fieldByteCount``.
        case fieldTooLong = "field-too-long"
        /// The document has a document type declaration or an encoding other than UTF-8, ASCII or Latin-1.
        case forbiddenXML = "forbidden-xml"
        /// The header is larger than ``ADIFLimits/headerByteCount``.
        case headerTooLong = "header-too-long"
        /// The line is no JSON object with the fields of a contact. Only in lists of JSON objects, which the module Radio
        /// reads.
        case malformedJSON = "malformed-json"
        /// The document stops being well-formed XML here; what stood before was read.
        case malformedXML = "malformed-xml"
        /// A record has no end: the next one begins, or the file ends after one of its fields.
        case noEndOfRecord = "no-end-of-record"
        /// There is an end-of-record tag with no field before it.
        case noFields = "no-fields"
        /// The file has neither a header nor a field.
        case notADIF = "not-adif"
        /// The record is larger than ``ADIFLimits/recordByteCount``.
        case recordTooLong = "record-too-long"
        /// The record has more fields than ``ADIFLimits/fieldCount``.
        case tooManyFields = "too-many-fields"
        /// The file ends within a field or a tag.
        case truncated = "truncated"
    }

    /// Why the part was rejected.
    public var code: Code
    /// The place in the file, from 1, counted together with the records; 0 for a header or a whole file.
    public var recordNumber: Int
    /// The bytes of the file that were rejected, from 0; in ADX, whole lines.
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

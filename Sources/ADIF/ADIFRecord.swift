/// One record of a log file: its fields in source order, where it stood and what was odd about it.
public struct ADIFRecord: Sendable, Hashable {
    /// The place in the file, from 1; records that were rejected count too.
    public var number: Int
    /// Where the record begins in the file, in bytes from 0; in ADX, where the line of its start tag begins.
    public var byteOffset: UInt64
    /// The fields in source order, repeated and unknown ones included.
    public var fields: ADIFFields
    /// What the reader had to interpret, in source order; empty for a record that keeps to the standard.
    public var warnings: [ADIFWarning]

    /// Makes a record.
    public init(number: Int = 1, byteOffset: UInt64 = 0, fields: ADIFFields, warnings: [ADIFWarning] = []) {
        self.number = number
        self.byteOffset = byteOffset
        self.fields = fields
        self.warnings = warnings
    }

    /// The field that counts under `name`; see ``ADIFFields/subscript(_:)-(FieldName)``.
    public subscript(name: FieldName) -> ADIFField? { fields[name] }
}

/// What a reader hands out, in the order of the file.
public enum ADIFItem: Sendable, Hashable {
    /// A header. Files made by joining others hold several.
    case header(ADIFHeader)
    /// A whole record.
    case record(ADIFRecord)
    /// A part of the file that is not a whole record, and why.
    case rejected(ADIFRejection)
}

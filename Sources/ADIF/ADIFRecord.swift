/// One record of a log file: its fields in source order, its position, and warnings about it.
public struct ADIFRecord: Sendable, Hashable {
    /// The number of the record in the file, from 1; rejected records count too.
    public var number: Int
    /// The offset of the record in the file, in bytes from 0; in ADX, of the line with its start tag.
    public var byteOffset: UInt64
    /// The fields in source order, repeated and unknown ones included.
    public var fields: ADIFFields
    /// The warnings of the reader, in source order; empty for a record that conforms to the standard.
    public var warnings: [ADIFWarning]

    /// Makes a record.
    public init(number: Int = 1, byteOffset: UInt64 = 0, fields: ADIFFields, warnings: [ADIFWarning] = []) {
        self.number = number
        self.byteOffset = byteOffset
        self.fields = fields
        self.warnings = warnings
    }

    /// Returns the effective field `name`; see ``ADIFFields/subscript(_:)-(FieldName)``.
    public subscript(name: FieldName) -> ADIFField? { fields[name] }
}

/// An item that a reader returns, in the order of the file.
public enum ADIFItem: Sendable, Hashable {
    /// A header. Concatenated files contain several.
    case header(ADIFHeader)
    /// A complete record.
    case record(ADIFRecord)
    /// A part of the file that is not a complete record, with the reason.
    case rejected(ADIFRejection)
}

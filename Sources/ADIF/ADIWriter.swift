/// Writes ADI: headers and records as bytes appended to a buffer.
///
/// Lengths count bytes, fields keep their order, and values are written unchanged, so a reader gets back the same
/// record. ADIF 3.1.6 allows only ASCII in ADI; like most programs, this writer keeps UTF-8 in values.
public enum ADIWriter {
    /// The version of ADIF that ``makeHeader(programVersion:createdTimestamp:userFields:)`` declares.
    public static let adifVersion = "3.1.6"
    /// The program that the header names.
    public static let programID = "Groundwave"

    /// Makes the header of a file written by Groundwave.
    ///
    /// - Parameters:
    ///   - programVersion: The version of the program, ASCII.
    /// - createdTimestamp: The creation time of the file, in seconds since 1970-01-01 UTC; see ``ADIFDateTime``.
    ///   - userFields: Definitions of the user's own fields.
    public static func makeHeader(
        programVersion: String, createdTimestamp: Int64, userFields: [UserFieldDefinition] = []
    ) -> ADIFHeader {
        var fields = ADIFFields()
        fields.append(.adifVer, adifVersion)
        let created = ADIFDateTime(unixSeconds: createdTimestamp)
        fields.append(.createdTimestamp, "\(created.date.text) \(created.time.text)")
        fields.append(.programID, programID)
        fields.append(.programVersion, programVersion)
        for definition in userFields { fields.append(definition.field) }
        return ADIFHeader(fields: fields, text: Array("Amateur radio log\n".utf8))
    }

    /// Appends a header with its end tag.
    ///
    /// A header without usable text gets a default line, since an ADI file has a header only if its first byte is not
    /// `<`.
    public static func append(_ header: ADIFHeader, to bytes: inout [UInt8]) {
        let text = trimmingBlanks(header.text[...])
        if text.isEmpty || text.contains(.lessThan) {
            bytes.append(contentsOf: "Amateur radio log\n".utf8)
        } else {
            bytes.append(contentsOf: text)
            bytes.append(.lineFeed)
        }
        for field in header.fields { append(field, to: &bytes) }
        bytes.append(contentsOf: "<EOH>\n".utf8)
    }

    /// Appends a record with its end tag, one field per line.
    public static func append(_ record: ADIFRecord, to bytes: inout [UInt8]) {
        append(record.fields, to: &bytes)
    }

    /// Appends a record of these fields with its end tag, one field per line.
    public static func append(_ fields: ADIFFields, to bytes: inout [UInt8]) {
        for field in fields { append(field, to: &bytes) }
        appendEndOfRecord(to: &bytes)
    }

    /// Appends one field in a line of its own, for a record that is written field by field. The name must be one that
    /// ``ADIFFields/accepts(_:)``.
    public static func append(_ name: FieldName, value: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        appendTag(name.name.utf8, valueCount: value.count, typeIndicator: nil, to: &bytes)
        bytes.append(contentsOf: value)
        bytes.append(.lineFeed)
    }

    /// Appends the tag that ends a record.
    public static func appendEndOfRecord(to bytes: inout [UInt8]) { bytes.append(contentsOf: "<EOR>\n".utf8) }

    private static func append(decimal number: Int, to bytes: inout [UInt8]) {
        if number >= 10 { append(decimal: number / 10, to: &bytes) }
        bytes.append(UInt8(0x30 + number % 10))
    }

    private static func append(_ field: ADIFField, to bytes: inout [UInt8]) {
        let value = field.value
        appendTag(field.writtenNameBytes, valueCount: value.count, typeIndicator: field.typeIndicator, to: &bytes)
        bytes.append(contentsOf: value)
        bytes.append(.lineFeed)
    }

    static func appendTag(
        _ name: some Collection<UInt8>, valueCount: Int, typeIndicator: UInt8?, to bytes: inout [UInt8]
    ) {
        bytes.append(.lessThan)
        bytes.append(contentsOf: name)
        bytes.append(.colon)
        append(decimal: valueCount, to: &bytes)
        if let typeIndicator {
            bytes.append(.colon)
            bytes.append(typeIndicator)
        }
        bytes.append(.greaterThan)
    }
}

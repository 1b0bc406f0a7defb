/// One field of a record or header: a name, the bytes of the value and the type letter if the file gave one.
///
/// The value is exactly the bytes after the tag, as delimited by the length; nothing is trimmed or converted. A field
/// of a record shares the record's storage: making one copies nothing.
public struct ADIFField: Sendable {
    let bytes: [UInt8]
    let entry: FieldEntry

    init(bytes: [UInt8], entry: FieldEntry) {
        self.bytes = bytes
        self.entry = entry
    }

    /// Makes an independent field.
    ///
    /// - Parameters:
    ///   - writtenName: The spelling to write, if it differs from `name` in the case of letters.
    ///   - typeIndicator: An ASCII letter (see ``FieldDataType/indicator``), or nil.
    public init(
        _ name: FieldName, value: some Collection<UInt8>, typeIndicator: UInt8? = nil, writtenName: String? = nil
    ) {
        var fields = ADIFFields()
        fields.append(name, value: value, typeIndicator: typeIndicator, writtenName: writtenName)
        self = fields[0]
    }

    /// Makes an independent field with `text` in UTF-8 as its value.
    public init(_ name: FieldName, _ text: String, typeIndicator: UInt8? = nil) {
        self.init(name, value: text.utf8, typeIndicator: typeIndicator)
    }

    /// The field's name; allocates if the field is unknown.
    public var name: FieldName {
        entry.number != 0 ? FieldName(known: entry.number) : FieldName(bytes: writtenNameBytes)
    }

    /// The name as the file spells it; nil if it is in the upper-case form that ADIF uses.
    public var writtenName: String? {
        let written = writtenNameBytes
        guard written.contains(where: { asciiUppercased($0) != $0 }) else { return nil }
        return ValueText(decoding: written).string
    }

    /// The bytes of the name as the file spells it.
    public var writtenNameBytes: ArraySlice<UInt8> { bytes[entry.nameRange] }

    /// The bytes of the value, exactly as in the file.
    public var value: ArraySlice<UInt8> { bytes[entry.valueRange] }

    /// The value as text, with the encoding used.
    public var text: ValueText { ValueText(decoding: value) }

    /// The type letter in the tag as the file spells it, an ASCII letter; nil if there is none.
    public var typeIndicator: UInt8? { entry.typeIndicator == 0 ? nil : entry.typeIndicator }
}

extension ADIFField: Hashable {
    /// Returns whether name, spelling of the name, type letter and the bytes of the value are all equal.
    public static func == (left: ADIFField, right: ADIFField) -> Bool {
        left.entry.typeIndicator == right.entry.typeIndicator && left.value == right.value
            && left.writtenNameBytes == right.writtenNameBytes
    }

    /// Hashes the properties that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entry.typeIndicator)
        hasher.combine(value)
        hasher.combine(writtenNameBytes)
    }
}

extension ADIFField: CustomStringConvertible {
    /// The field as an ADI data specifier, for logs and tests.
    public var description: String {
        let type = typeIndicator.map { ":" + String(Unicode.Scalar($0)) } ?? ""
        return "<\(ValueText(decoding: writtenNameBytes).string):\(value.count)\(type)>\(text.string)"
    }
}

/// The position of a field in its buffer: 16 bytes, no references, so that a list of them is one allocation.
struct FieldEntry: Sendable, Hashable {
    /// The offset of the first byte of the name, one past the `<` of the tag.
    var nameOffset: UInt32
    var valueOffset: UInt32
    var valueLength: UInt32
    /// The number of a known field, or 0.
    var number: UInt16
    var nameLength: UInt8
    /// An ASCII letter, or 0.
    var typeIndicator: UInt8

    var nameRange: Range<Int> { Int(nameOffset)..<Int(nameOffset) + Int(nameLength) }
    var valueRange: Range<Int> { Int(valueOffset)..<Int(valueOffset) + Int(valueLength) }

    func moved(back distance: Int) -> FieldEntry {
        var entry = self
        entry.nameOffset -= UInt32(distance)
        entry.valueOffset -= UInt32(distance)
        return entry
    }
}

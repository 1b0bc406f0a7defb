/// The fields of one record or header in source order.
///
/// The fields share one buffer of bytes, so that a record costs two allocations however many fields it has. Every
/// occurrence of a repeated field is kept; the subscript by name returns the effective one.
public struct ADIFFields: Sendable, Hashable {
    /// The bytes of the fields.
    ///
    /// For a record that was read, these are the file's bytes from its first tag up to and including its
    /// end-of-record tag, so they also contain the text between the fields.
    public private(set) var bytes: [UInt8]
    private var entries: [FieldEntry]

    /// Makes an empty list.
    public init() {
        bytes = []
        entries = []
    }

    init(bytes: [UInt8], entries: [FieldEntry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Appends a field at the end. Traps if the name is not as described, or the fields become too long.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes without `<`, `>`, `:`, comma, braces or control characters, and without a space at
    ///     either end. A reader could not find a field with any other name again. ``accepts(_:)`` checks this.
    ///   - value: The bytes of the value. All fields together must stay below 4 GiB.
    ///   - typeIndicator: The ASCII letter of the data type to write in the tag; nil for none.
    ///   - writtenName: The spelling to keep, if it differs from `name` in case.
    public mutating func append(
        _ name: FieldName, value: some Collection<UInt8>, typeIndicator: UInt8? = nil, writtenName: String? = nil
    ) {
        let spelling = Array((writtenName ?? name.name).utf8)
        precondition(FieldName(bytes: spelling[...]) == name, "The spelling of a field is that of another field.")
        append(spelling: spelling, number: name.number, value: value, typeIndicator: typeIndicator)
    }

    /// Returns whether a field may have this name: see ``append(_:value:typeIndicator:writtenName:)``.
    public static func accepts(_ name: FieldName) -> Bool { isValidFieldName(Array(name.name.utf8)[...]) }

    /// Appends a field with `text` in UTF-8 as its value. Traps as ``append(_:value:typeIndicator:writtenName:)`` does.
    public mutating func append(_ name: FieldName, _ text: String, typeIndicator: UInt8? = nil) {
        append(name, value: text.utf8, typeIndicator: typeIndicator)
    }

    /// Appends a field with its spelling and type letter.
    public mutating func append(_ field: ADIFField) {
        append(
            spelling: Array(field.writtenNameBytes), number: field.entry.number, value: field.value,
            typeIndicator: field.typeIndicator)
    }

    private mutating func append(
        spelling: [UInt8], number: UInt16, value: some Collection<UInt8>, typeIndicator: UInt8?
    ) {
        precondition(isValidFieldName(spelling[...]), "A field name has a character that ADIF does not allow.")
        let start = bytes.count
        ADIWriter.appendTag(spelling[...], valueCount: value.count, typeIndicator: typeIndicator, to: &bytes)
        let valueOffset = bytes.count
        bytes.append(contentsOf: value)
        entries.append(
            FieldEntry(
                nameOffset: UInt32(start + 1), valueOffset: UInt32(valueOffset),
                valueLength: UInt32(bytes.count - valueOffset), number: number, nameLength: UInt8(spelling.count),
                typeIndicator: typeIndicator ?? 0))
    }

    /// Returns the effective field `name`: the last occurrence with a value that is not empty, else the last one; nil
    /// if none.
    ///
    /// - Complexity: O(*n*) in the number of fields; does not allocate for a known name.
    public subscript(name: FieldName) -> ADIFField? {
        var empty: ADIFField?
        for entry in entries.reversed() where entry.number == name.number {
            let field = ADIFField(bytes: bytes, entry: entry)
            if name.number == 0, field.name != name { continue }
            if entry.valueLength > 0 { return field }
            empty = empty ?? field
        }
        return empty
    }

    /// Returns the text of the effective field `name` without blanks at its ends; nil if there is none or it is
    /// empty.
    public func text(_ name: FieldName) -> String? {
        guard let field = self[name] else { return nil }
        let trimmed = trimmingBlanks(field.value)
        return trimmed.isEmpty ? nil : ValueText(decoding: trimmed).string
    }
}

extension ADIFFields {
    /// Passes each field to `body`, in source order: its number, 0 for an unknown one, and where its name and its value
    /// lie in ``bytes``.
    package func forEachPlace(_ body: (_ number: UInt16, _ name: Range<Int>, _ value: Range<Int>) -> Void) {
        for entry in entries { body(entry.number, entry.nameRange, entry.valueRange) }
    }
}

extension ADIFFields: RandomAccessCollection {
    /// The position of the first field: 0.
    public var startIndex: Int { 0 }
    /// The position after the last field: the number of fields.
    public var endIndex: Int { entries.count }
    /// The field at `position`, counted from 0; each occurrence of a repeated field has a position.
    public subscript(position: Int) -> ADIFField { ADIFField(bytes: bytes, entry: entries[position]) }
}

extension ADIFFields: ExpressibleByArrayLiteral {
    /// Makes a list of `fields` in that order.
    public init(arrayLiteral fields: ADIFField...) {
        self.init()
        for field in fields { append(field) }
    }

    /// Makes a list of `fields` in that order.
    public init(_ fields: some Sequence<ADIFField>) {
        self.init()
        for field in fields { append(field) }
    }
}

/// Whether a reader can find a field with this name: 1–128 bytes, no `<`, `>`, `:`, comma, brace or control
/// character, and no space at either end.
func isValidFieldName(_ name: ArraySlice<UInt8>) -> Bool {
    guard let first = name.first, let last = name.last, first != .space, last != .space,
        name.count <= ADITag.maximumNameLength
    else {
        return false
    }
    return name.allSatisfy(isFieldNameByte)
}

/// Whether `byte` is allowed in a field name.
@inline(__always)
func isFieldNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, .lessThan, .greaterThan, .colon, 0x2C, 0x7B, 0x7D, 0x7F: false
    default: true
    }
}

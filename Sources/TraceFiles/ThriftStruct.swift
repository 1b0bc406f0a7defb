import GroundwaveByteCoding

/// A struct in the compact protocol of Apache Thrift (`doc/specs/thrift-compact-protocol.md`), as used by Parquet.
///
/// A field begins with one byte: its number less that of the previous field (1 to 15), and its type.
struct ThriftStruct {
    private enum Kind: UInt8 {
        case isTrue = 1
        case isFalse = 2
        case int8 = 3
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    private var writer = ByteWriter()
    private var lastField = 0

    /// Returns the bytes, including the end marker of the struct.
    consuming func finish() -> [UInt8] {
        writer.append(0)
        return writer.bytes
    }

    private mutating func begin(_ field: Int, _ kind: Kind) {
        precondition((1...15).contains(field - lastField), "Fields are written in order, and not far apart.")
        writer.append(UInt8(field - lastField) << 4 | kind.rawValue)
        lastField = field
    }

    /// Sets a field to true or false.
    mutating func set(_ field: Int, _ value: Bool) { begin(field, value ? .isTrue : .isFalse) }

    /// Sets an 8-bit field.
    mutating func set(_ field: Int, byte value: Int8) {
        begin(field, .int8)
        writer.append(UInt8(bitPattern: value))
    }

    /// Sets a 32-bit field.
    mutating func set(_ field: Int, int32 value: Int) {
        begin(field, .int32)
        writer.append(varint: Self.zigzag(Int64(value)))
    }

    /// Sets a 64-bit field.
    mutating func set(_ field: Int, int64 value: Int) {
        begin(field, .int64)
        writer.append(varint: Self.zigzag(Int64(value)))
    }

    /// Sets a field of bytes or text.
    mutating func set(_ field: Int, _ value: [UInt8]) {
        begin(field, .binary)
        writer.append(lengthPrefixed: value)
    }

    /// Sets a field to a struct.
    mutating func set(_ field: Int, _ value: consuming ThriftStruct) {
        begin(field, .structure)
        writer.append(contentsOf: value.finish())
    }

    /// Sets a field to a list of encoded structs.
    mutating func set(_ field: Int, structs: [[UInt8]]) {
        beginList(field, .structure, count: structs.count)
        for bytes in structs { writer.append(contentsOf: bytes) }
    }

    /// Sets a field to a list of 32-bit integers.
    mutating func set(_ field: Int, int32s: [Int]) {
        beginList(field, .int32, count: int32s.count)
        for value in int32s { writer.append(varint: Self.zigzag(Int64(value))) }
    }

    /// Sets a field to a list of texts.
    mutating func set(_ field: Int, texts: [String]) {
        beginList(field, .binary, count: texts.count)
        for text in texts { writer.append(text: text) }
    }

    private mutating func beginList(_ field: Int, _ kind: Kind, count: Int) {
        begin(field, .list)
        if count < 15 {
            writer.append(UInt8(count) << 4 | kind.rawValue)
        } else {
            writer.append(0xF0 | kind.rawValue)
            writer.append(varint: count)
        }
    }

    /// Maps numbers of small magnitude to small unsigned numbers.
    static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
}

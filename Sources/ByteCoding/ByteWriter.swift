/// Bytes that grow at their end.
///
/// Integers are little-endian; keys, whose byte order must be numeric order, big-endian.
public struct ByteWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8]

    /// An empty writer with room for `capacity` bytes.
    public init(capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// The number of bytes written.
    public var count: Int { bytes.count }

    /// Forgets what was written and keeps the memory, so that one writer can serve a loop.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Forgets what was written from `offset` on.
    public mutating func truncate(to offset: Int) { bytes.removeLast(bytes.count - offset) }

    /// Appends one byte.
    public mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Appends `other` as it is.
    public mutating func append(contentsOf other: RawSpan) { other.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    /// Appends `other` as it is.
    public mutating func append(contentsOf other: [UInt8]) { bytes.append(contentsOf: other) }

    /// Appends an integer in little-endian order.
    @inlinable
    public mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        withUnsafeBytes(of: value.littleEndian) { append(buffer: $0) }
    }

    /// Appends an integer in big-endian order: for keys.
    @inlinable
    public mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
        withUnsafeBytes(of: value.bigEndian) { append(buffer: $0) }
    }

    // One function that is not generic, so that the two above are compiled for each type where they are used.
    @usableFromInline
    mutating func append(buffer: UnsafeRawBufferPointer) { bytes.append(contentsOf: buffer) }

    /// Appends an unsigned LEB128 integer in its shortest form, one to ten bytes.
    public mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a count or length as a varint.
    public mutating func append(varint value: Int) { append(varint: UInt64(value)) }

    /// Appends bytes with their length as a varint before them.
    public mutating func append(lengthPrefixed other: RawSpan) {
        append(varint: other.byteCount)
        append(contentsOf: other)
    }

    /// Appends bytes with their length as a varint before them.
    public mutating func append(lengthPrefixed other: [UInt8]) {
        append(varint: other.count)
        bytes.append(contentsOf: other)
    }

    /// Appends UTF-8 text with its length in bytes as a varint before it.
    public mutating func append(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(varint: utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    /// Writes over the four bytes at `offset`, which must have been written before.
    public mutating func overwrite(littleEndian value: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
    }

    /// Appends the CRC-32C of everything from `start` to here.
    public mutating func appendChecksum(from start: Int = 0) {
        append(littleEndian: CRC32C.checksum(bytes.span.bytes.extracting(start..<bytes.count)))
    }
}

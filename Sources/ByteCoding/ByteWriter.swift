/// A buffer of bytes that grows at its end.
///
/// Integers are little-endian; keys, whose byte order must be numeric order, big-endian.
public struct ByteWriter: Sendable {
    // The bytes written, followed by spare room with meaningless content: growing an array by a few bytes at a time
    // costs more than the bytes.
    @usableFromInline var storage: [UInt8]

    @usableFromInline var end = 0

    /// The number of bytes written.
    @inlinable public var count: Int { end }

    /// An empty writer with room for `capacity` bytes.
    public init(capacity: Int = 0) { storage = [UInt8](repeating: 0, count: capacity) }

    /// The bytes written so far.
    ///
    /// Cost: a copy, unless all of the capacity was used; ``withSpan(_:)`` needs none.
    public var bytes: [UInt8] { end == storage.count ? storage : Array(storage[..<end]) }

    /// Lends what was written so far.
    @inlinable
    public func withSpan<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
    {
        try body(storage.span.bytes.extracting(0..<count))
    }

    /// Discards what was written and keeps the memory, so that a loop can reuse the writer.
    public mutating func removeAll() { end = 0 }

    /// Discards what was written from `offset` on.
    public mutating func truncate(to offset: Int) {
        precondition(offset <= count, "The offset is past the end of the written bytes.")
        end = offset
    }

    /// Makes room for `byteCount` bytes at the end and returns the offset of the first.
    @inlinable
    mutating func extend(by byteCount: Int) -> Int {
        let start = end
        end = start + byteCount
        if end > storage.count { grow() }
        return start
    }

    @usableFromInline
    mutating func grow() {
        storage.append(contentsOf: repeatElement(0, count: Swift.max(storage.count, end - storage.count, 64)))
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(_ byte: UInt8) { storage[extend(by: 1)] = byte }

    /// Appends the bytes of `other`, without a length.
    public mutating func append(contentsOf other: RawSpan) {
        other.withUnsafeBytes { source in append(buffer: source) }
    }

    /// Appends the bytes of `other`, without a length.
    public mutating func append(contentsOf other: [UInt8]) {
        other.withUnsafeBytes { source in append(buffer: source) }
    }

    private mutating func append(buffer source: UnsafeRawBufferPointer) {
        if source.isEmpty { return }
        let start = extend(by: source.count)
        storage.withUnsafeMutableBytes { $0[start...].copyBytes(from: source) }
    }

    /// Appends an integer in little-endian order.
    @inlinable
    public mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(littleEndian value: Integer) {
        store(value.littleEndian)
    }

    /// Appends an integer in big-endian order: for keys.
    @inlinable
    public mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(bigEndian value: Integer) {
        store(value.bigEndian)
    }

    @inlinable
    mutating func store<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer) {
        let start = extend(by: MemoryLayout<Integer>.size)
        storage.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: start, as: Integer.self) }
    }

    /// Appends an unsigned LEB128 integer in its shortest form, one to ten bytes.
    @inlinable @inline(__always)
    public mutating func append(varint value: UInt64) {
        // Most are of one byte.
        if value < 0x80 { append(UInt8(truncatingIfNeeded: value)) } else { append(longVarint: value) }
    }

    @usableFromInline @inline(never)
    mutating func append(longVarint value: UInt64) {
        if value < 1 << 56 {
            // Up to eight bytes are made in a register and stored at once; `end` then leaves out the unused ones.
            var (bytes, rest, shift) = (UInt64(0), value, UInt64(0))
            while rest >= 0x80 {
                bytes |= (rest & 0x7F | 0x80) << shift
                rest >>= 7
                shift += 8
            }
            store(littleEndian: bytes | rest << shift, end: end + Int(shift >> 3) + 1)
            return
        }
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func store(littleEndian bytes: UInt64, end: Int) {
        append(littleEndian: bytes)
        self.end = end
    }

    /// Appends a count or length as a varint.
    @inlinable
    public mutating func append(varint value: Int) { append(varint: UInt64(value)) }

    /// Appends bytes with their length as a varint before them.
    public mutating func append(lengthPrefixed other: RawSpan) {
        append(varint: other.byteCount)
        append(contentsOf: other)
    }

    /// Appends bytes with their length as a varint before them.
    public mutating func append(lengthPrefixed other: [UInt8]) {
        append(varint: other.count)
        append(contentsOf: other)
    }

    /// Appends UTF-8 text with its length in bytes as a varint before it.
    public mutating func append(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(varint: utf8.count)
            append(buffer: UnsafeRawBufferPointer(utf8))
        }
    }

    /// Overwrites the four bytes at `offset`, which must have been written before.
    public mutating func overwrite(littleEndian value: UInt32, at offset: Int) {
        precondition(offset + 4 <= count, "Only written bytes can be overwritten.")
        for index in 0..<4 { storage[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
    }

    /// Appends the CRC-32C of everything from `start` to here.
    public mutating func appendChecksum(from start: Int = 0) {
        append(littleEndian: withSpan { CRC32C.checksum($0.extracting(start..<$0.byteCount)) })
    }
}

// Loads at any alignment. A load past the end of the span traps, and every bit pattern is a valid integer: so the loads
// below are safe, although their names in the standard library contain `unsafe`.

extension RawSpan {
    /// The byte at `offset`.
    @inlinable @inline(__always)
    public func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// The little-endian 16-bit integer at `offset`.
    @inlinable @inline(__always)
    public func uint16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The little-endian 32-bit integer at `offset`.
    @inlinable @inline(__always)
    public func uint32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The little-endian 64-bit integer at `offset`.
    @inlinable @inline(__always)
    public func uint64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The big-endian 64-bit integer at `offset`: the form of keys, whose byte order is numeric order.
    @inlinable @inline(__always)
    public func bigEndianUInt64(at offset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// A copy of the bytes.
    ///
    /// Cost: one allocation.
    @inlinable
    public func toArray() -> [UInt8] { withUnsafeBytes { [UInt8]($0) } }

    /// Whether both spans hold the same bytes.
    @inlinable
    public func elementsEqual(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        var offset = 0
        while offset &+ 8 <= byteCount {
            if uint64(at: offset) != other.uint64(at: offset) { return false }
            offset &+= 8
        }
        while offset < byteCount {
            if byte(at: offset) != other.byte(at: offset) { return false }
            offset &+= 1
        }
        return true
    }

    /// Whether the bytes are well-formed UTF-8.
    ///
    /// Cost: one pass; text that is not ASCII is copied.
    public var isUTF8: Bool {
        for offset in 0..<byteCount where byte(at: offset) >= 0x80 {
            return String(validating: toArray(), as: UTF8.self) != nil
        }
        return true
    }

    /// Whether these bytes sort before `other` in byte order, as keys do.
    public func lexicographicallyPrecedes(_ other: RawSpan) -> Bool {
        let shared = Swift.min(byteCount, other.byteCount)
        for offset in 0..<shared where byte(at: offset) != other.byte(at: offset) {
            return byte(at: offset) < other.byte(at: offset)
        }
        return byteCount < other.byteCount
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    @inlinable
    public mutating func append(contentsOf bytes: RawSpan) { bytes.withUnsafeBytes { append(contentsOf: $0) } }

    /// Passes the bytes of this array to `body` as a span, which is valid only during the call.
    @inlinable
    public func withSpan<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result { try body(span.bytes) }
}

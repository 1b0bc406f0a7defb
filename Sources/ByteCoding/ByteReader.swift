/// Why bytes could not be read.
public enum ByteCodingError: Error, Hashable, Sendable {
    /// `needed` bytes are required at `offset`, but only `available` are left.
    case truncated(offset: Int, needed: Int, available: Int)
    /// The varint at `offset` is longer than ten bytes, overflows 64 bits or is not the shortest form.
    case malformedVarint(offset: Int)
    /// The length at `offset` is `length`, which exceeds `limit`.
    case tooLong(offset: Int, length: UInt64, limit: Int)
    /// `count` bytes are left at `offset`, after the end of the content.
    case trailingBytes(offset: Int, count: Int)
    /// The text at `offset` is not UTF-8.
    case notUTF8(offset: Int)
}

extension ByteCodingError: CustomStringConvertible {
    /// A description of the error, with the byte offset.
    public var description: String {
        switch self {
        case .truncated(let offset, let needed, let available):
            "\(needed) bytes are needed at byte \(offset), but only \(available) are there"
        case .malformedVarint(let offset): "the number at byte \(offset) is malformed"
        case .tooLong(let offset, let length, let limit):
            "the length at byte \(offset) is \(length), which is more than \(limit)"
        case .trailingBytes(let offset, let count): "\(count) bytes too many at byte \(offset)"
        case .notUTF8(let offset): "the text at byte \(offset) is not UTF-8"
        }
    }
}

/// A read position in bytes that advances with each read and never passes the end.
///
/// The reader holds only an offset: the span is passed to each call, since a span cannot be stored. Varints must have
/// their shortest form, so that one value has one encoding and hashes of encoded bytes can be compared.
public struct ByteReader: Sendable {
    /// The offset of the next read, in bytes.
    public var offset: Int

    /// A reader that starts at `offset`.
    @inlinable public init(at offset: Int = 0) { self.offset = offset }

    @inlinable
    func check(_ needed: Int, in bytes: RawSpan) throws(ByteCodingError) {
        let available = bytes.byteCount &- offset
        if needed < 0 || needed > available {
            throw .truncated(offset: offset, needed: needed, available: Swift.max(0, available))
        }
    }

    /// Reads one byte.
    @inlinable
    public mutating func byte(in bytes: RawSpan) throws(ByteCodingError) -> UInt8 {
        try check(1, in: bytes)
        defer { offset &+= 1 }
        return bytes.byte(at: offset)
    }

    /// Reads a little-endian 16-bit integer.
    @inlinable
    public mutating func uint16(in bytes: RawSpan) throws(ByteCodingError) -> UInt16 {
        try check(2, in: bytes)
        defer { offset &+= 2 }
        return bytes.uint16(at: offset)
    }

    /// Reads a little-endian 32-bit integer.
    @inlinable
    public mutating func uint32(in bytes: RawSpan) throws(ByteCodingError) -> UInt32 {
        try check(4, in: bytes)
        defer { offset &+= 4 }
        return bytes.uint32(at: offset)
    }

    /// Reads a little-endian 64-bit integer.
    @inlinable
    public mutating func uint64(in bytes: RawSpan) throws(ByteCodingError) -> UInt64 {
        try check(8, in: bytes)
        defer { offset &+= 8 }
        return bytes.uint64(at: offset)
    }

    /// Reads an unsigned LEB128 integer of at most ten bytes, in its shortest form only.
    @inlinable @inline(__always)
    public mutating func varint(in bytes: RawSpan) throws(ByteCodingError) -> UInt64 {
        // Most are of one byte.
        if offset < bytes.byteCount {
            let first = bytes.byte(at: offset)
            if first < 0x80 {
                offset &+= 1
                return UInt64(first)
            }
        }
        return try longVarint(in: bytes)
    }

    @usableFromInline @inline(never)
    mutating func longVarint(in bytes: RawSpan) throws(ByteCodingError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            try check(1, in: bytes)
            let next = bytes.byte(at: offset)
            offset &+= 1
            if shift == 63 && next > 1 { throw .malformedVarint(offset: start) }
            value |= UInt64(next & 0x7F) &<< shift
            if next < 0x80 {
                if next == 0, shift > 0 { throw .malformedVarint(offset: start) }
                return value
            }
            shift &+= 7
            if shift > 63 { throw .malformedVarint(offset: start) }
        }
    }

    /// Reads a count, a varint of at most `limit`: for every number that bounds an allocation or a loop.
    @inlinable
    public mutating func count(in bytes: RawSpan, limit: Int) throws(ByteCodingError) -> Int {
        let start = offset
        let value = try varint(in: bytes)
        guard value <= UInt64(limit) else { throw .tooLong(offset: start, length: value, limit: limit) }
        return Int(value)
    }

    /// Skips `count` bytes and returns their range.
    @inlinable
    public mutating func skip(_ count: Int, in bytes: RawSpan) throws(ByteCodingError) -> Range<Int> {
        try check(count, in: bytes)
        defer { offset &+= count }
        return offset..<(offset &+ count)
    }

    /// Skips bytes that follow their length, a varint, and returns their range.
    @inlinable
    public mutating func lengthPrefixed(in bytes: RawSpan) throws(ByteCodingError) -> Range<Int> {
        let start = offset
        let length = try varint(in: bytes)
        guard length <= UInt64(bytes.byteCount &- offset) else {
            throw .truncated(
                offset: start, needed: Int(clamping: length), available: Swift.max(0, bytes.byteCount &- offset))
        }
        return try skip(Int(length), in: bytes)
    }

    /// Reads UTF-8 text with a varint length before it.
    public mutating func text(in bytes: RawSpan) throws(ByteCodingError) -> String {
        let start = offset
        let range = try lengthPrefixed(in: bytes)
        guard let text = String(validating: bytes.extracting(range).toArray(), as: UTF8.self) else {
            throw .notUTF8(offset: start)
        }
        return text
    }

    /// Throws if bytes are left after the read position.
    @inlinable
    public func finish(in bytes: RawSpan) throws(ByteCodingError) {
        if offset != bytes.byteCount {
            throw .trailingBytes(offset: offset, count: bytes.byteCount &- offset)
        }
    }
}

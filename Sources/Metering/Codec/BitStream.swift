import ByteCoding

/// Bits one after the other, the lowest of a byte first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var count = 0

    /// Appends the low `width` bits of `value`; 0 to 64.
    mutating func append(_ value: UInt64, width: Int) {
        if width > 32 {
            append(value & 0xFFFF_FFFF, width: 32)
            append(value >> 32, width: width - 32)
            return
        }
        if width == 0 { return }
        pending |= (value & (UInt64.max >> UInt64(64 - width))) << UInt64(count)
        count += width
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count -= 8
        }
    }

    /// The bytes, the last of them filled with zeros.
    consuming func finish() -> [UInt8] {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
        return bytes
    }
}

/// Reads what a ``BitWriter`` has written. Behind the end there are zeros, and ``isExhausted`` says so.
struct BitReader {
    private var offset: Int
    private let end: Int
    private var pending: UInt64 = 0
    private var count = 0
    private var missing = 0

    /// Reads from byte `offset` to before byte `end`.
    init(at offset: Int, end: Int) {
        self.offset = offset
        self.end = end
    }

    /// Whether more was read than is there.
    var isExhausted: Bool { missing > count }

    /// The next `width` bits; 0 to 64.
    @inline(__always)
    mutating func read(_ width: Int, in bytes: RawSpan) -> UInt64 {
        if width > 32 {
            let low = read(32, in: bytes)
            return low | read(width - 32, in: bytes) << 32
        }
        if count < width { fill(bytes) }
        let value = pending & ((1 << UInt64(width)) &- 1)
        pending >>= UInt64(width)
        count -= width
        return value
    }

    @inline(__always)
    private mutating func fill(_ bytes: RawSpan) {
        while count <= 56 {
            if offset < end {
                pending |= UInt64(bytes.byte(at: offset)) << UInt64(count)
                offset += 1
            } else {
                missing += 8
            }
            count += 8
        }
    }
}

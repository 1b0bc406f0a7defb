import GroundwaveByteCoding

/// Packs bits into bytes, the lowest bit of each byte first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    /// The bits that do not fill a byte yet, in the low `pendingCount` bits.
    private var pending: UInt64 = 0
    private var pendingCount = 0

    /// Appends the low `width` bits of `value`, lowest first. `width` is 0 to 64.
    @inline(__always)
    mutating func append(_ value: UInt64, width: Int) {
        if width > 32 {
            append32(value & 0xFFFF_FFFF, width: 32)
            append32(value >> 32, width: width - 32)
        } else {
            append32(value, width: width)
        }
    }

    @inline(__always)
    private mutating func append32(_ value: UInt64, width: Int) {
        pending |= (value & ((1 &<< UInt64(width)) &- 1)) &<< UInt64(pendingCount)
        pendingCount &+= width
        while pendingCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount &-= 8
        }
    }

    /// Returns the bytes; the unused bits of the last byte are zeros.
    consuming func finish() -> [UInt8] {
        if pendingCount > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
        return bytes
    }
}

/// Reads the bits written by a ``BitWriter``. What is read past the end is undefined: see ``byteOffset``.
struct BitReader {
    /// The index of the next bit.
    private var offset: Int

    /// Creates a reader that starts at the lowest bit of a byte.
    init(at byteOffset: Int) { offset = 8 * byteOffset }

    /// The offset of the byte after the last one of which a bit was read.
    var byteOffset: Int { (offset + 7) / 8 }

    /// Returns the next `width` bits of `bytes`, which are at least eight. `width` is 0 to 63.
    @inline(__always)
    mutating func read(_ width: Int, in bytes: RawSpan) -> UInt64 {
        let bits = width <= 56 ? bytes.bits(from: offset) : Self.allBits(from: offset, in: bytes)
        offset &+= width
        return bits & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
    }

    @inline(never)
    private static func allBits(from offset: Int, in bytes: RawSpan) -> UInt64 {
        bytes.bits(from: offset) & 0xFFFF_FFFF | bytes.bits(from: offset + 32) << 32
    }
}

extension RawSpan {
    /// Returns the bits from the index `offset` on: at least 56, and 64 if that is the first of a byte. Past the end they are
    /// undefined. The span has at least eight bytes.
    @inline(__always)
    func bits(from offset: Int) -> UInt64 {
        let byte = min(offset >> 3, byteCount &- 8)
        return uint64(at: byte) &>> UInt64(truncatingIfNeeded: offset &- 8 &* byte)
    }
}

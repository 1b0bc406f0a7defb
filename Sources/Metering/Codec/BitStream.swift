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

/// Reads the bits written by a ``BitWriter`` from the words of ``words(of:)``. Reading past the end returns zeros.
struct BitReader {
    /// The index of the next bit.
    private(set) var bitOffset = 0

    /// Returns `bytes` as overlapping words, each starting 32 bits after the previous one, so that any 32 bits lie in
    /// one word. The last words are zeros.
    static func words(of bytes: RawSpan) -> [UInt64] {
        let whole = max(0, bytes.byteCount / 4 - 1)
        var words = [UInt64](repeating: 0, count: whole + 4)
        for index in 0..<whole { words[index] = bytes.uint64(at: 4 * index) }
        for offset in 4 * whole..<bytes.byteCount {
            let (index, byte) = (offset / 4, UInt64(bytes.byte(at: offset)) << UInt64(8 * (offset % 4)))
            words[index] |= byte
            if index > whole { words[index - 1] |= byte << 32 }
        }
        return words
    }

    /// Returns the next `width` bits. `width` is 0 to 64.
    @inline(__always)
    mutating func read(_ width: Int, in words: Span<UInt64>) -> UInt64 {
        if width > 32 {
            let low = read32(32, in: words)
            return low | read32(width &- 32, in: words) << 32
        }
        return read32(width, in: words)
    }

    @inline(__always)
    private mutating func read32(_ width: Int, in words: Span<UInt64>) -> UInt64 {
        let word = words[min(bitOffset >> 5, words.count &- 1)]
        let bits =
            word &>> UInt64(truncatingIfNeeded: bitOffset & 31) & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
        bitOffset &+= width
        return bits
    }

    /// Returns whether more bits were read than `byteCount` bytes hold.
    func isExhausted(_ byteCount: Int) -> Bool { bitOffset > byteCount * 8 }
}

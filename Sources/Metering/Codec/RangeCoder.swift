import ByteCoding

// Asymmetric numeral systems (Duda, arXiv:1311.2540), in the variant with one state of 32 bits that grows and shrinks by
// words of 16: what is written last is read first, so a writer takes its symbols from the end.

/// Writes symbols by their shares of frequency tables.
struct SymbolWriter {
    private var state: UInt32 = 1 << 16
    private var words: [UInt16] = []

    /// Appends a symbol that has `part` of 4,096 parts, from `start` on.
    @inline(__always)
    mutating func append(part: UInt16, start: UInt16) {
        if UInt64(state) >= UInt64(part) << 20 {
            words.append(UInt16(truncatingIfNeeded: state))
            state >>= 16
        }
        let (quotient, rest) = state.quotientAndRemainder(dividingBy: UInt32(part))
        state = quotient << 12 &+ rest &+ UInt32(start)
    }

    /// What was written, in the order of reading.
    consuming func finish() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + 2 * words.count)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: state >> shift)) }
        for word in words.reversed() {
            bytes.append(UInt8(truncatingIfNeeded: word))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
        }
        return bytes
    }
}

/// Reads what a ``SymbolWriter`` has written. Behind the end there are zeros; ``isAtEnd`` tells whether all was right.
struct SymbolReader {
    private var state: UInt32
    private var offset: Int
    private let end: Int

    /// Reads from byte `offset` to before byte `end`, at least four; `nil` where there are fewer.
    init?(at offset: Int, end: Int, in bytes: RawSpan) {
        guard end - offset >= 4 else { return nil }
        state = bytes.uint32(at: offset)
        self.offset = offset + 4
        self.end = end
    }

    /// Whether everything was read, and it was what had been written.
    var isAtEnd: Bool { offset == end && state == 1 << 16 }

    /// The next symbol of `table`.
    @inline(__always)
    mutating func symbol(_ slots: Span<UInt32>, table: Int, in bytes: RawSpan) -> Int {
        let slot = slots[(table << 12) | Int(state & 4095)]
        advance(part: (slot >> 8 & 0xFFF) &+ 1, place: slot >> 20, in: bytes)
        return Int(slot & 0xFF)
    }

    /// Whether the next of two symbols is the first one, which has `part`.
    @inline(__always)
    mutating func isFirst(part: UInt16, in bytes: RawSpan) -> Bool {
        let (slot, part) = (state & 4095, UInt32(part))
        if slot < part {
            advance(part: part, place: slot, in: bytes)
            return true
        }
        advance(part: 4096 &- part, place: slot &- part, in: bytes)
        return false
    }

    @inline(__always)
    private mutating func advance(part: UInt32, place: UInt32, in bytes: RawSpan) {
        state = part &* (state >> 12) &+ place
        if state < 1 << 16, offset &+ 2 <= end {
            state = state << 16 | UInt32(bytes.uint16(at: offset))
            offset &+= 2
        }
    }
}

extension FrequencyTable {
    /// Appends what a ``SymbolReader`` looks up: for each of 4,096 slots the symbol (8 bits), its part less one (12), and the
    /// slot's place in it (12).
    func appendSlots(to slots: inout [UInt32]) {
        for symbol in parts.indices where parts[symbol] > 0 {
            let entry = UInt32(symbol) | UInt32(parts[symbol] - 1) << 8
            for place in 0..<UInt32(parts[symbol]) { slots.append(entry | place << 20) }
        }
    }
}

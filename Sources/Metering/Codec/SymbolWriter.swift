import GroundwaveByteCoding

// Asymmetric numeral systems (Duda, arXiv:1311.2540), in the variant with 32-bit states that grow and shrink by
// 16-bit words. The reader returns the symbols in reverse order of writing, so a writer starts with the last symbol.
// Many symbols use two alternating states, so that a processor works on both at once (Giesen, arXiv:1402.3392); with
// few symbols the second state would not pay for its four bytes, and the reader takes the streams of several columns at
// once instead: see BlockSymbols.

/// Encodes symbols by their shares in frequency tables.
struct SymbolWriter {
    /// The number of symbols from which two states are used.
    static let pairedCount = 2048
    /// The states before the first symbol is written.
    static let firstState: UInt32 = 1 << 16

    /// The state that encodes the next symbol, and the state that encoded the last one.
    private var states: (UInt32, UInt32) = (firstState, firstState)
    private var words: [UInt16] = []
    private let isPaired: Bool

    /// Creates a writer of `count` symbols.
    init(count: Int) {
        words.reserveCapacity(count / 2)
        isPaired = count >= Self.pairedCount
    }

    /// Prepends a symbol that occupies `part` parts of its table from `start` on.
    @inline(__always)
    mutating func put(part: UInt16, start: UInt16) {
        var state = states.0
        if UInt64(state) >= UInt64(part) << UInt64(32 - FrequencyTable.bits) {
            words.append(UInt16(truncatingIfNeeded: state))
            state >>= 16
        }
        let (quotient, rest) = state.quotientAndRemainder(dividingBy: UInt32(part))
        state = quotient << UInt32(FrequencyTable.bits) &+ rest &+ UInt32(start)
        states = isPaired ? (states.1, state) : (state, state)
    }

    /// Returns the bytes in reading order.
    consuming func finish() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + 2 * words.count)
        for state in isPaired ? [states.1, states.0] : [states.1] {
            for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: state >> shift)) }
        }
        for word in words.reversed() {
            bytes.append(UInt8(truncatingIfNeeded: word))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
        }
        return bytes
    }
}

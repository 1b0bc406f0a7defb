import GroundwaveByteCoding

// Asymmetric numeral systems (Duda, arXiv:1311.2540), in the variant with 32-bit states that grow and shrink by
// 16-bit words. The reader returns the symbols in reverse order of writing, so a writer starts with the last symbol.
//
// A symbol needs the state that the symbol before it left, so a processor that decodes one after the other mostly waits.
// Symbols are therefore written as four lanes of one length, each with a state of its own, which share the words (Giesen,
// arXiv:1402.3392): the first quarter of the symbols, the second, and so on. The up to three symbols that are left follow in
// the first lane. With few symbols three more states would not pay for their bytes, and the first lane has all symbols.

/// How the symbols of a stream are divided into lanes.
struct SymbolLanes {
    /// The number of symbols from which there are four lanes.
    static let manyCount = 256

    /// The number of lanes: 1 or 4.
    let count: Int

    /// Creates the lanes of a stream of `symbolCount` symbols.
    init(of symbolCount: Int) { count = symbolCount < Self.manyCount ? 1 : 4 }

    /// Returns how many of `symbolCount` symbols that are read by the same tables are in each of four lanes.
    func length(of symbolCount: Int) -> Int { count == 4 ? symbolCount / 4 : 0 }
}

/// Encodes symbols by their shares in frequency tables.
struct SymbolWriter {
    /// The states before the first symbol is written.
    static let firstState: UInt32 = 1 << 16

    let lanes: SymbolLanes
    /// The states of the lanes; those of lanes that are not there stay as they are.
    private var states = InlineArray<4, UInt32>(repeating: firstState)
    private var words: [UInt16] = []

    /// Creates a writer of `count` symbols.
    init(count: Int) {
        lanes = SymbolLanes(of: count)
        words.reserveCapacity(count / 2)
    }

    /// Prepends `count` symbols; `share` returns the number of parts that a symbol occupies in its table, and the first.
    @inline(__always)
    mutating func write(_ count: Int, share: (Int) -> (part: UInt16, start: UInt16)) {
        let length = lanes.length(of: count)
        for index in (4 * length..<count).reversed() { put(share(index), lane: 0) }
        for index in (0..<length).reversed() {
            for lane in (0..<4).reversed() { put(share(lane * length + index), lane: lane) }
        }
    }

    @inline(__always)
    private mutating func put(_ share: (part: UInt16, start: UInt16), lane: Int) {
        var state = states[lane]
        if UInt64(state) >= UInt64(share.part) << UInt64(32 - FrequencyTable.bits) {
            words.append(UInt16(truncatingIfNeeded: state))
            state >>= 16
        }
        let (quotient, rest) = state.quotientAndRemainder(dividingBy: UInt32(share.part))
        states[lane] = quotient << UInt32(FrequencyTable.bits) &+ rest &+ UInt32(share.start)
    }

    /// Returns the bytes in reading order: the states, then the words.
    consuming func finish() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * lanes.count + 2 * words.count)
        for lane in 0..<lanes.count {
            for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: states[lane] >> shift)) }
        }
        for word in words.reversed() {
            bytes.append(UInt8(truncatingIfNeeded: word))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
        }
        return bytes
    }
}

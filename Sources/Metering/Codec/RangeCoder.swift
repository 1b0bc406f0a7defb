import GroundwaveByteCoding

// Asymmetric numeral systems (Duda, arXiv:1311.2540), in the variant with 32-bit states that grow and shrink by
// 16-bit words. The reader returns the symbols in reverse order of writing, so a writer starts with the last symbol.
// Many symbols use two alternating states, so that a processor works on both at once (Giesen, arXiv:1402.3392); with
// few symbols the second state would not pay for its four bytes.

/// The number of symbols from which two states are used.
private let pairedCount = 2048

/// Encodes symbols by their shares in frequency tables.
struct SymbolWriter {
    /// The state that encodes the next symbol, and the state that encoded the last one.
    private var states: (UInt32, UInt32) = (1 << 16, 1 << 16)
    private var words: [UInt16] = []
    private let isPaired: Bool

    /// Creates a writer of `count` symbols.
    init(count: Int) {
        words.reserveCapacity(count / 2)
        isPaired = count >= pairedCount
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

/// Decodes the symbols of a ``SymbolWriter``. Reading past the end reads zeros; check ``isAtEnd`` after the last
/// symbol.
struct SymbolReader {
    /// The words, then one zero for each symbol, since a symbol consumes at most one word.
    let words: [UInt16]
    private let end: Int
    private let isPaired: Bool
    /// The state of the next symbol, and of the symbol after it.
    private var states: (UInt32, UInt32)
    /// The index of the next word.
    private var position: Int

    /// Creates a reader of `count` symbols in `bytes`.
    init(_ bytes: RawSpan, count: Int) throws(BlockError) {
        isPaired = count >= pairedCount
        position = isPaired ? 4 : 2
        end = bytes.byteCount / 2
        guard bytes.byteCount.isMultiple(of: 2), end >= position else { throw .malformed }
        var words = [UInt16](repeating: 0, count: end + count)
        for index in 0..<end { words[index] = bytes.uint16(at: 2 * index) }
        self.words = words
        states = (bytes.uint32(at: 0), isPaired ? bytes.uint32(at: 4) : 1 << 16)
    }

    /// Whether all words were read and both states are back at their initial value.
    var isAtEnd: Bool { position == end && states == (1 << 16, 1 << 16) }

    /// Reads the next `count` symbols by `tables`.
    mutating func read(_ count: Int, by tables: SymbolTables) -> [UInt8] {
        var symbols = [UInt8](repeating: 0, count: count)
        var span = symbols.mutableSpan
        switch (isPaired, tables.hasContexts) {
        case _ where tables.isOneSymbol:
            // The symbol occupies the whole table, so decoding it leaves the states unchanged.
            if isPaired, !count.isMultiple(of: 2) { states = (states.1, states.0) }
        case (true, true): read(&span, tables, isPaired: true, hasContexts: true)
        case (true, false): read(&span, tables, isPaired: true, hasContexts: false)
        case (false, _): read(&span, tables, isPaired: false, hasContexts: true)
        }
        return symbols
    }

    @inline(__always)
    private mutating func read(
        _ symbols: inout MutableSpan<UInt8>, _ tables: SymbolTables, isPaired: Bool, hasContexts: Bool
    ) {
        var (next, other) = states
        var position = position
        let allWords = words
        let words = allWords.span
        let (slots, symbolsOfSlots, tablesBehind) = (tables.slots.span, tables.symbols.span, tables.next.span)
        var table = 0
        for index in symbols.indices {
            let slot = table | Int(truncatingIfNeeded: next & UInt32(FrequencyTable.total - 1))
            let (entry, symbol) = (slots[slot], symbolsOfSlots[slot])
            var state = (entry & 0xFFFF) &* (next >> UInt32(FrequencyTable.bits)) &+ entry >> 16
            // Whether a word is needed is unpredictable, so this is computed without a branch.
            let isLow = (UInt64(state) &- 1 << 16) >> 63
            let longer = state << 16 | UInt32(words[position])
            state ^= (state ^ longer) & (0 &- UInt32(truncatingIfNeeded: isLow))
            position &+= Int(truncatingIfNeeded: isLow)
            if isPaired { (next, other) = (other, state) } else { next = state }
            symbols[index] = symbol
            if hasContexts { table = Int(tablesBehind[Int(symbol)]) }
        }
        (states, self.position) = ((next, other), position)
    }
}

extension FrequencyTable {
    /// Fills the lookup tables of a ``SymbolReader`` from `start` on: for each slot, the part of its symbol (low 16
    /// bits) and the slot's offset in that part (high 16 bits); and the symbol.
    func fill(_ slots: inout [UInt32], _ symbols: inout [UInt8], from start: Int) {
        for symbol in parts.indices {
            let (part, first) = (UInt32(parts[symbol]), start + Int(starts[symbol]))
            for position in 0..<Int(part) {
                slots[first &+ position] = part | UInt32(truncatingIfNeeded: position) << 16
                symbols[first &+ position] = UInt8(truncatingIfNeeded: symbol)
            }
        }
    }
}

import GroundwaveByteCoding

// Asymmetric numeral systems (Duda, arXiv:1311.2540), in the variant with states of 32 bits that grow and shrink by words of
// 16: what is written last is read first, so a writer takes its symbols from the end. Of many symbols two states take turns,
// so that a processor works on two at once (Giesen, arXiv:1402.3392); of few the second one would not pay its four bytes.

/// How many symbols have two states.
private let pairedCount = 2048

/// Writes symbols by their shares of frequency tables.
struct SymbolWriter {
    /// The state of the symbol that comes next, and of the one that came last.
    private var states: (UInt32, UInt32) = (1 << 16, 1 << 16)
    private var words: [UInt16] = []
    private let isPaired: Bool

    /// For `count` symbols.
    init(count: Int) {
        words.reserveCapacity(count / 2)
        isPaired = count >= pairedCount
    }

    /// Puts a symbol that has `part` of the parts of a table, from `start` on, before all those that were put here.
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

    /// What was written, in the order of reading.
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

/// Reads what a ``SymbolWriter`` has written. Behind the end there are zeros; ``isAtEnd`` tells whether all was right.
struct SymbolReader {
    /// The words, and as many zeros as there are symbols, each of which takes one at most.
    let words: [UInt16]
    private let end: Int
    private let isPaired: Bool
    /// The state of the next symbol, and of the one behind it.
    private var states: (UInt32, UInt32)
    /// The next word.
    private var place: Int

    /// Reads `count` symbols from `bytes`.
    init(_ bytes: RawSpan, count: Int) throws(BlockError) {
        isPaired = count >= pairedCount
        place = isPaired ? 4 : 2
        end = bytes.byteCount / 2
        guard bytes.byteCount.isMultiple(of: 2), end >= place else { throw .malformed }
        var words = [UInt16](repeating: 0, count: end + count)
        for index in 0..<end { words[index] = bytes.uint16(at: 2 * index) }
        self.words = words
        states = (bytes.uint32(at: 0), isPaired ? bytes.uint32(at: 4) : 1 << 16)
    }

    /// Whether everything was read, and it was what had been written.
    var isAtEnd: Bool { place == end && states == (1 << 16, 1 << 16) }

    /// The next `count` symbols, by `tables`.
    mutating func read(_ count: Int, by tables: SymbolTables) -> [UInt8] {
        var symbols = [UInt8](repeating: 0, count: count)
        var span = symbols.mutableSpan
        switch (isPaired, tables.hasContexts) {
        case _ where tables.isOneSymbol:
            // It has all parts, so the states stay as they are.
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
        var place = place
        let allWords = words
        let words = allWords.span
        let (slots, symbolsOfSlots, tablesBehind) = (tables.slots.span, tables.symbols.span, tables.next.span)
        var table = 0
        for index in symbols.indices {
            let slot = table | Int(truncatingIfNeeded: next & UInt32(FrequencyTable.total - 1))
            let (entry, symbol) = (slots[slot], symbolsOfSlots[slot])
            var state = (entry & 0xFFFF) &* (next >> UInt32(FrequencyTable.bits)) &+ entry >> 16
            // Whether a word is needed is not to be foreseen, so it is computed, and no branch taken.
            let isLow = (UInt64(state) &- 1 << 16) >> 63
            let longer = state << 16 | UInt32(words[place])
            state ^= (state ^ longer) & (0 &- UInt32(truncatingIfNeeded: isLow))
            place &+= Int(truncatingIfNeeded: isLow)
            if isPaired { (next, other) = (other, state) } else { next = state }
            symbols[index] = symbol
            if hasContexts { table = Int(tablesBehind[Int(symbol)]) }
        }
        (states, self.place) = ((next, other), place)
    }
}

extension FrequencyTable {
    /// Writes what a ``SymbolReader`` looks up, from `start` on: for each slot the part of its symbol (16 bits) and the slot's
    /// place in that (16); and the symbol.
    func fill(_ slots: inout [UInt32], _ symbols: inout [UInt8], from start: Int) {
        for symbol in parts.indices {
            let (part, first) = (UInt32(parts[symbol]), start + Int(starts[symbol]))
            for place in 0..<Int(part) {
                slots[first &+ place] = part | UInt32(truncatingIfNeeded: place) << 16
                symbols[first &+ place] = UInt8(truncatingIfNeeded: symbol)
            }
        }
    }
}

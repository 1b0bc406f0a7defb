import GroundwaveByteCoding

/// Decodes the symbols of a ``SymbolWriter``.
struct SymbolReader {
    private let lanes: SymbolLanes
    private var states: (UInt32, UInt32, UInt32, UInt32)
    /// The offset of the next word, and that of the byte after the last one, in bits.
    private var offset: Int
    private let end: Int

    /// Creates a reader of `count` symbols in `range` of `bytes`, which are at least eight.
    init(_ range: Range<Int>, of bytes: RawSpan, count: Int) throws(BlockError) {
        lanes = SymbolLanes(of: count)
        guard range.count >= 4 * lanes.count else { throw .malformed }
        let (start, first) = (range.lowerBound, SymbolWriter.firstState)
        states =
            lanes.count == 1
            ? (bytes.uint32(at: start), first, first, first)
            : (
                bytes.uint32(at: start), bytes.uint32(at: start + 4), bytes.uint32(at: start + 8),
                bytes.uint32(at: start + 12)
            )
        (offset, end) = (8 * (start + 4 * lanes.count), 8 * range.upperBound)
    }

    /// Returns the next `count` symbols, which `tables` encode.
    mutating func symbols(_ count: Int, by tables: borrowing SymbolTables, in bytes: RawSpan) -> [UInt8] {
        var symbols = [UInt8](repeating: 0, count: count)
        // A symbol that is the only one of its alphabet is not written.
        if tables.isOneSymbol { return symbols }
        let slots = tables.slots.span
        var span = symbols.mutableSpan
        // With a count that is known here, an index that is masked needs no check.
        if tables.hasContexts {
            read(slots.extracting(..<SymbolTables.slotLimit), bytes, &span, hasContexts: true)
        } else {
            read(slots.extracting(..<FrequencyTable.total), bytes, &span, hasContexts: false)
        }
        return symbols
    }

    /// Checks that all words were read, and no more, and all states are back at their first value.
    func finish() throws(BlockError) {
        let first = SymbolWriter.firstState
        guard offset == end, states == (first, first, first, first) else { throw .malformed }
    }

    @inline(__always)
    private mutating func read(
        _ slots: Span<SymbolSlot>, _ bytes: RawSpan, _ symbols: inout MutableSpan<UInt8>, hasContexts: Bool
    ) {
        let length = lanes.length(of: symbols.count)
        var offset = offset
        var (a, b) = (SymbolLane(state: states.0), SymbolLane(state: states.1))
        var (c, d) = (SymbolLane(state: states.2), SymbolLane(state: states.3))
        for index in 0..<length {
            var words = bytes.bits(from: offset)
            symbols[index] = a.read(slots, &words, &offset, hasContexts)
            symbols[index &+ length] = b.read(slots, &words, &offset, hasContexts)
            symbols[index &+ 2 &* length] = c.read(slots, &words, &offset, hasContexts)
            symbols[index &+ 3 &* length] = d.read(slots, &words, &offset, hasContexts)
        }
        a.table = d.table
        for index in 4 * length..<symbols.count {
            var words = bytes.bits(from: offset)
            symbols[index] = a.read(slots, &words, &offset, hasContexts)
        }
        states = (a.state, b.state, c.state, d.state)
        self.offset = offset
    }
}

/// Where the reading of a lane is.
private struct SymbolLane {
    var state: UInt32
    /// The index of the first slot of the table for the next symbol.
    var table: UInt32 = 0

    init(state: UInt32) { self.state = state }

    /// Returns the next symbol. If it needs a word, that is the lowest of `words`, and is taken from them.
    @inline(__always)
    mutating func read(
        _ slots: Span<SymbolSlot>, _ words: inout UInt64, _ offset: inout Int, _ hasContexts: Bool
    ) -> UInt8 {
        let part = state & UInt32(FrequencyTable.total - 1)
        let slot = slots[Int(truncatingIfNeeded: hasContexts ? table | part : part)]
        let next = slot.part &* (state >> UInt32(FrequencyTable.bits)) &+ slot.place
        // Whether a word is needed is unpredictable, so this is computed without a branch: by its 16 bits, or by none.
        let used = UInt64(bitPattern: (Int64(next) &- Int64(SymbolWriter.firstState)) >> 63) & 16
        state = UInt32(truncatingIfNeeded: (UInt64(next) << 16 | words & 0xFFFF) &>> (used ^ 16))
        words &>>= used
        offset &+= Int(used)
        if hasContexts { table = slot.nextTable }
        return slot.symbol
    }
}

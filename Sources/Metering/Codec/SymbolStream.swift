import GroundwaveByteCoding

/// Symbols that follow each other in a stream and are read by the same tables.
struct SymbolStretch {
    /// The index of the first slot of the tables; `nil` for an alphabet of one symbol, so that nothing is read.
    let table: Int?
    /// Whether there is more than one table.
    let hasContexts: Bool
    /// Where the symbols are among those of the block.
    let places: Range<Int>
}

/// A stream of a ``SymbolWriter`` that is being decoded, stretch by stretch.
struct SymbolStream {
    /// Whether the symbols alternate between two states.
    let isPaired: Bool
    var cursor: SymbolCursor
    /// The number of symbols that can be read before ``startNextStretch()`` is due.
    private(set) var left = 0
    /// Whether there are several tables for them.
    private(set) var hasContexts = false
    /// The stretches after the present one.
    private var next: SymbolStretch?
    private var last: SymbolStretch?
    /// The index after the last word.
    private let end: Int

    /// Creates a reader of `bytes`, whose words it appends to `words`: the symbols of `first`, if any, then those of
    /// `second`.
    init(
        _ first: SymbolStretch?, _ second: SymbolStretch, _ bytes: RawSpan, _ words: inout [UInt16]
    ) throws(BlockError) {
        let count = (first?.places.count ?? 0) + second.places.count
        isPaired = count >= SymbolWriter.pairedCount
        let start = isPaired ? 8 : 4
        guard bytes.byteCount.isMultiple(of: 2), bytes.byteCount >= start else { throw .malformed }
        cursor = SymbolCursor(
            state: bytes.uint32(at: 0), other: isPaired ? bytes.uint32(at: 4) : SymbolWriter.firstState,
            position: words.count)
        (next, last) = first == nil ? (second, nil) : (first, second)
        end = words.count + (bytes.byteCount - start) / 2
        // A symbol takes one word at most, so that even a malformed stream does not read those of the next one.
        words.append(contentsOf: repeatElement(0, count: end - words.count + count))
        for index in cursor.position..<end { words[index] = bytes.uint16(at: start + 2 * (index - cursor.position)) }
        startNextStretch()
    }

    /// Whether all words were read and both states are back at their first value.
    var isAtEnd: Bool {
        left == 0 && cursor.position == end && cursor.state == SymbolWriter.firstState
            && cursor.other == SymbolWriter.firstState
    }

    /// Notes that `count` symbols were read by the cursor.
    mutating func advance(by count: Int) {
        left -= count
        if left == 0 { startNextStretch() }
    }

    /// Moves to the next stretch that takes reading. A symbol that is the only one of its alphabet occupies the whole
    /// table, so decoding it leaves its state unchanged.
    private mutating func startNextStretch() {
        while left == 0, let stretch = next {
            (next, last) = (last, nil)
            if let table = stretch.table {
                left = stretch.places.count
                hasContexts = stretch.hasContexts
                cursor.start(at: stretch.places.lowerBound, table)
            } else if isPaired, !stretch.places.count.isMultiple(of: 2) {
                cursor.swapStates()
            }
        }
    }
}

/// Where the reading of a stream is.
struct SymbolCursor {
    /// The state of the next symbol, and that of the symbol after it if there are two.
    private(set) var state: UInt32
    private(set) var other: UInt32
    /// The index of the next word.
    private(set) var position: Int
    /// The index of the first slot of the first table, and of the table for the next symbol.
    private var tables = 0
    private var table = 0
    /// The index of the next symbol in the output.
    private var place = 0

    init(state: UInt32, other: UInt32, position: Int) {
        (self.state, self.other, self.position) = (state, other, position)
    }

    fileprivate mutating func start(at place: Int, _ table: Int) {
        (tables, self.table, self.place) = (table, table, place)
    }

    @inline(__always)
    mutating func swapStates() { (state, other) = (other, state) }

    /// Reads the next symbol into `symbols`.
    @inline(__always)
    mutating func read(
        _ slots: Span<SymbolSlot>, _ words: Span<UInt16>, into symbols: inout MutableSpan<UInt8>,
        hasContexts: Bool = true
    ) {
        let slot = slots[table | Int(truncatingIfNeeded: state & UInt32(FrequencyTable.total - 1))]
        let next = slot.part &* (state >> UInt32(FrequencyTable.bits)) &+ slot.place
        // Whether a word is needed is unpredictable, so this is computed without a branch: -1 if one is, else 0.
        let isLow = (Int64(next) &- Int64(SymbolWriter.firstState)) >> 63
        let longer = next << 16 | UInt32(words[position])
        state = next ^ ((next ^ longer) & UInt32(truncatingIfNeeded: isLow))
        position &-= Int(truncatingIfNeeded: isLow)
        symbols[place] = slot.symbol
        place &+= 1
        if hasContexts { table = tables &+ slot.nextTable }
    }
}

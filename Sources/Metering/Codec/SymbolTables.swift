import GroundwaveByteCoding

/// The frequencies of symbols in each context, for the writer.
struct WrittenTables {
    private let low: Int
    private let count: Int
    private let codes: [[UInt8]]
    /// For each context, then each symbol: its part, and the sum of the parts before it.
    private var parts: [UInt16] = []
    private var starts: [UInt16] = []

    init(_ contexts: [UInt8], _ symbols: [UInt16], _ contextCount: Int) {
        var (least, most) = (UInt16.max, UInt16(0))
        for symbol in symbols { (least, most) = (min(least, symbol), max(most, symbol)) }
        let low = symbols.isEmpty ? 0 : Int(least)
        let count = symbols.isEmpty ? 1 : Int(most) - low + 1
        var counts = [UInt32](repeating: 0, count: count * contextCount)
        for place in symbols.indices {
            counts[Int(contexts[place]) &* count &+ Int(symbols[place]) &- low] &+= 1
        }
        (self.low, self.count) = (low, count)
        codes = (0..<contextCount).map { FrequencyTable.codes(of: Array(counts[$0 * count..<($0 + 1) * count])) }
        for codes in codes {
            let table = FrequencyTable(codes: codes)
            parts += table?.parts ?? codes.map { _ in 0 }
            starts += table?.starts ?? codes.map { _ in 0 }
        }
    }

    func append(to writer: inout ByteWriter) {
        writer.append(varint: low)
        writer.append(varint: count)
        var bits = BitWriter()
        for codes in codes {
            for code in codes { bits.append(UInt64(code), width: FrequencyTable.codeWidth) }
        }
        writer.append(contentsOf: bits.finish())
    }

    /// Prepends `symbols` to `output`.
    func write(_ symbols: [UInt16], _ contexts: [UInt8], to output: inout SymbolWriter) {
        output.write(symbols.count) { index in
            let place = Int(contexts[index]) &* count &+ Int(symbols[index]) &- low
            return (parts[place], starts[place])
        }
    }
}

/// The meaning of a symbol: a number, and how many extra bits complete it.
struct SymbolMeaning {
    /// The number, with zeros for the extra bits.
    var base: UInt64
    /// 0 to 63.
    var width: UInt8
    /// The index of the table for the next symbol.
    var context: UInt8 = 0
}

/// The frequency tables of one kind of symbols of a column, for the reader. Their memory serves one column after another.
struct SymbolTables {
    /// The most tables.
    static let limit = 4

    /// Whether there is more than one table.
    private(set) var hasContexts = false
    /// The slots of all tables, ``FrequencyTable/total`` each; what follows is left from another column.
    private(set) var slots = [SymbolSlot](repeating: .empty, count: limit * FrequencyTable.total)
    /// The meaning of each symbol.
    private(set) var meanings: [SymbolMeaning] = []

    /// Whether the alphabet has a single symbol, with index 0, so that nothing is read.
    var isOneSymbol: Bool { meanings.count == 1 }
    /// Whether any symbol has extra bits.
    var hasBits: Bool { meanings.contains { $0.width > 0 } }

    /// Reads the `tableCount` tables of a column, 1 to ``limit``.
    mutating func read(
        _ reader: inout ByteReader, in bytes: RawSpan, count tableCount: Int, meaning: (Int) throws -> SymbolMeaning
    ) throws {
        hasContexts = tableCount > 1
        let low = try reader.count(in: bytes, limit: 1 << 10)
        let count = try reader.count(in: bytes, limit: ResidualDictionary.limit)
        guard count > 0 else { throw BlockError.malformed }
        let codes = try reader.skip((count * tableCount * FrequencyTable.codeWidth + 7) / 8, in: bytes)
        meanings.removeAll(keepingCapacity: true)
        for symbol in low..<low + count { meanings.append(try meaning(symbol)) }
        if isOneSymbol { return }
        var bits = BitReader(at: codes.lowerBound)
        for table in 0..<tableCount {
            let codes = (0..<count).map { _ in UInt8(bits.read(FrequencyTable.codeWidth, in: bytes)) }
            fill(table, FrequencyTable(codes: codes))
        }
    }

    /// Fills the slots of a table.
    private mutating func fill(_ table: Int, _ frequencies: FrequencyTable?) {
        let (parts, meanings) = (frequencies?.parts ?? [], meanings)
        let start = table * FrequencyTable.total
        var end = start
        var span = slots.mutableSpan
        for symbol in parts.indices where parts[symbol] > 0 {
            let first = end
            end += Int(parts[symbol])
            let slot = SymbolSlot(
                part: parts[symbol], start: UInt16(first - start), symbol: UInt8(symbol),
                context: meanings[symbol].context)
            for place in first..<end { span[place] = slot }
        }
        // A table of no symbols, which no column uses, has empty slots.
        for place in end..<start + FrequencyTable.total { span[place] = .empty }
    }
}

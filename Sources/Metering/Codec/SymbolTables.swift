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
        var table = FrequencyTable()
        for codes in codes {
            table.read(codes.count) { UInt16(codes[$0]) }
            parts += table.parts
            starts += table.starts
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
    /// The most tables, and their slots.
    static let limit = 4
    static let slotLimit = limit * FrequencyTable.total

    /// Whether there is more than one table.
    private(set) var hasContexts = false
    /// The slots of one table, or of as many as there may be, ``FrequencyTable/total`` each; the rest is undefined.
    private(set) var slots = [SymbolSlot](repeating: .empty, count: FrequencyTable.total + surplus)
    /// The meaning of each symbol.
    private(set) var meanings: [SymbolMeaning] = []
    private var frequencies = FrequencyTable()

    /// As many slots are written behind the last one.
    private static let surplus = 7

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
        meanings.reserveCapacity(count)
        for symbol in low..<low + count { meanings.append(try meaning(symbol)) }
        if isOneSymbol { return }
        if hasContexts, slots.count < Self.slotLimit {
            slots = [SymbolSlot](repeating: .empty, count: Self.slotLimit + Self.surplus)
        }
        var bits = BitReader(at: codes.lowerBound)
        for table in 0..<tableCount {
            frequencies.read(count) { _ in UInt16(bits.read(FrequencyTable.codeWidth, in: bytes)) }
            fill(table)
        }
    }

    /// Fills the slots of a table.
    private mutating func fill(_ table: Int) {
        let (parts, meanings) = (frequencies.parts, meanings)
        var end = table * FrequencyTable.total
        let next = end + FrequencyTable.total
        var span = slots.mutableSpan
        for symbol in parts.indices where parts[symbol] > 0 {
            let start = end
            end += Int(parts[symbol])
            SymbolSlot(part: parts[symbol], symbol: symbol, context: meanings[symbol].context)
                .fill(&span, from: start, to: end)
        }
        // A table of no symbols, which no column uses, has empty slots.
        for place in end..<next { span[place] = .empty }
    }
}

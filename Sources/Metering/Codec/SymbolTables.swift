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

    /// Writes `symbols`, the last symbol first.
    func write(_ symbols: [UInt16], _ contexts: [UInt8], to output: inout SymbolWriter) {
        for index in symbols.indices.reversed() {
            let place = Int(contexts[index]) &* count &+ Int(symbols[index]) &- low
            output.put(part: parts[place], start: starts[place])
        }
    }
}

/// The meaning of a symbol: a number, and how many extra bits complete it.
struct SymbolMeaning {
    /// The number, with zeros for the extra bits.
    var base: UInt64 = 0
    var width: UInt32 = 0
    /// The index of the table for the next symbol.
    var context: UInt32 = 0
}

/// The frequency tables of one kind of symbols, for the reader.
struct SymbolTables {
    /// Whether there is more than one table.
    let hasContexts: Bool
    /// Whether the alphabet has a single symbol, with index 0, so that nothing is read.
    let isOneSymbol: Bool
    /// The index of the first slot among those of ``BlockSymbols``.
    let start: Int
    /// The meaning of each symbol.
    let meanings: [SymbolMeaning]
    /// Whether any symbol has extra bits.
    let hasBits: Bool
    /// The residual that each symbol stands for, if none has extra bits.
    let residuals: [Int64]

    /// Reads `count` tables, and adds their slots to `symbols`.
    init(
        _ reader: inout ByteReader, in bytes: RawSpan, count tableCount: Int, _ symbols: inout BlockSymbols,
        meaning: (Int) throws -> SymbolMeaning
    ) throws {
        hasContexts = tableCount > 1
        let low = try reader.count(in: bytes, limit: 1 << 10)
        let count = try reader.count(in: bytes, limit: ResidualDictionary.limit)
        isOneSymbol = count == 1
        let range = try reader.skip((count * tableCount * FrequencyTable.codeWidth + 7) / 8, in: bytes)
        meanings = try (low..<low + max(1, count)).map { try meaning($0) }
        hasBits = meanings.contains { $0.width > 0 }
        residuals = hasBits ? [] : meanings.map { unzigzag($0.base) }
        start = symbols.slots.count
        if isOneSymbol { return }
        let words = BitReader.words(of: bytes.extracting(range))
        var bits = BitReader()
        for _ in 0..<tableCount {
            let codes = (0..<count).map { _ in UInt8(bits.read(FrequencyTable.codeWidth, in: words.span)) }
            symbols.addTable(codes, meanings)
        }
    }
}

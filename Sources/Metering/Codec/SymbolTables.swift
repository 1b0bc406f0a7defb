import GroundwaveByteCoding

/// The frequencies of some symbols in some contexts, for their writer.
struct WrittenTables {
    private let low: Int
    private let count: Int
    private let codes: [[UInt8]]
    /// Context after context, by symbol: its part, and the sum of those before.
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

    /// Writes `symbols`, the last one first.
    func write(_ symbols: [UInt16], _ contexts: [UInt8], to output: inout SymbolWriter) {
        for index in symbols.indices.reversed() {
            let place = Int(contexts[index]) &* count &+ Int(symbols[index]) &- low
            output.put(part: parts[place], start: starts[place])
        }
    }
}

/// What a symbol says: a number, and how many bits are to be added to it.
struct SymbolMeaning {
    /// The number, with zeros for the bits.
    var base: UInt64 = 0
    var width: UInt32 = 0
    /// By which table the symbol behind it is written.
    var context: UInt32 = 0
}

/// The tables of one kind of symbols.
struct SymbolTables {
    /// Whether there is more than one.
    let hasContexts: Bool
    /// Whether there is nothing to read: it is the same symbol each time, whose number is 0.
    let isOneSymbol: Bool
    /// The slots, ``FrequencyTable/total`` for each table: see ``FrequencyTable/fill(_:_:)``.
    let slots: [UInt32]
    /// The symbols of the slots.
    let symbols: [UInt8]
    /// What each symbol means.
    let meanings: [SymbolMeaning]
    /// Where the slots begin by which the symbol behind one is read.
    let next: [UInt16]
    /// Whether a symbol has bits.
    let hasBits: Bool

    /// Reads `count` tables.
    init(
        _ reader: inout ByteReader, in bytes: RawSpan, count tableCount: Int, meaning: (Int) throws -> SymbolMeaning
    ) throws {
        hasContexts = tableCount > 1
        let low = try reader.count(in: bytes, limit: 1 << 10)
        let count = try reader.count(in: bytes, limit: ResidualDictionary.limit)
        isOneSymbol = count == 1
        let range = try reader.skip((count * tableCount * FrequencyTable.codeWidth + 7) / 8, in: bytes)
        let words = BitReader.words(of: bytes.extracting(range))
        var bits = BitReader()
        // In a context in which nothing comes there are zeros; whoever reads it nonetheless is told at the end.
        let slotCount = isOneSymbol ? 0 : tableCount * FrequencyTable.total
        var slots = [UInt32](repeating: 0, count: slotCount)
        var symbols = [UInt8](repeating: 0, count: slotCount)
        for start in stride(from: 0, to: slotCount, by: FrequencyTable.total) {
            let codes = (0..<count).map { _ in UInt8(bits.read(FrequencyTable.codeWidth, in: words.span)) }
            FrequencyTable(codes: codes)?.fill(&slots, &symbols, from: start)
        }
        (self.slots, self.symbols) = (slots, symbols)
        meanings = try (low..<low + max(1, count)).map { try meaning($0) }
        next = meanings.map { UInt16(Int($0.context) * FrequencyTable.total) }
        hasBits = meanings.contains { $0.width > 0 }
    }
}

/// A slot of the lookup table of ``BlockSymbols``: one of the parts that its symbol occupies, in 32 bits, so that all of it
/// takes one load.
struct SymbolSlot {
    /// The number of parts of the symbol (11 bits), the place of this one among them (10), the symbol (8), and the index of
    /// the table for the next symbol (2).
    private(set) var bits: UInt32

    static let empty = SymbolSlot(bits: 0)

    @inline(__always) var part: UInt32 { bits & 0x7FF }
    @inline(__always) var place: UInt32 { bits >> 11 & 0x3FF }
    @inline(__always) var symbol: UInt8 { UInt8(truncatingIfNeeded: bits >> 21) }
    /// The index of the first slot of the table for the next symbol.
    @inline(__always) var nextTable: Int { Int(bits >> 29) << FrequencyTable.bits }

    /// Creates the first slot of a symbol.
    init(part: UInt16, symbol: Int, context: UInt32) {
        bits = UInt32(part) | UInt32(symbol) << 21 | context << 29
    }

    private init(bits: UInt32) { self.bits = bits }

    /// The slot after this one, of the same symbol.
    @inline(__always) var next: SymbolSlot { SymbolSlot(bits: bits &+ 1 << 11) }
}

extension FrequencyTable {
    /// Fills the slots of ``BlockSymbols`` from `start` on; `meanings` has the context after each symbol.
    func fill(_ slots: inout MutableSpan<SymbolSlot>, from start: Int, _ meanings: [SymbolMeaning]) {
        var end = start
        for symbol in parts.indices where parts[symbol] > 0 {
            var slot = SymbolSlot(part: parts[symbol], symbol: symbol, context: meanings[symbol].context)
            let first = end
            end += Int(parts[symbol])
            for index in first..<end {
                slots[index] = slot
                slot = slot.next
            }
        }
    }
}

/// A slot of a lookup table: one of the parts that a symbol occupies, in 32 bits, so that all of it takes one load. The
/// slots of a symbol are the same.
///
/// | bits | what |
/// |---|---|
/// | 0–7 | the symbol |
/// | 8–9 | the index of the table for the next symbol |
/// | 10–19 | its first part |
/// | 21–31 | the number of its parts; 0 in a table of no symbols |
struct SymbolSlot {
    private let bits: UInt32

    static let empty = SymbolSlot(part: 0, start: 0, symbol: 0, context: 0)

    init(part: UInt16, start: UInt16, symbol: UInt8, context: UInt8) {
        bits = UInt32(symbol) | UInt32(context & 3) << 8 | UInt32(start) << 10 | UInt32(part) << 21
    }

    @inline(__always) var symbol: UInt8 { UInt8(truncatingIfNeeded: bits) }
    @inline(__always) var start: UInt32 { bits >> 10 & 0x3FF }
    @inline(__always) var part: UInt32 { bits >> 21 }
    /// The index of the first slot of the table for the next symbol.
    @inline(__always) var nextTable: UInt32 { (bits & 0x300) << 2 }
}

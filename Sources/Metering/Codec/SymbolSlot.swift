/// A slot of a lookup table: one of the parts that a symbol occupies, in 32 bits, so that all of it takes one load.
///
/// | bits | what |
/// |---|---|
/// | 0–7 | the symbol |
/// | 8–9 | the index of the table for the next symbol |
/// | 10–19 | the place of this part among those of the symbol |
/// | 21–31 | the number of its parts; 0 in a table of no symbols |
struct SymbolSlot {
    private let bits: UInt32

    static let empty = SymbolSlot(part: 0, symbol: 0, context: 0)

    /// Creates the first slot of a symbol.
    init(part: UInt16, symbol: Int, context: UInt8) {
        bits = UInt32(symbol) | UInt32(context & 3) << 8 | UInt32(part) << 21
    }

    @inline(__always) var symbol: UInt8 { UInt8(truncatingIfNeeded: bits) }
    @inline(__always) var place: UInt32 { bits >> 10 & 0x3FF }
    @inline(__always) var part: UInt32 { bits >> 21 }
    /// The index of the first slot of the table for the next symbol.
    @inline(__always) var nextTable: UInt32 { (bits & 0x300) << 2 }

    /// Writes the slots of a symbol, of which this is the first, from `start` to `end`, and up to seven behind it.
    func fill(_ slots: inout MutableSpan<SymbolSlot>, from start: Int, to end: Int) {
        var bytes = slots.mutableBytes
        var eight = SIMD8(repeating: bits) &+ SIMD8(0, 1, 2, 3, 4, 5, 6, 7) &<< 10
        var place = start
        while place < end {
            bytes.storeBytes(of: eight, toByteOffset: 4 &* place, as: SIMD8<UInt32>.self)
            eight &+= SIMD8(repeating: 8 << 10)
            place &+= 8
        }
    }
}

import GroundwaveByteCoding

/// The frequency tables of the column that is being decoded.
struct ColumnTables {
    var runs = SymbolTables()
    var residuals = SymbolTables()
}

/// A column written by ``ColumnEncoder``, of which the plan has been read. Malformed bytes never trap, nor use more memory
/// than the rows need.
struct ColumnDecoder {
    /// The integral whose differences the values are, if any.
    var integral: Integral? { if case .coded(let plan) = form { plan.integral } else { nil } }

    private let form: Form
    /// Where what follows the plan is in the block.
    private let rest: Range<Int>

    private enum Form {
        /// All rows have this value.
        case constant(Int64)
        case coded(ColumnPlan)
    }

    /// Reads the plan of the column in `range` of `block`, which has `columnCount` columns before it.
    init(_ range: Range<Int>, of block: RawSpan, columnCount: Int) throws {
        let bytes = block.extracting(..<range.upperBound)
        var reader = ByteReader(at: range.lowerBound)
        switch try reader.byte(in: bytes) {
        case 0:
            form = .constant(unzigzag(try reader.varint(in: bytes)))
            try reader.finish(in: bytes)
        case 1:
            // Bits are read eight bytes at once.
            guard bytes.byteCount >= 8 else { throw BlockError.malformed }
            form = .coded(try ColumnPlan(&reader, in: bytes, columnCount: columnCount))
        default: throw BlockError.malformed
        }
        rest = reader.offset..<range.upperBound
    }

    /// Returns the values, or their differences from the integral if there is one.
    ///
    /// - Parameters:
    ///   - rowCount: The number of rows in the block; at least 1.
    ///   - tables: Memory for the tables of the column.
    func values(of block: RawSpan, rowCount: Int, _ tables: inout ColumnTables) throws -> [Int64] {
        switch form {
        case .constant(let value): [Int64](repeating: value, count: rowCount)
        case .coded(let plan): try values(plan, block, rowCount, &tables)
        }
    }

    private func values(
        _ plan: ColumnPlan, _ block: RawSpan, _ rowCount: Int, _ tables: inout ColumnTables
    ) throws -> [Int64] {
        let bytes = block.extracting(..<rest.upperBound)
        var reader = ByteReader(at: rest.lowerBound)
        let changeCount = plan.runs == nil ? rowCount - 1 : try reader.count(in: bytes, limit: rowCount - 1)
        let dictionary = plan.tokens == nil ? try ResidualDictionary.read(&reader, in: bytes) : []
        if let tokens = plan.runs {
            try tables.runs.read(&reader, in: bytes, count: 1) { try Self.meaning(run: $0, tokens) }
        }
        try tables.residuals.read(&reader, in: bytes, count: plan.thresholds.count + 1) { symbol in
            try Self.meaning(of: symbol, plan, dictionary)
        }
        let stream = try reader.lengthPrefixed(in: bytes)
        let runCount = plan.runs == nil ? 0 : changeCount + 1
        var symbols = try SymbolReader(stream, of: bytes, count: changeCount + runCount)
        let runs = runCount == 0 ? [] : symbols.symbols(runCount, by: tables.runs, in: bytes)
        let residuals = symbols.symbols(changeCount, by: tables.residuals, in: bytes)
        try symbols.finish()
        var bits = BitReader(at: stream.upperBound)
        let values = try ColumnSymbols(residuals: residuals, runs: runs).values(plan, tables, &bits, bytes, rowCount)
        guard bits.byteOffset <= bytes.byteCount else { throw BlockError.malformed }
        return values
    }

    private static func meaning(run symbol: Int, _ tokens: Tokens) throws -> SymbolMeaning {
        let (base, width) = tokens.value(of: symbol)
        guard width <= 12 else { throw BlockError.malformed }
        return SymbolMeaning(base: base, width: UInt8(width))
    }

    private static func meaning(of symbol: Int, _ plan: ColumnPlan, _ dictionary: [Int64]) throws -> SymbolMeaning {
        if let tokens = plan.tokens {
            let (base, width) = tokens.value(of: symbol)
            // A token for more than 64 bits is invalid.
            guard width <= 63 else { throw BlockError.malformed }
            return SymbolMeaning(
                base: base, width: UInt8(width), context: UInt8(plan.context(after: max(bitLength(base), width))))
        }
        guard symbol < dictionary.count else { throw BlockError.malformed }
        let base = zigzag(dictionary[symbol])
        return SymbolMeaning(base: base, width: 0, context: UInt8(plan.context(after: bitLength(base))))
    }
}

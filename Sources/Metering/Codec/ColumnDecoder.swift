import GroundwaveByteCoding

/// A column written by ``ColumnEncoder``, of which all but the values has been read. Malformed bytes never trap, nor use
/// more memory than the rows need.
struct ColumnDecoder {
    /// The integral whose differences the values are, if any.
    var integral: Integral? { if case .coded(let column) = form { column.plan.integral } else { nil } }

    private let form: Form

    private enum Form {
        /// All rows have this value.
        case constant(Int64)
        case coded(CodedColumn)
    }

    /// Reads the column in `range` of `block`, and adds its symbols to those to be decoded.
    ///
    /// - Parameters:
    ///   - rowCount: The number of rows in the block; at least 1.
    ///   - columnCount: The number of columns before this one.
    init(
        _ range: Range<Int>, of block: RawSpan, rowCount: Int, columnCount: Int, _ symbols: inout BlockSymbols
    ) throws {
        let bytes = block.extracting(..<range.upperBound)
        var reader = ByteReader(at: range.lowerBound)
        switch try reader.byte(in: bytes) {
        case 0:
            form = .constant(unzigzag(try reader.varint(in: bytes)))
            try reader.finish(in: bytes)
        case 1:
            let plan = try ColumnPlan(&reader, in: bytes, columnCount: columnCount)
            form = .coded(try CodedColumn(plan, rowCount, &reader, bytes, &symbols))
        default: throw BlockError.malformed
        }
    }

    /// Returns the values, or their differences from the integral if there is one; `symbols` has those of all columns.
    func values(_ symbols: Span<UInt8>, of block: RawSpan, rowCount: Int) throws(BlockError) -> [Int64] {
        switch form {
        case .constant(let value): [Int64](repeating: value, count: rowCount)
        case .coded(let column): try column.values(symbols, block, rowCount)
        }
    }
}

/// A column whose values have residuals.
private struct CodedColumn {
    let plan: ColumnPlan
    /// The symbols of the residuals, and those of the runs if there are any.
    private let residuals: (symbols: SymbolStretch, tables: SymbolTables)
    private let runs: (symbols: SymbolStretch, tables: SymbolTables)?
    /// Where the extra bits of both are in the block.
    private let bits: Range<Int>

    init(
        _ plan: ColumnPlan, _ rowCount: Int, _ reader: inout ByteReader, _ bytes: RawSpan, _ symbols: inout BlockSymbols
    ) throws {
        self.plan = plan
        let changeCount = plan.runs == nil ? rowCount - 1 : try reader.count(in: bytes, limit: rowCount - 1)
        let dictionary = plan.tokens == nil ? try ResidualDictionary.read(&reader, in: bytes) : []
        runs = try plan.runs.map { tokens in
            let tables = try SymbolTables(&reader, in: bytes, count: 1, &symbols) { try Self.meaning(run: $0, tokens) }
            return (symbols.stretch(of: changeCount + 1, by: tables), tables)
        }
        let tables = try SymbolTables(&reader, in: bytes, count: plan.thresholds.count + 1, &symbols) { symbol in
            try Self.meaning(of: symbol, plan, dictionary)
        }
        residuals = (symbols.stretch(of: changeCount, by: tables), tables)
        try symbols.add(runs?.symbols, residuals.symbols, bytes.extracting(reader.lengthPrefixed(in: bytes)))
        bits = reader.offset..<bytes.byteCount
    }

    func values(_ symbols: Span<UInt8>, _ block: RawSpan, _ rowCount: Int) throws(BlockError) -> [Int64] {
        let words = BitReader.words(of: block.extracting(bits))
        var reader = BitReader()
        let lengths = runs.map { reader.read(symbols.extracting($0.symbols.places), $0.tables, in: words.span) }
        var values = [Int64](repeating: plan.first, count: residuals.symbols.places.count + 1)
        var span = values.mutableSpan
        reader.read(
            symbols.extracting(residuals.symbols.places), residuals.tables, plan.predictor, into: &span, in: words.span)
        guard !reader.isExhausted(bits.count) else { throw .malformed }
        return try lengths.map { lengths throws(BlockError) in try Self.expanded(values, lengths, rowCount) } ?? values
    }

    /// Expands each value into one row plus the number of rows in its run.
    private static func expanded(_ values: [Int64], _ runs: [UInt64], _ rowCount: Int) throws(BlockError) -> [Int64] {
        // Most runs are short: write eight rows at once; the rows of the next values overwrite any surplus.
        var rows = [Int64](repeating: 0, count: rowCount + 7)
        var span = rows.mutableSpan
        var row = 0
        for index in values.indices {
            let (value, run) = (values[index], runs[index])
            guard run < UInt64(rowCount - row) else { throw BlockError.malformed }
            for place in 0..<8 { span[row &+ place] = value }
            let end = row &+ 1 &+ Int(run)
            if run > 7 { for place in row &+ 8..<end { span[place] = value } }
            row = end
        }
        guard row == rowCount else { throw BlockError.malformed }
        rows.removeLast(7)
        return rows
    }

    private static func meaning(run symbol: Int, _ tokens: Tokens) throws -> SymbolMeaning {
        let (base, width) = tokens.value(of: symbol)
        guard width <= 12 else { throw BlockError.malformed }
        return SymbolMeaning(base: base, width: UInt32(width))
    }

    private static func meaning(of symbol: Int, _ plan: ColumnPlan, _ dictionary: [Int64]) throws -> SymbolMeaning {
        if let tokens = plan.tokens {
            let (base, width) = tokens.value(of: symbol)
            // A token for more than 64 bits is invalid.
            guard width <= 63 else { throw BlockError.malformed }
            return SymbolMeaning(
                base: base, width: UInt32(width), context: UInt32(plan.context(after: max(bitLength(base), width))))
        }
        guard symbol < dictionary.count else { throw BlockError.malformed }
        let base = zigzag(dictionary[symbol])
        return SymbolMeaning(base: base, width: 0, context: UInt32(plan.context(after: bitLength(base))))
    }
}

extension BitReader {
    /// Reads the numbers that `symbols` stand for.
    fileprivate mutating func read(_ symbols: Span<UInt8>, _ tables: SymbolTables, in words: Span<UInt64>) -> [UInt64] {
        var numbers = [UInt64](repeating: 0, count: symbols.count)
        let meanings = tables.meanings.span
        for index in symbols.indices {
            let meaning = meanings[Int(symbols[index])]
            numbers[index] = meaning.base
            if meaning.width > 0 { numbers[index] |= read(Int(meaning.width), in: words) }
        }
        return numbers
    }

    /// Reads the values after the first one; `symbols` encode their residuals.
    fileprivate mutating func read(
        _ symbols: Span<UInt8>, _ tables: SymbolTables, _ predictor: Predictor, into values: inout MutableSpan<Int64>,
        in words: Span<UInt64>
    ) {
        let start = values[0]
        switch predictor {
        case .fixed: read(symbols, tables, FixedPrediction(start), &values, words)
        case .mean(shift: 0): read(symbols, tables, LastPrediction(start), &values, words)
        case .mean(let shift): read(symbols, tables, MeanPrediction(start, shift: shift), &values, words)
        case .line: read(symbols, tables, LinePrediction(start), &values, words)
        }
    }

    @inline(__always)
    private mutating func read(
        _ symbols: Span<UInt8>, _ tables: SymbolTables, _ start: some Prediction, _ values: inout MutableSpan<Int64>,
        _ words: Span<UInt64>
    ) {
        var prediction = start
        if !tables.hasBits {
            let residuals = tables.residuals.span
            for index in symbols.indices {
                let value = prediction.next &+ residuals[Int(symbols[index])]
                prediction.update(value)
                values[index &+ 1] = value
            }
            return
        }
        let meanings = tables.meanings.span
        var bits = self
        for index in symbols.indices {
            let meaning = meanings[Int(symbols[index])]
            let residual = meaning.base | bits.read(Int(truncatingIfNeeded: meaning.width), in: words)
            let value = prediction.next &+ unzigzag(residual)
            prediction.update(value)
            values[index &+ 1] = value
        }
        self = bits
    }
}

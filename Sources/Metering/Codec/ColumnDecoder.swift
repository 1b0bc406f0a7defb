import GroundwaveByteCoding

/// Decodes a column written by ``ColumnEncoder``. Malformed bytes never trap, nor use more memory than the rows need.
struct ColumnDecoder {
    /// The number of rows in the block; at least 1.
    let rowCount: Int
    /// The number of columns before this one.
    let columnCount: Int

    /// Returns the values, or their differences from the integral if there is one.
    func decode(_ bytes: RawSpan) throws -> (values: [Int64], integral: Integral?) {
        var reader = ByteReader()
        switch try reader.byte(in: bytes) {
        case 0:
            let value = unzigzag(try reader.varint(in: bytes))
            try reader.finish(in: bytes)
            return ([Int64](repeating: value, count: rowCount), nil)
        case 1:
            let plan = try ColumnPlan(&reader, in: bytes, columnCount: columnCount)
            return (try decode(plan, &reader, bytes), plan.integral)
        default: throw BlockError.malformed
        }
    }

    private func decode(_ plan: ColumnPlan, _ reader: inout ByteReader, _ bytes: RawSpan) throws -> [Int64] {
        let changeCount = plan.runs == nil ? rowCount - 1 : try reader.count(in: bytes, limit: rowCount - 1)
        let dictionary = plan.tokens == nil ? try ResidualDictionary.read(&reader, in: bytes) : []
        let runTables = try plan.runs.map { tokens in
            try SymbolTables(&reader, in: bytes, count: 1) { try Self.meaning(run: $0, tokens) }
        }
        let tables = try SymbolTables(&reader, in: bytes, count: plan.thresholds.count + 1) { symbol in
            try Self.meaning(of: symbol, plan, dictionary)
        }
        var symbols = try SymbolReader(
            bytes.extracting(reader.lengthPrefixed(in: bytes)),
            count: runTables == nil ? changeCount : 2 * changeCount + 1)
        let bitWords = BitReader.words(of: bytes.extracting(reader.offset..<bytes.byteCount))
        var bits = BitReader()
        var runs: [UInt64] = []
        if let runTables {
            runs = bits.read(symbols.read(changeCount + 1, by: runTables), runTables, in: bitWords.span)
        }
        var values = [Int64](repeating: plan.first, count: changeCount + 1)
        var span = values.mutableSpan
        let residuals = symbols.read(changeCount, by: tables)
        bits.read(residuals.span, tables, plan.predictor, into: &span, in: bitWords.span)
        guard symbols.isAtEnd, !bits.isExhausted(bytes.byteCount - reader.offset) else { throw BlockError.malformed }
        return runTables == nil ? values : try Self.expanded(values, runs, rowCount)
    }

    /// Expands each value into one row plus the number of rows in its run.
    private static func expanded(_ values: [Int64], _ runs: [UInt64], _ rowCount: Int) throws -> [Int64] {
        // Most runs are short: write four rows at once; the rows of the next values overwrite any surplus.
        var rows = [Int64](repeating: 0, count: rowCount + 3)
        var span = rows.mutableSpan
        var row = 0
        for index in values.indices {
            let (value, run) = (values[index], runs[index])
            guard run < UInt64(rowCount - row) else { throw BlockError.malformed }
            for place in 0..<4 { span[row &+ place] = value }
            let end = row &+ 1 &+ Int(run)
            if run > 3 { for place in row &+ 4..<end { span[place] = value } }
            row = end
        }
        guard row == rowCount else { throw BlockError.malformed }
        rows.removeLast(3)
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
    fileprivate mutating func read(_ symbols: [UInt8], _ tables: SymbolTables, in words: Span<UInt64>) -> [UInt64] {
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
        let (start, meanings) = (values[0], tables.meanings.span)
        switch predictor {
        case .fixed: read(symbols, meanings, tables.hasBits, FixedPrediction(start), &values, words)
        case .mean(shift: 0): read(symbols, meanings, tables.hasBits, LastPrediction(start), &values, words)
        case .mean(let shift):
            read(symbols, meanings, tables.hasBits, MeanPrediction(start, shift: shift), &values, words)
        case .line: read(symbols, meanings, tables.hasBits, LinePrediction(start), &values, words)
        }
    }

    @inline(__always)
    private mutating func read(
        _ symbols: Span<UInt8>, _ meanings: Span<SymbolMeaning>, _ hasBits: Bool, _ start: some Prediction,
        _ values: inout MutableSpan<Int64>, _ words: Span<UInt64>
    ) {
        var prediction = start
        if !hasBits {
            for index in 1..<values.count {
                let value = prediction.next &+ unzigzag(meanings[Int(symbols[index &- 1])].base)
                prediction.update(value)
                values[index] = value
            }
            return
        }
        var bits = self
        for index in 1..<values.count {
            let meaning = meanings[Int(symbols[index &- 1])]
            let residual = meaning.base | bits.read(Int(truncatingIfNeeded: meaning.width), in: words)
            let value = prediction.next &+ unzigzag(residual)
            prediction.update(value)
            values[index] = value
        }
        self = bits
    }
}

import GroundwaveByteCoding

/// The symbols of a column, which become its values.
struct ColumnSymbols {
    /// Those of the residuals of all values but the first.
    let residuals: [UInt8]
    /// Those of the runs; none if each row has a residual.
    let runs: [UInt8]

    /// Returns the values of `rowCount` rows; `bits` reads the extra bits in `bytes`.
    func values(
        _ plan: ColumnPlan, _ tables: borrowing ColumnTables, _ bits: inout BitReader, _ bytes: RawSpan, _ rowCount: Int
    ) throws(BlockError) -> [Int64] {
        let first = plan.first
        switch plan.predictor {
        case .fixed: return try values(FixedPrediction(first), tables, &bits, bytes, rowCount)
        case .mean(shift: 0): return try values(LastPrediction(first), tables, &bits, bytes, rowCount)
        case .mean(let shift): return try values(MeanPrediction(first, shift: shift), tables, &bits, bytes, rowCount)
        case .line: return try values(LinePrediction(first), tables, &bits, bytes, rowCount)
        }
    }

    /// Returns the values; the first of them is predicted by `start`.
    @inline(__always)
    private func values(
        _ start: some Prediction, _ tables: borrowing ColumnTables, _ bits: inout BitReader, _ bytes: RawSpan,
        _ rowCount: Int
    ) throws(BlockError) -> [Int64] {
        if !runs.isEmpty { return try rows(start, tables, &bits, bytes, rowCount) }
        return tables.residuals.hasBits
            ? values(start, tables.residuals, &bits, bytes) : values(start, tables.residuals)
    }

    /// The values of a column without runs or extra bits.
    private func values(_ start: some Prediction, _ tables: borrowing SymbolTables) -> [Int64] {
        var prediction = start
        let residualOfSymbol = tables.meanings.map { unzigzag($0.base) }
        var values = [Int64](repeating: start.next, count: residuals.count + 1)
        let (meanings, symbols) = (residualOfSymbol.span, residuals.span)
        var span = values.mutableSpan
        for index in symbols.indices { span[index &+ 1] = prediction.value(meanings[Int(symbols[index])]) }
        return values
    }

    /// The values of a column without runs.
    private func values(
        _ start: some Prediction, _ tables: borrowing SymbolTables, _ bits: inout BitReader, _ bytes: RawSpan
    ) -> [Int64] {
        var (prediction, reader) = (start, bits)
        var values = [Int64](repeating: start.next, count: residuals.count + 1)
        let (meanings, symbols) = (tables.meanings.span, residuals.span)
        var span = values.mutableSpan
        for index in symbols.indices {
            span[index &+ 1] = prediction.value(unzigzag(reader.read(meanings[Int(symbols[index])], in: bytes)))
        }
        bits = reader
        return values
    }

    /// The values of a column with runs: each value is that of one row plus the number of rows in its run.
    private func rows(
        _ start: some Prediction, _ tables: borrowing ColumnTables, _ bits: inout BitReader, _ bytes: RawSpan,
        _ rowCount: Int
    ) throws(BlockError) -> [Int64] {
        var (prediction, reader) = (start, bits)
        // Eight rows are written at once; the rows of the next values overwrite any surplus.
        var rows = [Int64](repeating: 0, count: rowCount + 7)
        let (lengths, meanings) = (tables.runs.meanings.span, tables.residuals.meanings.span)
        let (runs, symbols) = (runs.span, residuals.span)
        var span = rows.mutableSpan
        var output = span.mutableBytes
        var (row, value) = (0, start.next)
        for index in runs.indices {
            if index > 0 {
                value = prediction.value(unzigzag(reader.read(meanings[Int(symbols[index &- 1])], in: bytes)))
            }
            let run = reader.read(lengths[Int(runs[index])], in: bytes)
            guard run < UInt64(rowCount &- row) else { throw .malformed }
            let end = row &+ 1 &+ Int(run)
            repeat {
                output.storeBytes(of: SIMD8(repeating: value), toByteOffset: 8 &* row, as: SIMD8<Int64>.self)
                row &+= 8
            } while row < end
            row = end
        }
        guard row == rowCount else { throw .malformed }
        bits = reader
        rows.removeLast(7)
        return rows
    }
}

extension Prediction {
    /// Returns the next value, which differs from the prediction by `residual`.
    @inline(__always)
    fileprivate mutating func value(_ residual: Int64) -> Int64 {
        let value = next &+ residual
        update(value)
        return value
    }
}

extension BitReader {
    /// Returns the number that a symbol means, completed by its extra bits.
    @inline(__always)
    fileprivate mutating func read(_ meaning: SymbolMeaning, in bytes: RawSpan) -> UInt64 {
        // Most symbols of a column have no extra bits, or most have some, so this is well predicted.
        meaning.width == 0 ? meaning.base : meaning.base | read(Int(meaning.width), in: bytes)
    }
}

import GroundwaveByteCoding

/// Encodes the values of one channel in one block: any 64-bit integers, losslessly, in the cheapest form among those
/// tried.
///
/// | part | what |
/// |---|---|
/// | kind (1) | 0: all rows have one value, which follows (zigzag varint); 1: coded |
/// | plan | ``ColumnPlan`` |
/// | changes | their number (varint), if the plan has runs |
/// | dictionary | ``ResidualDictionary``, if the plan has one |
/// | tables | of runs, if the plan has them, then of residuals: first symbol, count (varints), then 5 bits for each symbol, context after context: ``FrequencyTable`` |
/// | symbols | byte count (varint), bytes: ``SymbolWriter``; of the runs, if any, then of the residuals |
/// | bits | the extra bits of the tokens, of each residual and then its run, to the end; the first run has no residual |
struct ColumnEncoder {
    /// The values, or their differences from an integral.
    private let values: [Int64]
    private let integral: Integral?

    init(_ values: [Int64], integral: Integral? = nil) { (self.values, self.integral) = (values, integral) }

    /// Returns the encoded bytes. There must be at least one row.
    func encoded() -> [UInt8] {
        let heldCount = heldCount
        if heldCount == values.count - 1, integral == nil {
            var writer = ByteWriter(capacity: 11)
            writer.append(0 as UInt8)
            writer.append(varint: zigzag(values[0]))
            return writer.bytes
        }
        // A short column comes from a slow meter or ends a trace, so more forms are tried for it.
        let isShort = values.count < 2048
        // Runs double the number of symbols, so with few held rows they cost more than they save.
        if heldCount * 8 < values.count { return encoded(.best(for: values, thoroughly: isShort), nil) }
        let changes = RunsOfValues(values)
        let choice = ResidualChoice.best(for: changes.values, thoroughly: isShort)
        if isShort || heldCount * 2 < values.count {
            let plain = ResidualChoice.best(for: values, thoroughly: isShort)
            if plain.bits < (choice.bits + changes.bits) * (isShort ? 1 : 1.04) { return encoded(plain, nil) }
        }
        return encoded(choice, changes)
    }

    /// The number of rows whose value equals that of the row before.
    private var heldCount: Int {
        var count = 0
        for row in 1..<values.count where values[row] == values[row &- 1] { count &+= 1 }
        return count
    }

    private func encoded(_ choice: ResidualChoice, _ changes: RunsOfValues?) -> [UInt8] {
        var writer = ByteWriter(capacity: values.count)
        writer.append(1 as UInt8)
        let plan = ColumnPlan(
            integral: integral, predictor: choice.predictor, runs: changes?.tokens, tokens: choice.tokens,
            thresholds: choice.thresholds, first: values[0])
        plan.append(to: &writer)
        let runs = changes?.runs ?? []
        if changes != nil { writer.append(varint: choice.residuals.count) }
        if plan.tokens == nil { ResidualDictionary.append(choice.dictionary, to: &writer) }
        var output = SymbolWriter(count: choice.residuals.count + runs.count)
        let runSymbols = plan.runs.map { tokens in runs.map { UInt16(tokens.token(of: UInt64($0)).token) } } ?? []
        let runContexts = [UInt8](repeating: 0, count: runSymbols.count)
        let runTables = WrittenTables(runContexts, runSymbols, 1)
        if plan.runs != nil { runTables.append(to: &writer) }
        let symbols = choice.symbols
        let contexts = choice.contexts(plan, laneLength: output.lanes.length(of: symbols.count))
        let tables = WrittenTables(contexts, symbols, plan.thresholds.count + 1)
        tables.append(to: &writer)
        tables.write(symbols, contexts, to: &output)
        runTables.write(runSymbols, runContexts, to: &output)
        writer.append(lengthPrefixed: output.finish())
        writer.append(contentsOf: Self.extraBits(plan, choice.residuals, runs))
        return writer.bytes
    }

    /// Returns the extra bits of `residuals` and `runs`; those of a residual precede those of its run.
    private static func extraBits(_ plan: ColumnPlan, _ residuals: [UInt64], _ runs: [UInt16]) -> [UInt8] {
        var bits = BitWriter()
        for index in 0...residuals.count {
            if index > 0, let tokens = plan.tokens {
                let residual = residuals[index - 1]
                bits.append(residual, width: tokens.token(of: residual).width)
            }
            if let tokens = plan.runs {
                let run = UInt64(runs[index])
                bits.append(run, width: tokens.token(of: run).width)
            }
        }
        return bits.finish()
    }
}

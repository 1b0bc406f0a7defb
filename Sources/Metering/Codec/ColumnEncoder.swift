import GroundwaveByteCoding

/// Writes the values of one channel in one block: any 64-bit integers, exactly, by what takes the fewest bytes.
///
/// | part | what |
/// |---|---|
/// | kind (1) | 0: one value for all rows, which follows (zigzag varint); 1: coded |
/// | plan | ``ColumnPlan`` |
/// | changes | how many (varint), where the plan has runs |
/// | dictionary | ``ResidualDictionary``, where the plan has one |
/// | tables | of runs, where the plan has them, then of residuals: first symbol, count (varints), then 5 bits for each symbol, context after context: ``FrequencyTable`` |
/// | symbols | count of bytes (varint), bytes: ``SymbolWriter``; of the runs, where the plan has them, then of the residuals |
/// | bits | what the tokens leave, in the same order, to the end |
struct ColumnEncoder {
    /// The values, or what an integral leaves of them.
    private let values: [Int64]
    private let integral: Integral?

    init(_ values: [Int64], integral: Integral? = nil) { (self.values, self.integral) = (values, integral) }

    /// The bytes. There is at least one row.
    func encoded() -> [UInt8] {
        let heldCount = heldCount
        if heldCount == values.count - 1, integral == nil {
            var writer = ByteWriter(capacity: 11)
            writer.append(0 as UInt8)
            writer.append(varint: zigzag(values[0]))
            return writer.bytes
        }
        // Of a short column more is tried: it is of a slow meter, or the last one.
        let isShort = values.count < 2048
        // Runs are two symbols where there was one: where few rows are held they cost more than they save.
        if heldCount * 8 < values.count { return encoded(.best(for: values, thoroughly: isShort), nil) }
        let changes = RunsOfValues(values)
        let choice = ResidualChoice.best(for: changes.values, thoroughly: isShort)
        if isShort || heldCount * 2 < values.count {
            let plain = ResidualChoice.best(for: values, thoroughly: isShort)
            if plain.bits < (choice.bits + changes.bits) * (isShort ? 1 : 1.04) { return encoded(plain, nil) }
        }
        return encoded(choice, changes)
    }

    /// How many rows hold the value of the row before.
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
        var (runSymbols, bits) = ([UInt16](), BitWriter())
        if let changes, let tokens = plan.runs {
            writer.append(varint: choice.residuals.count)
            for run in changes.runs {
                let (token, width) = tokens.token(of: UInt64(run))
                runSymbols.append(UInt16(token))
                bits.append(UInt64(run), width: width)
            }
        }
        if plan.tokens == nil { ResidualDictionary.append(choice.dictionary, to: &writer) }
        let runContexts = [UInt8](repeating: 0, count: runSymbols.count)
        let runTables = WrittenTables(runContexts, runSymbols, 1)
        if plan.runs != nil { runTables.append(to: &writer) }
        let (symbols, contexts) = (choice.symbols, choice.contexts(plan))
        let tables = WrittenTables(contexts, symbols, plan.thresholds.count + 1)
        tables.append(to: &writer)
        var output = SymbolWriter(count: symbols.count + runSymbols.count)
        tables.write(symbols, contexts, to: &output)
        runTables.write(runSymbols, runContexts, to: &output)
        writer.append(lengthPrefixed: output.finish())
        if let tokens = plan.tokens {
            for residual in choice.residuals { bits.append(residual, width: tokens.token(of: residual).width) }
        }
        writer.append(contentsOf: bits.finish())
        return writer.bytes
    }
}

import ByteCoding

/// Writes the values of one channel in one block: any 64-bit integers, exactly, by what takes the fewest bytes.
///
/// | part | what |
/// |---|---|
/// | kind (1) | 0: one value for all rows, which follows (zigzag varint); 1: coded |
/// | plan | ``ColumnPlan`` |
/// | dictionary | ``ResidualDictionary``, where the plan has one |
/// | tables | first symbol, count (varints), then 5 bits for each symbol, context after context: ``FrequencyTable`` |
/// | symbols | count of bytes (varint), bytes: ``SymbolWriter``; for each row but the first whether it is held, then its token |
/// | bits | what the tokens leave, to the end |
struct ColumnEncoder {
    /// The values, or what an integral leaves of them.
    private let values: [Int64]
    private let integral: Integral?
    /// For each row whether it holds the value of the row before.
    private let held: [Bool]
    private let heldCount: Int
    /// The same of each of the columns before this one.
    private let references: [[Bool]]

    init(_ values: [Int64], integral: Integral?, references: [[Bool]]) {
        self.values = values
        self.integral = integral
        self.references = references
        held = Self.held(values)
        heldCount = held.reduce(0) { $0 &+ ($1 ? 1 : 0) }
    }

    /// For each row of `values` whether it holds the value of the row before.
    static func held(_ values: [Int64]) -> [Bool] {
        var held = [Bool](repeating: false, count: values.count)
        for row in values.indices.dropFirst() { held[row] = values[row] == values[row &- 1] }
        return held
    }

    /// The bytes. There is at least one row.
    func encoded() -> [UInt8] {
        if heldCount == values.count - 1, integral == nil {
            var writer = ByteWriter(capacity: 11)
            writer.append(0 as UInt8)
            writer.append(varint: zigzag(values[0]))
            return writer.bytes
        }
        let (plan, residuals) = bestPlan()
        return encoded(by: plan, residuals)
    }

    // MARK: Choosing

    private func bestPlan() -> (ColumnPlan, [UInt64]) {
        var best: (bits: Double, plan: ColumnPlan, residuals: [UInt64])?
        func offer(
            _ choice: ResidualStatistics.Choice, _ predictor: Predictor, _ hold: HoldChoice?, _ residuals: [UInt64]
        ) {
            let bits = choice.bits + (hold?.bits ?? 0)
            if let best, best.bits <= bits { return }
            let plan = ColumnPlan(
                integral: integral, predictor: predictor, hold: hold?.model, holdCodes: hold?.codes ?? [],
                tokens: choice.tokens, thresholds: choice.thresholds, first: values[0])
            best = (bits, plan, residuals)
        }
        // Where one row in sixteen is held, it pays to say so first; where fewer than one in 32 are, it does not.
        var holds: [HoldChoice?] = []
        if heldCount * 16 < values.count { holds.append(nil) }
        if heldCount * 32 >= values.count { holds.append(bestHold()) }
        for hold in holds {
            let isHolding = hold != nil
            for predictor in ranked(isHolding).prefix(2) {
                let residuals = residuals(predictor, isHolding)
                offer(ResidualStatistics(tokensOf: residuals).bestTokens(), predictor, hold, residuals)
            }
            for predictor in [Predictor.fixed, .mean(shift: 0)] {
                let residuals = residuals(predictor, isHolding)
                guard let dictionary = ResidualDictionary.entries(of: residuals) else { continue }
                let indexes = ResidualDictionary.indexes(of: residuals, in: dictionary)
                let statistics = ResidualStatistics(indexes: indexes, of: residuals, symbolCount: dictionary.count)
                let byteCount = ResidualDictionary.byteCount(of: dictionary)
                offer(statistics.bestDictionary(byteCount: byteCount), predictor, hold, residuals)
            }
        }
        // Some way was offered: tokens number anything.
        return best.map { ($0.plan, $0.residuals) }!
    }

    private func residuals(_ predictor: Predictor, _ skipsHeld: Bool) -> [UInt64] {
        var residuals: [UInt64] = []
        residuals.reserveCapacity(values.count)
        var prediction = Prediction(predictor, start: values[0])
        for row in 1..<values.count where !(skipsHeld && held[row]) {
            let value = values[row]
            residuals.append(zigzag(value &- prediction.next))
            prediction.take(value)
        }
        return residuals
    }

    /// The predictors, the most promising first, by a part of the rows.
    private func ranked(_ skipsHeld: Bool) -> [Predictor] {
        let sample =
            values.count <= 1024
            ? [0..<values.count] : stride(from: 0, to: values.count - 255, by: 1024).map { $0..<$0 + 256 }
        return Predictor.all.map { predictor in
            var counts = [UInt32](repeating: 0, count: 65)
            for rows in sample {
                var prediction = Prediction(predictor, start: values[predictor == .fixed ? 0 : rows.lowerBound])
                for row in rows.dropFirst() where !(skipsHeld && held[row]) {
                    counts[bitLength(zigzag(values[row] &- prediction.next))] &+= 1
                    prediction.take(values[row])
                }
            }
            let all = Double(counts.reduce(0, &+))
            var bits = 0.0
            for (length, count) in counts.enumerated() where count > 0 {
                bits += Double(count) * (Double(length) + FrequencyTable.binaryLogarithm(all / Double(count)))
            }
            return (predictor, bits)
        }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private struct HoldChoice {
        var model: HoldModel
        var codes: [UInt8]
        var bits: Double
    }

    private func bestHold() -> HoldChoice {
        var best: HoldChoice?
        for reference in [nil] + references.indices.map(Optional.some) {
            let counts = HoldModel.counts(held, beside: reference.map { references[$0] })
            for lengths in [1, 2, 4, 8, 16] {
                let (bits, codes) = counts.cost(lengths)
                let model = HoldModel(lengths: lengths, reference: reference)
                if best.map({ bits < $0.bits }) ?? true { best = HoldChoice(model: model, codes: codes, bits: bits) }
            }
        }
        return best!
    }

    // MARK: Writing

    private func encoded(by plan: ColumnPlan, _ residuals: [UInt64]) -> [UInt8] {
        var writer = ByteWriter(capacity: values.count)
        writer.append(1 as UInt8)
        plan.append(to: &writer)
        var symbols: [UInt16] = []
        var bits = BitWriter()
        if let tokens = plan.tokens {
            symbols.reserveCapacity(residuals.count)
            for residual in residuals {
                let (token, width) = tokens.token(of: residual)
                symbols.append(UInt16(token))
                bits.append(residual, width: width)
            }
        } else if let dictionary = ResidualDictionary.entries(of: residuals) {
            symbols = ResidualDictionary.indexes(of: residuals, in: dictionary)
            ResidualDictionary.append(dictionary, to: &writer)
        }
        let low = Int(symbols.min() ?? 0)
        let count = Int(symbols.max() ?? 0) - low + 1
        var contexts: [UInt8] = []
        contexts.reserveCapacity(residuals.count)
        var counts = [[UInt32]](
            repeating: [UInt32](repeating: 0, count: count), count: plan.thresholds.count + 1)
        var context = 0
        for row in residuals.indices {
            contexts.append(UInt8(context))
            counts[context][Int(symbols[row]) &- low] &+= 1
            context = plan.context(after: bitLength(residuals[row]))
        }
        writer.append(varint: low)
        writer.append(varint: count)
        var tables: [FrequencyTable?] = []
        var codeBits = BitWriter()
        for counts in counts {
            let codes = FrequencyTable.codes(of: counts)
            for code in codes { codeBits.append(UInt64(code), width: FrequencyTable.codeWidth) }
            tables.append(FrequencyTable(codes: codes))
        }
        writer.append(contentsOf: codeBits.finish())
        writer.append(lengthPrefixed: written(symbols, low, contexts, tables, plan))
        writer.append(contentsOf: bits.finish())
        return writer.bytes
    }

    /// The symbols, from the last one to the first, each by the table that its reader will have then.
    private func written(
        _ symbols: [UInt16], _ low: Int, _ contexts: [UInt8], _ tables: [FrequencyTable?], _ plan: ColumnPlan
    ) -> [UInt8] {
        var output = SymbolWriter()
        var next = symbols.count
        let cases = plan.hold.map { $0.cases(held, beside: $0.reference.map { references[$0] }) } ?? []
        for row in stride(from: values.count - 1, through: 1, by: -1) {
            if plan.hold == nil || !held[row] {
                next -= 1
                let symbol = Int(symbols[next]) &- low
                if let table = tables[Int(contexts[next])] {
                    output.append(part: table.parts[symbol], start: table.starts[symbol])
                }
            }
            if plan.hold != nil {
                let part = HoldModel.part(of: plan.holdCodes[Int(cases[row])])
                if held[row] {
                    output.append(part: part, start: 0)
                } else {
                    output.append(part: 4096 - part, start: part)
                }
            }
        }
        return output.finish()
    }
}

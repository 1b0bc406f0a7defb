/// A candidate encoding of the values after the first one: predictor, residuals and their symbols.
struct ResidualChoice {
    let predictor: Predictor
    let residuals: [UInt64]
    /// The tokens of the residuals; `nil` if a dictionary numbers them.
    let tokens: Tokens?
    let dictionary: [Int64]
    /// See ``ColumnPlan``.
    let thresholds: [Int]
    /// The estimated size in bits.
    let bits: Double

    private let numbers: [UInt8]

    /// The symbols of the residuals.
    var symbols: [UInt16] {
        var symbols = [UInt16](repeating: 0, count: residuals.count)
        if let tokens {
            for index in symbols.indices {
                symbols[index] = UInt16(truncatingIfNeeded: tokens.token(of: residuals[index]).token)
            }
        } else {
            for index in symbols.indices { symbols[index] = UInt16(numbers[index]) }
        }
        return symbols
    }

    /// Returns the index of the table for each symbol: that of the first of each lane is 0.
    func contexts(_ plan: ColumnPlan, laneLength: Int) -> [UInt8] {
        var contexts = [UInt8](repeating: 0, count: residuals.count)
        if thresholds.isEmpty { return contexts }
        let contextOfLength = (0...64).map { UInt8(plan.context(after: $0)) }
        for index in 1..<max(1, residuals.count) {
            contexts[index] = contextOfLength[bitLength(residuals[index &- 1])]
        }
        if laneLength > 0 { for lane in 1..<4 { contexts[lane * laneLength] = 0 } }
        return contexts
    }

    /// Returns the cheapest of the candidates tried for `values`, which are not empty: all candidates for a short
    /// column, the promising ones for others.
    static func best(for values: [Int64], thoroughly isShort: Bool) -> ResidualChoice {
        var best: ResidualChoice?
        func offer(_ choice: ResidualChoice?) {
            if let choice, choice.bits < best?.bits ?? .infinity { best = choice }
        }
        let ranked = ranked(values)
        let hopeful = ranked.filter { isShort || $0.bits <= ranked[0].bits * 1.03 }
        let simple = ranked.filter { $0.predictor == .fixed || $0.predictor == .mean(shift: 0) }
        for (predictor, _) in hopeful.prefix(isShort ? 4 : 2) {
            offer(ResidualChoice(tokensOf: predictor.residuals(of: values), predictor))
        }
        for (predictor, _) in simple.prefix(isShort ? 2 : 1) {
            offer(ResidualChoice(dictionaryOf: predictor.residuals(of: values), predictor))
        }
        guard let best else { preconditionFailure("Tokens number anything.") }
        return best
    }

    private init(tokensOf residuals: [UInt64], _ predictor: Predictor) {
        let choice = ResidualStatistics(tokensOf: residuals).bestTokens()
        (self.predictor, self.residuals, tokens) = (predictor, residuals, choice.tokens)
        (thresholds, bits, dictionary, numbers) = (choice.thresholds, choice.bits, [], [])
    }

    private init?(dictionaryOf residuals: [UInt64], _ predictor: Predictor) {
        guard let (entries, numbers) = ResidualDictionary.numbered(residuals) else { return nil }
        let choice = ResidualStatistics(numbers: numbers, of: residuals, symbolCount: entries.count)
            .bestDictionary(byteCount: ResidualDictionary.byteCount(of: entries))
        (self.predictor, self.residuals, self.numbers, dictionary) = (predictor, residuals, numbers, entries)
        (tokens, thresholds, bits) = (nil, choice.thresholds, choice.bits)
    }

    /// Ranks the predictors by their estimated cost on a sample of the rows, the cheapest first.
    private static func ranked(_ values: [Int64]) -> [(predictor: Predictor, bits: Double)] {
        let sample =
            values.count <= 1024
            ? values : stride(from: 0, to: values.count - 255, by: 1024).flatMap { values[$0..<$0 + 256] }
        return Predictor.all.map { predictor -> (predictor: Predictor, bits: Double) in
            var counts = [UInt32](repeating: 0, count: 65)
            var bits = 0
            for residual in predictor.residuals(of: sample) {
                let length = bitLength(residual)
                counts[length] &+= 1
                bits &+= length
            }
            return (predictor, Double(bits) + FrequencyTable.bits(of: counts))
        }.sorted { $0.bits < $1.bits }
    }
}

extension Predictor {
    /// Returns the residuals of the values after the first one, as zigzag numbers.
    func residuals(of values: [Int64]) -> [UInt64] {
        switch self {
        case .fixed: Self.residuals(FixedPrediction(values[0]), values)
        case .mean(shift: 0): Self.residuals(LastPrediction(values[0]), values)
        case .mean(let shift): Self.residuals(MeanPrediction(values[0], shift: shift), values)
        case .line: Self.residuals(LinePrediction(values[0]), values)
        }
    }

    @inline(__always)
    private static func residuals(_ start: some Prediction, _ values: [Int64]) -> [UInt64] {
        var residuals = [UInt64](repeating: 0, count: values.count - 1)
        var prediction = start
        for index in residuals.indices {
            let value = values[index &+ 1]
            residuals[index] = zigzag(value &- prediction.next)
            prediction.update(value)
        }
        return residuals
    }
}

/// Counts of symbols by the length of the preceding residual: enough to compute the cost of each encoding without
/// writing it.
struct ResidualStatistics {
    /// An encoding and its cost in bits.
    struct Choice {
        var bits: Double
        /// The alphabet; `nil` for the entries of a dictionary.
        var tokens: Tokens?
        /// The lengths of the preceding residual at which another frequency table begins.
        var thresholds: [Int]
    }

    /// The finest tokens, which are counted; the counts of coarser tokens are derived from them.
    private static let finest = Tokens(mantissa: 3)
    private static let alphabets = [Tokens(mantissa: 1), finest]

    /// The counts, by length of the preceding residual, then by symbol.
    private var counts: [UInt32]
    private let symbolCount: Int
    private let lengthCount: Int
    private let residualCount: Int

    /// Counts the finest tokens of `residuals`.
    init(tokensOf residuals: [UInt64]) {
        // As long as the longest residual, and no smaller than the greatest.
        var union: UInt64 = 0
        for residual in residuals { union |= residual }
        (symbolCount, lengthCount) = (Self.finest.token(of: union).token + 1, bitLength(union) + 1)
        residualCount = residuals.count
        counts = [UInt32](repeating: 0, count: symbolCount * lengthCount)
        var length = 0
        for residual in residuals {
            counts[length &* symbolCount &+ Self.finest.token(of: residual).token] &+= 1
            length = bitLength(residual)
        }
    }

    /// Counts `numbers`: for each of `residuals`, the number of its entry in a dictionary of `symbolCount` entries.
    init(numbers: [UInt8], of residuals: [UInt64], symbolCount: Int) {
        var union: UInt64 = 0
        for residual in residuals { union |= residual }
        (self.symbolCount, lengthCount) = (symbolCount, bitLength(union) + 1)
        residualCount = residuals.count
        counts = [UInt32](repeating: 0, count: symbolCount * lengthCount)
        var length = 0
        for row in numbers.indices {
            counts[length &* symbolCount &+ Int(numbers[row])] &+= 1
            length = bitLength(residuals[row])
        }
    }

    /// Returns the cheapest encoding as tokens.
    func bestTokens() -> Choice {
        best(of: Self.alphabets)
    }

    /// Returns the cheapest encoding as dictionary entries; the dictionary itself takes `byteCount` bytes.
    func bestDictionary(byteCount: Int) -> Choice {
        var choice = best(of: [nil])
        choice.bits += Double(8 * byteCount)
        return choice
    }

    private func best(of alphabets: [Tokens?]) -> Choice {
        var best = Choice(bits: .infinity, tokens: nil, thresholds: [])
        for tokens in alphabets {
            for thresholds in thresholdChoices {
                let bits = cost(tokens, thresholds)
                if bits < best.bits { best = Choice(bits: bits, tokens: tokens, thresholds: thresholds) }
            }
        }
        return best
    }

    /// The thresholds to try: none; one, at the median length or just above it; two, at the thirds.
    private var thresholdChoices: [[Int]] {
        var lengths = [Int](repeating: 0, count: lengthCount)
        for length in 0..<lengthCount {
            for symbol in 0..<symbolCount { lengths[length] += Int(counts[length * symbolCount + symbol]) }
        }
        func quantile(_ part: Int, of parts: Int) -> Int {
            var sum = 0
            for length in lengths.indices {
                sum += lengths[length]
                if sum * parts >= part * residualCount { return length }
            }
            return lengthCount
        }
        let half = quantile(1, of: 2)
        var choices: [[Int]] = [[]]
        for choice in [[half], [half + 1], [quantile(1, of: 3), quantile(2, of: 3) + 1]] {
            let inside = choice.filter { $0 > 0 && $0 < lengthCount }
            if !inside.isEmpty, Set(inside).count == inside.count, !choices.contains(inside) { choices.append(inside) }
        }
        return choices
    }

    /// Returns the cost in bits, including the frequency tables; infinite if there would be too many symbols.
    private func cost(_ tokens: Tokens?, _ thresholds: [Int]) -> Double {
        var bits = 0.0
        var range = (low: Int.max, high: -1)
        var length = 0
        for end in thresholds + [lengthCount] {
            var sums = [UInt32](repeating: 0, count: symbolCount)
            while length < end {
                for symbol in 0..<symbolCount { sums[symbol] &+= counts[length &* symbolCount &+ symbol] }
                length += 1
            }
            if let tokens { sums = Self.coarse(sums, tokens, &bits) }
            var all: UInt32 = 0
            for sum in sums { all &+= sum }
            for (symbol, sum) in sums.enumerated() where sum > 0 {
                bits += Double(sum) * FrequencyTable.binaryLogarithm(Double(all) / Double(sum))
                range = (Swift.min(range.low, symbol), Swift.max(range.high, symbol))
            }
        }
        // If no residual is left, since each value equals the one before, there are no symbols.
        let symbols = range.high < 0 ? 0 : range.high - range.low + 1
        if symbols > ResidualDictionary.limit { return .infinity }
        // A single symbol takes no time to decode. That is worth some bytes, so several symbols count as longer.
        if symbols > 1 { bits += Double(residualCount / 64) }
        return bits + Double(symbols * (thresholds.count + 1) * FrequencyTable.codeWidth)
    }

    /// Returns the counts of the finest tokens as counts of coarser ones, and adds their extra bits to `bits`.
    private static func coarse(_ sums: [UInt32], _ tokens: Tokens, _ bits: inout Double) -> [UInt32] {
        var coarse = [UInt32](repeating: 0, count: sums.count)
        for (symbol, sum) in sums.enumerated() where sum > 0 {
            let (token, width) = tokens.token(of: finest.value(of: symbol).value)
            coarse[token] &+= sum
            bits += Double(sum) * Double(width)
        }
        return coarse
    }
}

/// Which symbols come behind residuals of which length: enough to know, without writing anything, what each way to write
/// them takes.
struct ResidualStatistics {
    /// What a way takes, and which it is.
    struct Choice {
        var bits: Double
        var tokens: Tokens?
        var thresholds: [Int]
    }

    /// The finest tokens that are counted; coarser ones are made of these.
    private static let finest = Tokens(mantissa: 3)
    private static let coarser = [Tokens(mantissa: 1), finest]

    /// Counts by length of the residual before, then symbol.
    private var counts: [UInt32]
    private let symbolCount: Int
    private let lengthCount: Int
    private let residualCount: Int

    /// Counts tokens.
    init(tokensOf residuals: [UInt64]) {
        var most: UInt64 = 0
        for residual in residuals { most |= residual }
        (symbolCount, lengthCount) = (Self.finest.token(of: most).token + 1, bitLength(most) + 1)
        residualCount = residuals.count
        counts = [UInt32](repeating: 0, count: symbolCount * lengthCount)
        var length = 0
        for residual in residuals {
            counts[length &* symbolCount &+ Self.finest.token(of: residual).token] &+= 1
            length = bitLength(residual)
        }
    }

    /// Counts entries of a dictionary of `symbolCount`.
    init(numbers: [UInt8], of residuals: [UInt64], symbolCount: Int) {
        var most: UInt64 = 0
        for residual in residuals { most |= residual }
        (self.symbolCount, lengthCount) = (symbolCount, bitLength(most) + 1)
        residualCount = residuals.count
        counts = [UInt32](repeating: 0, count: symbolCount * lengthCount)
        var length = 0
        for row in numbers.indices {
            counts[length &* symbolCount &+ Int(numbers[row])] &+= 1
            length = bitLength(residuals[row])
        }
    }

    /// The best way to write tokens.
    func bestTokens() -> Choice {
        best(of: Self.coarser)
    }

    /// The best way to write entries of a dictionary, which takes `byteCount` bytes by itself.
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

    /// None; one at the median length or above it; two at the thirds.
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
        // Where all rows are held there is nothing to number.
        let symbols = range.high < 0 ? 0 : range.high - range.low + 1
        if symbols > ResidualDictionary.limit { return .infinity }
        // One symbol is read for nothing: that is worth some bytes.
        if symbols > 1 { bits += Double(residualCount / 64) }
        return bits + Double(symbols * (thresholds.count + 1) * FrequencyTable.codeWidth)
    }

    /// The finest tokens as coarser ones; and adds to `bits` what they leave.
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

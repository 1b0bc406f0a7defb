/// Run-length form of a column: values that each differ from the previous one, and the length of each run.
///
/// A meter that is polled faster than it measures repeats its values for some rows. A meter that measures its
/// channels in turn renews them alternately.
struct RunsOfValues {
    /// The first value, and each value that differs from the one before.
    private(set) var values: [Int64]
    /// For each value, the number of rows that repeat it after its own.
    private(set) var runs: [UInt16] = []
    /// The tokens that encode the runs in the fewest bits, and the estimated number of these bits.
    private(set) var tokens = Tokens(mantissa: 1)
    private(set) var bits = Double.infinity

    /// Splits a column of 1 to 4,096 values, the rows of one block.
    init(_ all: [Int64]) {
        values = [all[0]]
        var (last, run) = (all[0], 0 as UInt16)
        for row in 1..<all.count {
            let value = all[row]
            if value == last {
                run &+= 1
                continue
            }
            values.append(value)
            runs.append(run)
            (last, run) = (value, 0)
        }
        runs.append(run)
        for tokens in [Tokens(mantissa: 1), Tokens(mantissa: 3)] {
            let bits = self.bits(tokens)
            if bits < self.bits { (self.tokens, self.bits) = (tokens, bits) }
        }
    }

    /// Returns the estimated size of the runs encoded with `tokens`: their frequency table, symbols and extra bits.
    ///
    /// The table begins with 16 bits: its first symbol and its number of symbols.
    private func bits(_ tokens: Tokens) -> Double {
        var (counts, bits) = ([UInt32](repeating: 0, count: 128), 0)
        for run in runs {
            let (token, width) = tokens.token(of: UInt64(run))
            counts[token] &+= 1
            bits &+= width
        }
        let low = counts.firstIndex { $0 > 0 } ?? 0
        let high = counts.lastIndex { $0 > 0 } ?? 0
        return Double(bits + (high - low + 1) * FrequencyTable.codeWidth + 16) + FrequencyTable.bits(of: counts)
    }
}

import GroundwaveByteCoding

/// The frequencies of the symbols of an alphabet, in parts of 1,024, for an entropy coder.
///
/// Stored as one 5-bit code per symbol: 0 for a symbol that does not occur, else its share on a logarithmic scale
/// with steps of a third of an octave. Writer and reader derive the same parts from the codes.
struct FrequencyTable {
    static let bits = 10
    static let total = 1 << bits
    static let codeWidth = 5

    /// The part of each symbol; the sum is 1,024, or 0 if no symbol occurs.
    private(set) var parts: [UInt16] = []
    /// For each symbol, the sum of the parts of the symbols before it.
    var starts: [UInt16] {
        var start: UInt16 = 0
        return parts.map { part in
            defer { start &+= part }
            return start
        }
    }

    /// Returns the codes of symbols that occur `counts` times.
    static func codes(of counts: [UInt32]) -> [UInt8] {
        let sum = counts.reduce(0) { $0 + UInt64($1) }
        guard sum > 0 else { return counts.map { _ in 0 } }
        return counts.map { count in
            if count == 0 { return 0 }
            // Code 31 is a share of 1, and each step down is a third of an octave.
            let octaves = 10 - binaryLogarithm(Double(sum) / Double(count))
            return UInt8(Swift.max(1, Swift.min(31, Int((octaves * 3).rounded()) + 1)))
        }
    }

    /// Makes this the table of `count` symbols, at most 512; `code` returns the code of each, in order.
    mutating func read(_ count: Int, code: (Int) -> UInt16) {
        let weights = Self.weights
        parts.removeAll(keepingCapacity: true)
        var sum: UInt64 = 0
        for symbol in 0..<count {
            let code = code(symbol) & 31
            parts.append(code)
            sum += weights[Int(code)]
        }
        if sum > 0 { replaceCodes(weights, sum) }
    }

    /// Replaces each code by the part that it stands for.
    private mutating func replaceCodes(_ weights: [UInt64], _ sum: UInt64) {
        // One division, since it takes as long as decoding some symbols.
        let scale = UInt64(Self.total) << 32 / sum
        var rest = Self.total
        var greatest = 0
        for symbol in parts.indices where parts[symbol] > 0 {
            let part = Swift.max(1, (weights[Int(parts[symbol] & 31)] * scale + 1 << 31) >> 32)
            parts[symbol] = UInt16(truncatingIfNeeded: part)
            rest -= Int(part)
            if parts[symbol] > parts[greatest] { greatest = symbol }
        }
        // The most frequent symbol absorbs the rounding error. If its part is too small for that, all symbols give up
        // parts in turn.
        if Int(parts[greatest]) + rest >= 1 {
            parts[greatest] = UInt16(Int(parts[greatest]) + rest)
        } else {
            while rest < 0 {
                for symbol in parts.indices where rest < 0 && parts[symbol] > 1 {
                    parts[symbol] -= 1
                    rest += 1
                }
            }
        }
    }

    /// Weights proportional to 2 to the power of code / 3; 0 for code 0.
    private static let weights: [UInt64] = {
        var weights: [UInt64] = [0]
        // The cube root of 2, times 2 to the power of 32: an integer, so that every machine computes the same
        // weights.
        let ratio: UInt64 = 5_411_319_705
        var weight: UInt64 = 1 << 20
        for _ in 1...31 {
            weights.append(weight >> 8)
            weight = (weight >> 6) * (ratio >> 6) >> 20
        }
        return weights
    }()

    /// Returns the entropy, in bits, of symbols that occur `counts` times.
    static func bits(of counts: [UInt32]) -> Double {
        var (all, bits) = (0.0, 0.0)
        for count in counts where count > 0 {
            all += Double(count)
            bits -= Double(count) * binaryLogarithm(Double(count))
        }
        return all > 0 ? bits + all * binaryLogarithm(all) : 0
    }

    /// Returns the logarithm to base 2, exact enough to compare costs.
    static func binaryLogarithm(_ value: Double) -> Double {
        let exponent = Double(value.exponent)
        let x = value.significand - 1
        // A cubic, exact at both ends of the interval and off by less than 0.001 in between.
        return exponent + x * (1.4237 + x * (-0.5863 + x * 0.1626))
    }
}

import GroundwaveByteCoding

/// How often each symbol of an alphabet comes, as parts of 1,024: what an entropy coder needs.
///
/// Written as one code of 5 bits a symbol: 0 for one that does not come, else its share to a third of an octave. Writer
/// and reader make the same parts from the codes.
struct FrequencyTable {
    static let bits = 10
    static let total = 1 << bits
    static let codeWidth = 5

    /// The part of each symbol; the sum is 1,024 where any comes.
    private(set) var parts: [UInt16]
    /// The sum of the parts of the symbols before.
    private(set) var starts: [UInt16]

    /// The codes of symbols that come `counts` times.
    static func codes(of counts: [UInt32]) -> [UInt8] {
        let sum = counts.reduce(0) { $0 + UInt64($1) }
        guard sum > 0 else { return counts.map { _ in 0 } }
        return counts.map { count in
            if count == 0 { return 0 }
            // 31 is the whole, and each step less is a third of an octave.
            let octaves = 10 - binaryLogarithm(Double(sum) / Double(count))
            return UInt8(Swift.max(1, Swift.min(31, Int((octaves * 3).rounded()) + 1)))
        }
    }

    /// The table that the codes stand for; `nil` where they make none: no symbol, or more than there are parts.
    init?(codes: [UInt8]) {
        var sum: UInt64 = 0
        var count = 0
        for code in codes where code > 0 {
            sum += Self.weights[Int(code & 31)]
            count += 1
        }
        guard count > 0, count <= Self.total / 2 else { return nil }
        parts = []
        parts.reserveCapacity(codes.count)
        var used = 0
        var greatest = 0
        for (symbol, code) in codes.enumerated() {
            let part =
                code == 0 ? 0 : Swift.max(1, Int((Self.weights[Int(code & 31)] * UInt64(Self.total) + sum / 2) / sum))
            parts.append(UInt16(part))
            used += part
            if part > parts[greatest] { greatest = symbol }
        }
        // What rounding left over, or took too much, is the most frequent one's; where that is too little, take turns.
        var rest = Self.total - used
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
        starts = []
        starts.reserveCapacity(codes.count)
        var start: UInt16 = 0
        for part in parts {
            starts.append(start)
            start &+= part
        }
    }

    /// 2 to a third of the code.
    private static let weights: [UInt64] = {
        var weights: [UInt64] = [0]
        // The third root of 2, in parts of 2 to the 32: the same on each machine.
        let ratio: UInt64 = 5_411_319_705
        var weight: UInt64 = 1 << 20
        for _ in 1...31 {
            weights.append(weight >> 8)
            weight = (weight >> 6) * (ratio >> 6) >> 20
        }
        return weights
    }()

    /// What symbols take that come `counts` times.
    static func bits(of counts: [UInt32]) -> Double {
        var (all, bits) = (0.0, 0.0)
        for count in counts where count > 0 {
            all += Double(count)
            bits -= Double(count) * binaryLogarithm(Double(count))
        }
        return all > 0 ? bits + all * binaryLogarithm(all) : 0
    }

    /// The logarithm to base 2, as well as a choice needs it.
    static func binaryLogarithm(_ value: Double) -> Double {
        let exponent = Double(value.exponent)
        let x = value.significand - 1
        // A cubic through the ends, off by less than 0.001.
        return exponent + x * (1.4237 + x * (-0.5863 + x * 0.1626))
    }
}

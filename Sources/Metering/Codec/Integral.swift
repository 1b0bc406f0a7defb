/// A prediction of a column as the running sum of another column, or of the product of two. A meter's charge and
/// energy are such sums.
///
/// The prediction for a row is (factor × sum + offset) / 2^shift, rounded down. Only the difference is written.
/// If the meter integrates the values that it shows, the difference is nearly always constant.
struct Integral: Equatable {
    /// The index of the column that is summed.
    var first: Int
    /// The index of the column that multiplies it, row by row, if any.
    var second: Int?
    var factor: Int64
    var offset: Int64
    /// 0 to 126.
    var shift: Int

    /// Subtracts the prediction from `values`, or with `isAdding` adds it back.
    ///
    /// All arithmetic wraps, so adding undoes subtracting for any numbers.
    ///
    /// - Parameters:
    ///   - summed: The column that is summed.
    ///   - factors: The column that multiplies it, if any.
    func apply(to values: inout [Int64], of summed: [Int64], times factors: [Int64]?, isAdding: Bool) {
        var products = summed
        if let factors { for row in products.indices { products[row] = products[row] &* factors[row] } }
        let (offset, shift) = (Int128(offset), Int128(shift))
        var sum: Int64 = 0
        for row in values.indices {
            sum = sum &+ products[row]
            let (high, low) = sum.multipliedFullWidth(by: factor)
            let prediction = Int64(truncatingIfNeeded: ((Int128(high) << 64 | Int128(low)) &+ offset) &>> shift)
            values[row] = isAdding ? values[row] &+ prediction : values[row] &- prediction
        }
    }

    /// Returns the least-squares line of `values`, less the first of them, over the sums. Returns `nil` for fewer than
    /// 16 values, if there is no such line or it is level, or if its numbers are out of range.
    ///
    /// - Parameters:
    ///   - first: The index of the column that is summed.
    ///   - second: The index of the column that multiplies it, if any.
    static func fitting(_ values: [Int64], to columns: [[Int64]], _ first: Int, _ second: Int?) -> Integral? {
        guard values.count >= 16, let start = values.first else { return nil }
        var sums: [Double] = []
        sums.reserveCapacity(values.count)
        var sum: Int64 = 0
        for row in values.indices {
            sum = sum &+ (second.map { columns[first][row] &* columns[$0][row] } ?? columns[first][row])
            sums.append(Double(sum))
        }
        let count = Double(values.count)
        let meanSum = sums.reduce(0, +) / count
        let meanValue = values.reduce(0) { $0 + Double($1 &- start) } / count
        var (square, product) = (0.0, 0.0)
        for row in values.indices {
            let distance = sums[row] - meanSum
            square += distance * distance
            product += distance * (Double(values[row] &- start) - meanValue)
        }
        guard square > 0, product != 0 else { return nil }
        let slope = product / square
        // Keep 40 bits of the slope.
        let shift = 40 - Int(slope.exponent)
        guard (0...126).contains(shift), abs(slope) < 1e6 else { return nil }
        let base = Double(sign: .plus, exponent: shift, significand: 1)
        // The meter rounds its value down, by half a step on average. The prediction is rounded down too.
        let level = (meanValue - slope * meanSum + 0.5) * base
        guard abs(level) < 9e18 else {
            // The offset does not fit: give up some bits of the factor.
            let less = Swift.max(0, shift - Int(level.exponent) + 61)
            let small = Double(sign: .plus, exponent: less, significand: 1)
            let offset = (meanValue - slope * meanSum + 0.5) * small
            guard abs(offset) < 9e18 else { return nil }
            return Integral(
                first: first, second: second, factor: Int64(slope * small), offset: Int64(offset), shift: less)
        }
        return Integral(
            first: first, second: second, factor: Int64((slope * base).rounded()), offset: Int64(level), shift: shift)
    }
}

/// The correction of a channel: a value times ``factor``, plus ``offset`` in the unit of the channel.
///
/// It is exact: only the result is rounded, to the decimals of the channel, and a tie to the even neighbour.
public struct ChannelCorrection: Hashable, Sendable {
    /// The factor: not 0, and less than 1,000 without its sign.
    public let factor: DecimalNumber
    /// The offset, in the unit of the channel.
    public let offset: DecimalNumber

    /// The correction that changes nothing.
    public static let identity = ChannelCorrection(unchecked: .one, .zero)

    private init(unchecked factor: DecimalNumber, _ offset: DecimalNumber) {
        (self.factor, self.offset) = (factor, offset)
    }

    /// Creates a correction; `nil` if the factor is 0, or 1,000 and more.
    public init?(factor: DecimalNumber, offset: DecimalNumber) {
        guard factor.units != 0, Int128(factor.units.magnitude) < 1_000 * Self.powerOfTen(factor.decimals) else {
            return nil
        }
        self.init(unchecked: factor, offset)
    }

    /// Returns the corrected `value` of a channel with this number of decimals. One that does not fit becomes the nearest
    /// that does.
    public func corrected(_ value: Int64, decimals: Int) -> Int64 {
        LinearMap(self, decimals: decimals).value(value)
    }

    /// The correction as a formula: `× 1.003 − 0.0012 A`, without a part that changes nothing; `× 1` if none does.
    func formula(in unit: Channel.Unit) -> String {
        var parts: [String] = []
        if factor != .one || offset == .zero { parts.append("× \(factor)") }
        if offset != .zero {
            let unit = unit == .none ? "" : " \(unit.rawValue)"
            parts.append("\(offset.units < 0 ? "−" : "+") \(offset.magnitudeText)\(unit)")
        }
        return parts.joined(separator: " ")
    }

    static func powerOfTen(_ exponent: Int) -> Int128 { (0..<max(0, exponent)).reduce(1) { power, _ in power * 10 } }
}

/// A correction of the integers of a channel: (value · multiplier + addend) / divisor.
struct LinearMap: Hashable, Sendable {
    /// Not 0; less than 10¹² without its sign.
    let multiplier: Int128
    /// Less than 10²⁷ without its sign.
    let addend: Int128
    /// A power of ten, 1 to 10⁹.
    let divisor: Int128

    /// The same three, if 64 bits hold them.
    private let small: (multiplier: Int64, addend: Int64, divisor: Int64)?

    init(_ correction: ChannelCorrection, decimals: Int) {
        let (factor, offset) = (correction.factor, correction.offset)
        let exponent = max(factor.decimals, offset.decimals - decimals)
        multiplier = Int128(factor.units) * ChannelCorrection.powerOfTen(exponent - factor.decimals)
        addend = Int128(offset.units) * ChannelCorrection.powerOfTen(exponent + decimals - offset.decimals)
        divisor = ChannelCorrection.powerOfTen(exponent)
        small =
            if let multiplier = Int64(exactly: multiplier), let addend = Int64(exactly: addend) {
                (multiplier, addend, Int64(divisor))
            } else { nil }
    }

    static func == (one: LinearMap, other: LinearMap) -> Bool {
        (one.multiplier, one.addend, one.divisor) == (other.multiplier, other.addend, other.divisor)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(multiplier)
        hasher.combine(addend)
        hasher.combine(divisor)
    }

    /// Returns the corrected `value`; one that does not fit becomes the nearest that does.
    func value(_ value: Int64) -> Int64 {
        if let small {
            let (product, isProductLarge) = value.multipliedReportingOverflow(by: small.multiplier)
            let (sum, isSumLarge) = product.addingReportingOverflow(small.addend)
            if !isProductLarge, !isSumLarge { return Self.rounded(sum, small.divisor) }
        }
        return Int64(clamping: sum(Int128(value), of: 1))
    }

    /// Returns the corrected `sum` of `count` values; it wraps beyond 128 bits.
    func sum(_ sum: Int128, of count: Int128) -> Int128 {
        Self.rounded(sum &* multiplier &+ addend &* count, divisor)
    }

    /// Returns the quotient, rounded to the nearest, of two equally near the even one. `divisor` is positive.
    static func rounded<Number: FixedWidthInteger & SignedInteger>(_ value: Number, _ divisor: Number) -> Number {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        let (distance, half) = (remainder.magnitude, divisor.magnitude / 2)
        let isOddTie = distance == half && divisor.isMultiple(of: 2) && !quotient.isMultiple(of: 2)
        guard distance > half || isOddTie else { return quotient }
        return value < 0 ? quotient - 1 : quotient + 1
    }
}

import GroundwaveMetering

/// An axis of values: its range, its ticks and their labels.
///
/// All numbers are integers, in the unit times ten to the minus ``decimals``.
struct ValueAxis: Hashable, Sendable {
    /// The number of decimals of this axis: two more than the channels have, so that margins can be smaller than the
    /// least step of a value.
    let decimals: Int
    /// The lower end of the axis.
    let low: Int128
    /// The upper end of the axis, above ``low``.
    let high: Int128
    /// The distance between ticks: 1, 2 or 5 times a power of ten.
    let step: Int128
    /// The unit of the labels with its prefix: `mA`.
    let unit: String

    private let trailingZeros: Int
    private let exponent: Int

    /// Creates an axis for `values`, `nil` for none, with at least two ticks and at most about `stepLimit` steps.
    ///
    /// - Parameters:
    ///   - channelDecimals: The number of decimals of `values`, 0 to 9: the most of any channel.
    ///   - temperatureUnit: The unit of `values` where `unit` is that of a temperature.
    init(
        _ values: ClosedRange<Int128>?, decimals channelDecimals: Int, unit: Channel.Unit,
        temperatureUnit: TemperatureUnit = .celsius, stepLimit: Int
    ) {
        decimals = channelDecimals + 2
        let (least, greatest) = values.map { ($0.lowerBound * 100, $0.upperBound * 100) } ?? (0, Self.power(decimals))
        let magnitude = Int128(max(least.magnitude, greatest.magnitude))
        var (low, high) = (least, greatest)
        // A constant value is drawn in the middle. Otherwise there is a margin above and below, but none below 0.
        let room = low == high ? max(magnitude / 20, 100) : (high - low) / 20
        (low, high) = (least >= 0 && low != high ? max(low - room, 0) : low - room, high + room)
        // The step is large enough for labels of seven digits to differ.
        let span = least == greatest ? high - low : greatest - least
        let wanted = max((span - 1) / Int128(stepLimit) + 1, magnitude / 1_000_000, 100)
        var (zeros, leading, power) = (0, Int128(1), Int128(1))
        while leading * power < wanted {
            if leading == 5 {
                (zeros, leading, power) = (zeros + 1, 1, power * 10)
            } else {
                leading = leading == 1 ? 2 : 5
            }
        }
        step = leading * power
        if Self.floor(high, step) <= -Self.floor(-low, step) {
            // Fewer than two ticks are in range: extend the axis to the adjacent ones.
            low = Self.floor(low, step) * step
            high = -Self.floor(-high, step) * step
        }
        (self.low, self.high) = (low, high)
        trailingZeros = zeros
        (exponent, self.unit) = Self.prefix(
            of: unit, named: Self.name(of: unit, temperatureUnit),
            exponent: Self.digits(max(low.magnitude, high.magnitude)) - 1 - decimals,
            shown: decimals - zeros)
    }

    /// Returns the factor that turns an integer of `channel` into one of this axis.
    func factor(of channel: Channel) -> Int128 { Self.power(decimals - channel.decimals) }

    /// Returns the distance of `value` above ``low``, rounded to the nearest, on an axis `height` long.
    func offset(of value: Int128, in height: Int) -> Int {
        let span = high - low
        return Int(((min(max(value, low), high) - low) * Int128(height) * 2 + span) / (span * 2))
    }

    /// The ticks from ``low`` to ``high``, each with its label.
    var ticks: [(value: Int128, label: String)] {
        let first = -Self.floor(-low, step)
        return (first...Self.floor(high, step)).map { ($0 * step, label($0 * step)) }
    }

    private func label(_ value: Int128) -> String {
        // The number of digits after the decimal point; the last `trailingZeros` of them are zeros on every tick.
        let behind = decimals + exponent
        if behind <= 0 { return "\(value * Self.power(-behind))" }
        let power = Self.power(behind)
        let whole = Int128(value.magnitude) / power
        let sign = value < 0 ? "-" : ""
        let shown = behind - trailingZeros
        guard shown > 0 else { return "\(sign)\(whole)" }
        let part = "\(Int128(value.magnitude) % power / Self.power(behind - shown))"
        return "\(sign)\(whole).\(String(repeating: "0", count: shown - part.count))\(part)"
    }

    /// Returns the exponent of the best prefix for numbers up to ten to the `exponent`, and the unit with that
    /// prefix.
    ///
    /// - Parameter shown: The number of decimals of the labels without a prefix.
    private static func prefix(
        of unit: Channel.Unit, named name: String, exponent: Int, shown: Int
    ) -> (Int, String) {
        let third = Int(floor(Int128(exponent), 3)) * 3
        let hasPrefixes =
            switch unit {
            case .volt, .ampere, .watt, .ampereHour, .wattHour, .ohm: true
            // Millihertz and kiloseconds are unusual.
            case .hertz: exponent >= 0
            case .second: exponent < 0
            case .celsius, .none: false
            }
        if hasPrefixes {
            let chosen = min(max(third, -9), 18)
            return (chosen, prefixes[(chosen + 9) / 3] + name)
        }
        if exponent < 6, shown <= 6 { return (0, name) }
        return (third, "×10^\(third)" + (name.isEmpty ? "" : " ") + name)
    }

    private static let prefixes = ["n", "µ", "m", "", "k", "M", "G", "T", "P", "E"]

    /// Returns the name of `unit` in a picture.
    private static func name(of unit: Channel.Unit, _ temperatureUnit: TemperatureUnit) -> String {
        switch unit {
        case .ohm: "Ω"
        case .celsius: "°\(temperatureUnit.rawValue)"
        default: unit.rawValue
        }
    }

    /// Returns `value` divided by `step`, rounded down.
    private static func floor(_ value: Int128, _ step: Int128) -> Int128 {
        let quotient = value / step
        return value % step < 0 ? quotient - 1 : quotient
    }

    /// Returns the number of decimal digits of `value`, 1 for 0.
    private static func digits(_ value: UInt128) -> Int {
        var (count, rest) = (1, value / 10)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }

    private static func power(_ exponent: Int) -> Int128 {
        (0..<max(exponent, 0)).reduce(Int128(1)) { power, _ in power * 10 }
    }
}

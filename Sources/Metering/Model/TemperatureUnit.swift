/// The unit in which temperatures are shown to people. Values, summaries and files are in degrees Celsius.
public enum TemperatureUnit: String, Hashable, Sendable, CaseIterable {
    /// Degrees Celsius.
    case celsius = "C"
    /// Degrees Fahrenheit.
    case fahrenheit = "F"

    /// Returns a value of `channel` as it is shown: a temperature in this unit, with the decimals of the channel and
    /// rounded to the nearest; any other value as it is.
    package func shown(_ value: Int64, of channel: Channel) -> Int128 {
        shown(meanOf: Int128(value), count: 1, of: channel)
    }

    /// Returns the mean of `count` values of `channel` as it is shown, rounded once: see ``shown(_:of:)``.
    package func shown(meanOf sum: Int128, count: Int, of channel: Channel) -> Int128 {
        guard isConverted(channel) else { return Self.quotient(sum, Int128(count)) }
        let zero = 32 * Self.power(channel.decimals)
        return Self.quotient(sum &* 9 &+ 5 * zero &* Int128(count), 5 * Int128(count))
    }

    /// Returns the name of the unit of `channel` as it is shown: `°C`, `°F`, `V`.
    package func name(for channel: Channel) -> String {
        channel.unit == .celsius ? "°\(rawValue)" : channel.unit.rawValue
    }

    /// Returns whether values of `channel` are shown as other numbers than they have.
    package func isConverted(_ channel: Channel) -> Bool { self == .fahrenheit && channel.unit == .celsius }

    private static func power(_ exponent: Int) -> Int128 {
        (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 }
    }

    /// Returns the quotient, rounded to the nearest, and halves away from 0.
    private static func quotient(_ value: Int128, _ divisor: Int128) -> Int128 {
        (value &+ (value < 0 ? -divisor / 2 : divisor / 2)) / divisor
    }
}

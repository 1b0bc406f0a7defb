import Foundation
import GroundwaveStore

/// A condition that ends a recording: a time, a value, or a charge or energy that has flowed.
///
/// It is judged by the times and values of the rows, not by any clock: a file is recorded up to the same row as a meter
/// that sends the same rows.
public struct StopCondition: Hashable, Sendable, CustomStringConvertible {
    /// The condition as text: `for 2h`, `current<0.05 for 60s`, `charge 2Ah`, `energy 5Wh`.
    public let description: String
    let rule: Rule

    /// What is compared, with its limit.
    enum Rule: Hashable, Sendable {
        /// The time since the first row, in milliseconds.
        case elapsed(Int64)
        /// A channel has such a value in all rows of so many milliseconds.
        case value(String, Comparison, ExactNumber, lasting: Int64)
        /// The charge in ampere hours, of either sign.
        case charge(ExactNumber)
        /// The energy in watt hours, of either sign.
        case energy(ExactNumber)
    }

    /// How a value is compared with its limit.
    enum Comparison: String, Hashable, Sendable, CaseIterable {
        // `<=` is looked for before `<`.
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"
    }

    /// The condition that the last row is `duration`, such as `2h`, `90s` or `1h30m`, after the first one.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    public static func duration(_ duration: String) throws -> StopCondition {
        let text = trimmed(duration)
        return StopCondition(description: "for \(text)", rule: .elapsed(try DurationText.milliseconds(text)))
    }

    /// The condition that all rows of a time have such a value: `current<0.05 for 60s`; without `for`, that one row has.
    /// The value is in the unit of the channel. A gap, or a row with another value, starts the time anew; a row without
    /// the channel does not.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    public static func value(_ condition: String) throws -> StopCondition {
        let text = trimmed(condition)
        let parts = text.components(separatedBy: " for ")
        let comparison = Comparison.allCases.compactMap { sign in parts[0].range(of: sign.rawValue).map { (sign, $0) } }
        guard parts.count <= 2, let (sign, place) = comparison.first else { throw notUnderstood(text) }
        let name = trimmed(String(parts[0][..<place.lowerBound]))
        guard !name.isEmpty, let limit = ExactNumber(trimmed(String(parts[0][place.upperBound...]))) else {
            throw notUnderstood(text)
        }
        let lasting = parts.count == 2 ? try DurationText.milliseconds(trimmed(parts[1])) : 0
        return StopCondition(description: text, rule: .value(name, sign, limit, lasting: lasting))
    }

    /// The condition that so much charge has flowed, in either direction: `2Ah`, `500mAh`; ampere hours without a unit.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    public static func charge(_ limit: String) throws -> StopCondition {
        let text = trimmed(limit)
        return StopCondition(description: "charge \(text)", rule: .charge(try quantity(text, "Ah")))
    }

    /// The condition that so much energy has flowed, in either direction: `5Wh`, `1.5kWh`; watt hours without a unit.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    public static func energy(_ limit: String) throws -> StopCondition {
        let text = trimmed(limit)
        return StopCondition(description: "energy \(text)", rule: .energy(try quantity(text, "Wh")))
    }

    /// The channel that is compared; `nil` if none is.
    package var channel: String? {
        if case .value(let name, _, _, _) = rule { name } else { nil }
    }
}

extension StopCondition {
    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }

    private static func notUnderstood(_ text: String) -> StoreError {
        StoreError(
            .usage, "“\(text)” is not a condition.",
            hint: "Compare a channel with a number: “current<0.05 for 60s”, “voltage>=4.2”.")
    }

    /// Returns the quantity of `unit` that `text` says, which is above 0.
    private static func quantity(_ text: String, _ unit: String) throws -> ExactNumber {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let powers = ["": 0, unit: 0, "m\(unit)": -3, "k\(unit)": 3]
        let word = trimmed(String(text[number.endIndex...]))
        guard let power = powers[word], let limit = ExactNumber(String(number), timesTenTo: power), limit.units > 0
        else {
            throw StoreError(
                .usage, "“\(text)” is not a quantity in \(unit).", hint: "Examples: 2\(unit), 500m\(unit), 1.5k\(unit)."
            )
        }
        return limit
    }
}

/// A decimal number, exactly: an integer times ten to the minus 18.
struct ExactNumber: Hashable, Comparable, Sendable {
    static let decimals = 18

    /// The number times ten to the 18.
    let units: Int128

    /// The number that `text` says times ten to the `power`, which is -3 to 3. Up to nine digits before the point, and
    /// twelve behind it.
    init?(_ text: String, timesTenTo power: Int = 0) {
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard (1...2).contains(parts.count), (1...9).contains(parts[0].count), fraction.count <= 12,
            (parts[0] + fraction).allSatisfy({ $0.isASCII && $0.isNumber }), parts.count == 1 || !fraction.isEmpty,
            let digits = Int128(String(parts[0] + fraction))
        else { return nil }
        units = (isNegative ? -digits : digits) * Self.powerOfTen(Self.decimals - fraction.count + power)
    }

    /// `value` times ten to the minus `decimals`.
    init(_ value: Int128, decimals: Int) { units = value &* Self.powerOfTen(Self.decimals - decimals) }

    static func < (one: ExactNumber, other: ExactNumber) -> Bool { one.units < other.units }

    private static func powerOfTen(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}

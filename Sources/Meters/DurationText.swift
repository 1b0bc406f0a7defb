import Foundation
import GroundwaveStore

/// Durations as people type them: `500ms`, `90s`, `30m`, `2h`, `1h30m`, `2d`.
package enum DurationText {
    /// A thousand years, in milliseconds.
    private static let limit: Int64 = 31_557_600_000_000

    /// Returns the milliseconds of `text`, at least `least` and at most a thousand years.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    package static func milliseconds(_ text: String, atLeast least: Int64 = 1) throws -> Int64 {
        guard let sum = sum(text[...]), (least...limit).contains(sum) else {
            throw StoreError(
                .usage, "“\(text)” is not a duration.", hint: "Durations are 500ms, 90s, 30m, 2h, 1h30m, 2d.")
        }
        return sum
    }

    /// Returns the sum of the numbers with their units; `nil` if there is something else, or nothing.
    private static func sum(_ text: Substring) -> Int64? {
        let units: [String: Int64] = ["ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
        if text.isEmpty { return nil }
        var (rest, sum) = (text, Int64(0))
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let word = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            guard let count = Int64(digits), let unit = units[String(word)], count <= limit / unit, sum <= limit
            else { return nil }
            sum += count * unit
        }
        return sum
    }
}

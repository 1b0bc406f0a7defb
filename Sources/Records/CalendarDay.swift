import GroundwaveByteCoding

/// A day of the Gregorian calendar, without a time or a time zone: the day of a service, or a birthday.
public struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year, 0 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// The day of this date; `nil` if the calendar has none.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let days = CivilDate.day(year: Int64(year), month: Int64(month), day: Int64(day))
        guard CivilDate.date(ofDay: days).month == Int64(month) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day that `text` writes as `2026-05-01` (ISO 8601); `nil` if it does not.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy(digits.contains) }) else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - digits.lowerBound) } }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// The day as `2026-05-01`: texts of days sort as the days do.
    public var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: width - text.utf8.count) + text
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Whether `left` is before `right`.
    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

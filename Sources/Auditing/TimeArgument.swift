import GroundwaveByteCoding
import GroundwaveStore

/// A time as people type it: `now`, `today`, `yesterday`, `90m`, `2d`, `2026-05-01`, `2026-05-01T12:00`,
/// `2026-05-01T12:00:30.5Z` or `2026-05-01T14:00+02:00`. In UTC, unless it has an offset.
///
/// A day is a span, from its start to the start of the next; everything else is a moment. `90m` is ninety minutes ago,
/// `2d` is two times 24 hours ago. Digits of a second after the third are ignored.
package struct TimeArgument: Hashable, Sendable {
    /// The start, in milliseconds since 1970: the value of `--from`.
    package let startMilliseconds: Int64
    /// The end, exclusive, in milliseconds since 1970; for a moment, the moment itself.
    package let endMilliseconds: Int64
    /// The last millisecond that belongs to it. A moment without a fraction lasts for its whole second.
    package let lastMillisecond: Int64

    /// The start in whole seconds since 1970, rounded down: the value of `--since`.
    package var start: Int64 { Self.wholeSeconds(startMilliseconds) }
    /// The end in whole seconds since 1970, rounded up.
    package var end: Int64 { -Self.wholeSeconds(-endMilliseconds) }

    /// Parses `text`.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``StoreError`` with code `usage`, and a hint with the accepted forms.
    package init(_ text: String, now: Int64) throws {
        let word = text.trimmingPrefix(" ").lowercased()
        let startOfToday = now - ((now % 86_400) + 86_400) % 86_400
        if word == "now" {
            self.init(second: now)
        } else if word == "today" {
            self.init(day: startOfToday)
        } else if word == "yesterday" {
            self.init(day: startOfToday - 86_400)
        } else if let seconds = Self.span(word), let moment = Self.difference(now, seconds) {
            self.init(second: moment)
        } else if let value = Self.calendar(word) {
            self = value
        } else {
            throw StoreError(
                .usage, "“\(text)” is not a time.",
                hint: """
                    Times are in UTC: now, today, yesterday, 90m, 2d, 2026, 2026-05, 2026-05-01, 2026-05-01T12:00:30.5, or \
                    with an offset: 2026-05-01T14:00+02:00.
                    """)
        }
    }

    /// A day that starts at `start`, in seconds.
    private init(day start: Int64) {
        (startMilliseconds, endMilliseconds) = (start * 1000, (start + 86_400) * 1000)
        lastMillisecond = endMilliseconds - 1
    }

    /// A month or a year, from its first day to the day before `end`, both as days since 1970.
    private init(days start: Int64, until end: Int64) {
        (startMilliseconds, endMilliseconds) = (start * 86_400_000, end * 86_400_000)
        lastMillisecond = endMilliseconds - 1
    }

    /// The moment `second`, which lasts for a second where a last moment is asked for.
    private init(second: Int64) {
        (startMilliseconds, endMilliseconds) = (second * 1000, second * 1000)
        lastMillisecond = startMilliseconds + 999
    }

    /// A moment to the millisecond.
    private init(millisecond: Int64) {
        (startMilliseconds, endMilliseconds, lastMillisecond) = (millisecond, millisecond, millisecond)
    }

    /// Rounds down, also before 1970.
    private static func wholeSeconds(_ milliseconds: Int64) -> Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns `90m` in seconds; `nil` if `word` is not a span, or too long.
    private static func span(_ word: String) -> Int64? {
        guard let match = word.wholeMatch(of: /([0-9]{1,9})([smhdw])/), let count = Int64(match.1) else { return nil }
        let unit: Int64 =
            switch match.2 {
            case "s": 1
            case "m": 60
            case "h": 3_600
            case "d": 86_400
            default: 604_800
            }
        return count * unit
    }

    private static func difference(_ now: Int64, _ seconds: Int64) -> Int64? {
        let (moment, isOverflow) = now.subtractingReportingOverflow(seconds)
        return isOverflow ? nil : moment
    }

    private static func calendar(_ word: String) -> TimeArgument? {
        if let match = word.wholeMatch(of: /([0-9]{4})(?:-([0-9]{2}))?/), let year = Int64(match.1), year >= 1930 {
            let month = match.2.map { Int64($0) ?? 0 }
            guard (1...12).contains(month ?? 1) else { return nil }
            func first(_ month: Int64) -> Int64 {
                CivilDate.day(year: year + (month - 1) / 12, month: (month - 1) % 12 + 1, day: 1)
            }
            return TimeArgument(days: first(month ?? 1), until: first((month ?? 12) + 1))
        }
        let date = /([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[t ](.+))?/
        guard let match = word.wholeMatch(of: date), let year = Int64(match.1), let month = Int64(match.2),
            let day = Int64(match.3), (1...12).contains(month)
        else { return nil }
        let number = CivilDate.day(year: year, month: month, day: day)
        // The 31st of a month that has 30 days would be the first of the next.
        guard year >= 1930, CivilDate.date(ofDay: number) == (year, month, day) else { return nil }
        guard let time = match.4 else { return TimeArgument(day: number * 86_400) }
        return timeOfDay(time, midnight: number * 86_400)
    }

    /// Reads `12:00`, `12:00:30.5z` or `12:00+02:00` of the day that starts at `midnight`, in seconds.
    private static func timeOfDay(_ text: Substring, midnight: Int64) -> TimeArgument? {
        let pattern = /([0-9]{2}):?([0-9]{2})(?::?([0-9]{2})(?:\.([0-9]+))?)?(z|[+-][0-9]{2}:?[0-9]{2})?/
        guard let match = text.wholeMatch(of: pattern), let hours = Int64(match.1), let minutes = Int64(match.2)
        else { return nil }
        let seconds = match.3.flatMap { Int64($0) } ?? 0
        guard hours < 24, minutes < 60, seconds < 60, let offset = zoneOffset(match.5 ?? "z") else { return nil }
        let second = midnight + hours * 3600 + minutes * 60 + seconds - offset
        guard let fraction = match.4 else { return TimeArgument(second: second) }
        return TimeArgument(millisecond: second * 1000 + milliseconds(fraction))
    }

    /// The milliseconds of the digits after the point of a second.
    private static func milliseconds(_ fraction: Substring) -> Int64 {
        let digits = String(fraction.prefix(3))
        return Int64(digits + String(repeating: "0", count: 3 - digits.count)) ?? 0
    }

    /// Returns how many seconds a zone is ahead of UTC: 0 for `z`, 7200 for `+02:00`; `nil` for a day or more.
    private static func zoneOffset(_ zone: Substring) -> Int64? {
        if zone == "z" { return 0 }
        let digits = zone.filter(\.isNumber)
        guard let hours = Int64(digits.prefix(2)), let minutes = Int64(digits.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return zone.hasPrefix("-") ? -seconds : seconds
    }
}

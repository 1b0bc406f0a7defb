import GroundwaveByteCoding
import GroundwaveStore

/// A time as people type it, in UTC: `now`, `today`, `yesterday`, `90m`, `2d`, `2026-05-01`, `2026-05-01T12:00` or
/// `2026-05-01T12:00:30Z`.
///
/// A day is a span, from its start to the start of the next; everything else is a moment. `90m` is ninety minutes ago,
/// `2d` is two times 24 hours ago.
package struct TimeArgument: Hashable, Sendable {
    /// The start, in seconds since 1970: the value of `--since`.
    package let start: Int64
    /// The end, exclusive; for a moment, the moment itself.
    package let end: Int64

    /// Parses `text`.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``StoreError`` with code `usage`, and a hint with the accepted forms.
    package init(_ text: String, now: Int64) throws {
        let word = text.trimmingPrefix(" ").lowercased()
        let startOfToday = now - ((now % 86_400) + 86_400) % 86_400
        if word == "now" {
            self.init(start: now, end: now)
        } else if word == "today" {
            self.init(day: startOfToday)
        } else if word == "yesterday" {
            self.init(day: startOfToday - 86_400)
        } else if let seconds = Self.span(word), let moment = Self.difference(now, seconds) {
            self.init(start: moment, end: moment)
        } else if let value = Self.calendar(word) {
            self = value
        } else {
            throw StoreError(
                .usage, "“\(text)” is not a time.",
                hint: "Times are in UTC: now, today, yesterday, 90m, 2d, 2026-05-01 or 2026-05-01T12:00.")
        }
    }

    private init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    private init(day start: Int64) { self.init(start: start, end: start + 86_400) }

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
        let pattern = /([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[t ]([0-9]{2}):?([0-9]{2})(?::?([0-9]{2}))?z?)?/
        guard let match = word.wholeMatch(of: pattern), let year = Int64(match.1), let month = Int64(match.2),
            let day = Int64(match.3), (1...12).contains(month)
        else { return nil }
        let number = CivilDate.day(year: year, month: month, day: day)
        // The 31st of a month that has 30 days would be the first of the next.
        guard year >= 1930, CivilDate.date(ofDay: number) == (year, month, day) else { return nil }
        let midnight = number * 86_400
        guard let hours = match.4.flatMap({ Int($0) }), let minutes = match.5.flatMap({ Int($0) }) else {
            return TimeArgument(day: midnight)
        }
        let seconds = match.6.flatMap { Int($0) } ?? 0
        guard hours < 24, minutes < 60, seconds < 60 else { return nil }
        let moment = midnight + Int64(hours * 3600 + minutes * 60 + seconds)
        return TimeArgument(start: moment, end: moment)
    }
}

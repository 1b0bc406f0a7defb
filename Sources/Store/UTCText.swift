import GroundwaveByteCoding

/// Times as files and scripts have them: `2026-05-01T12:00:00Z`.
package enum UTCText {
    /// Formats a time in seconds since 1970.
    package static func seconds(_ seconds: Int64) -> String { parts(seconds) + "Z" }

    /// Formats a time in seconds since 1970 for people: `2026-05-01 12:00:00Z`.
    package static func spaced(_ seconds: Int64) -> String { parts(seconds, " ") + "Z" }

    /// Formats a time in milliseconds since 1970, with its milliseconds.
    package static func milliseconds(_ milliseconds: Int64) -> String {
        let rest = milliseconds % 1000
        let digits = String(1000 + (rest < 0 ? rest + 1000 : rest)).dropFirst()
        return "\(parts(milliseconds / 1000 - (rest < 0 ? 1 : 0))).\(digits)Z"
    }

    /// Formats a time in milliseconds since 1970 for the name of a file: `20260501T120000Z`.
    package static func compact(milliseconds: Int64) -> String {
        seconds(milliseconds / 1000).filter { $0 != "-" && $0 != ":" }
    }

    /// Formats how long something was, rounded down to its greatest unit: `26 hours`, `40 days`, `9 years`.
    package static func span(milliseconds: Int64) -> String {
        let hours = max(0, milliseconds / 3_600_000)
        let (days, years) = (hours / 24, hours / 8766)
        if years >= 2 { return "\(years) years" }
        return days >= 2 ? "\(days) days" : hours == 1 ? "1 hour" : "\(hours) hours"
    }

    /// The years 0 to 9999, in seconds since 1970: a time beyond, from a wrong clock or a forged manifest, is written as
    /// the nearest one.
    private static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private static func parts(_ seconds: Int64, _ separator: Character = "T") -> String {
        let seconds = min(max(seconds, writable.lowerBound), writable.upperBound)
        let (day, second) = CivilDate.floorDivided(seconds, 86_400)
        let date = CivilDate.date(ofDay: day)
        var text = ""
        text.reserveCapacity(24)
        func append(_ value: Int64, _ count: Int, _ next: Character?) {
            let digits = String(value)
            for _ in 0..<max(0, count - digits.utf8.count) { text.append("0") }
            text += digits
            if let next { text.append(next) }
        }
        append(date.year, 4, "-")
        append(date.month, 2, "-")
        append(date.day, 2, separator)
        append(second / 3600, 2, ":")
        append(second / 60 % 60, 2, ":")
        append(second % 60, 2, nil)
        return text
    }
}

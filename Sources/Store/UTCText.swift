import GroundwaveByteCoding

/// Times as files and scripts have them: `2026-05-01T12:00:00Z`.
package enum UTCText {
    /// Formats a time in seconds since 1970.
    package static func seconds(_ seconds: Int64) -> String { "\(parts(seconds))Z" }

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

    private static func parts(_ seconds: Int64) -> String {
        let (day, second) = CivilDate.floorDivided(seconds, 86_400)
        let date = CivilDate.date(ofDay: day)
        func padded(_ value: Int64, _ count: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    }
}

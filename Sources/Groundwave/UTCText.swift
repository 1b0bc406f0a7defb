import ADIF

/// Times as files and scripts have them: `2026-05-01T12:00:00Z`.
public enum UTCText {
    /// Formats a time in seconds since 1970.
    public static func seconds(_ seconds: Int64) -> String { "\(parts(seconds))Z" }

    /// Formats a time in milliseconds since 1970, with its milliseconds.
    public static func milliseconds(_ milliseconds: Int64) -> String {
        let rest = milliseconds % 1000
        let digits = String(1000 + (rest < 0 ? rest + 1000 : rest)).dropFirst()
        return "\(parts(milliseconds / 1000 - (rest < 0 ? 1 : 0))).\(digits)Z"
    }

    /// Formats a time in milliseconds since 1970 for the name of a file: `20260501T120000Z`.
    static func compact(milliseconds: Int64) -> String {
        seconds(milliseconds / 1000).filter { $0 != "-" && $0 != ":" }
    }

    private static func parts(_ seconds: Int64) -> String {
        let moment = ADIFDateTime(unixSeconds: seconds)
        let (date, time) = (moment.date.text, moment.time.text)
        return "\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.suffix(2))T"
            + "\(time.prefix(2)):\(time.dropFirst(2).prefix(2)):\(time.suffix(2))"
    }
}

/// Writes times as ISO 8601 in UTC with milliseconds: `2026-05-01T12:00:00.000Z`.
///
/// Years before 0 and after 9999 have a sign and at least six digits (`+292278994-08-17T07:12:55.807Z`), as in
/// ECMAScript, so that even the time of a badly set clock has a text.
struct UTCText {
    /// The most bytes of a time.
    static let byteLimit = 32

    // The second of the previous row and its text: consecutive rows mostly share it.
    private var second: Int64?
    private var prefix: [UInt8] = []

    /// Writes `milliseconds` since 1970 at `end`, and advances `end`.
    @inline(__always)
    mutating func write(_ milliseconds: Int64, into bytes: inout MutableSpan<UInt8>, at end: inout Int) {
        let (second, rest) = Self.floorDivided(milliseconds, 1000)
        if second != self.second { change(to: second) }
        DecimalText.put(prefix, into: &bytes, at: &end)
        DecimalText.write(padded: Int(rest), 3, into: &bytes, at: &end)
        DecimalText.put(UInt8(ascii: "Z"), into: &bytes, at: &end)
    }

    private mutating func change(to second: Int64) {
        self.second = second
        prefix = Self.prefix(second)
    }

    /// Returns the text of a second, including the point after it.
    static func prefix(_ second: Int64) -> [UInt8] {
        let (day, rest) = floorDivided(second, 86_400)
        let date = date(ofDay: day)
        var bytes = [UInt8](repeating: 0, count: byteLimit)
        var end = 0
        var span = bytes.mutableSpan
        if (0...9999).contains(date.year) {
            DecimalText.write(padded: Int(date.year), 4, into: &span, at: &end)
        } else {
            DecimalText.put(UInt8(ascii: date.year < 0 ? "-" : "+"), into: &span, at: &end)
            let year = date.year.magnitude
            for limit: UInt64 in [100_000, 10_000] where year < limit {
                DecimalText.put(UInt8(ascii: "0"), into: &span, at: &end)
            }
            if year < 1000 {
                DecimalText.write(padded: Int(year), 4, into: &span, at: &end)
            } else {
                DecimalText.write(year, decimals: 0, into: &span, at: &end)
            }
        }
        for (separator, value) in [
            (UInt8(ascii: "-"), date.month), (UInt8(ascii: "-"), date.day), (UInt8(ascii: "T"), rest / 3600),
            (UInt8(ascii: ":"), rest / 60 % 60), (UInt8(ascii: ":"), rest % 60),
        ] {
            DecimalText.put(separator, into: &span, at: &end)
            DecimalText.write(padded: Int(value), 2, into: &span, at: &end)
        }
        DecimalText.put(UInt8(ascii: "."), into: &span, at: &end)
        return Array(bytes[..<end])
    }

    @inline(__always)
    static func floorDivided(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    /// Returns the date of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
    ///
    /// Years are counted from March on, so that a leap day is the last day; 146,097 days are 400 years.
    static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivided(day + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// Returns the day of a date, counted from 1970-01-01: the inverse of ``date(ofDay:)``. The month is 1 to 12.
    static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivided(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

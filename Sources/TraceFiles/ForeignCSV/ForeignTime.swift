import GroundwaveByteCoding

/// Parses times as programs of others write them.
enum ForeignTime {
    /// The greatest time, before or behind zero: 126 years. The distance of two times then fits into 64 bits.
    private static let limit: Int64 = 4_000_000_000_000_000_000

    /// Returns the nanoseconds of a field, rounded half to even; `nil` if it is no time, or one before 1844 or after 2096.
    static func nanoseconds(
        _ bytes: [UInt8], _ range: Range<Int>, _ form: TimeColumn.Form, isCommaPoint: Bool
    ) -> Int64? {
        let time = form == .date ? date(bytes, range) : number(bytes, range, form, isCommaPoint)
        return time.flatMap { $0.magnitude <= limit.magnitude ? $0 : nil }
    }

    private static func number(
        _ bytes: [UInt8], _ range: Range<Int>, _ form: TimeColumn.Form, _ isCommaPoint: Bool
    ) -> Int64? {
        guard let number = LooseDecimal(bytes, range, isCommaPoint: isCommaPoint) else { return nil }
        var unit = ForeignUnit(name: "", unit: .second)
        switch form {
        case .seconds, .unix, .date: unit.power = 0
        case .milliseconds, .unixMilliseconds: unit.power = -3
        case .microseconds: unit.power = -6
        case .nanoseconds: unit.power = -9
        case .minutes: unit.numerator = 60
        case .hours: unit.numerator = 3600
        }
        return unit.converted(number, decimals: 9)?.value
    }

    /// Parses `2026-05-01 12:00:00.123`: also with `T`, with `/` in the date, without seconds, and with `Z` or an offset.
    private static func date(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
        var text = Scanner(bytes: bytes, place: range.lowerBound, end: range.upperBound)
        guard let year = text.number(4), let separator = text.one(of: "-/"), let month = text.number(2),
            text.one(of: separator) != nil, let day = text.number(2), text.one(of: " T") != nil,
            let hour = text.number(2), text.one(of: ":") != nil, let minute = text.number(2)
        else { return nil }
        var (second, fraction) = (Int64(0), Int64(0))
        if text.one(of: ":") != nil {
            guard let number = text.number(2) else { return nil }
            second = number
            if text.one(of: ".,") != nil {
                guard let digits = text.fraction() else { return nil }
                fraction = digits
            }
        }
        guard let offset = text.offset(), text.isAtEnd else { return nil }
        let dayNumber = CivilDate.day(year: year, month: month, day: day)
        let date = (1...12).contains(month) ? CivilDate.date(ofDay: dayNumber) : nil
        // 30 February is another day when it is read back.
        guard let date, date.month == month, date.day == day, hour < 24, minute < 60, second < 61 else { return nil }
        let seconds = ((dayNumber * 24 + hour) * 60 + minute) * 60 + second - offset
        let (whole, hasOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(fraction)
        return hasOverflow || isOver ? nil : sum
    }

    /// Reads a text from its beginning.
    private struct Scanner {
        let bytes: [UInt8]
        var place: Int
        let end: Int

        var isAtEnd: Bool { place == end }

        /// Reads a number of exactly `count` digits.
        mutating func number(_ count: Int) -> Int64? {
            guard end - place >= count else { return nil }
            var value: Int64 = 0
            for byte in bytes[place..<place + count] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            place += count
            return value
        }

        /// Reads one of these characters.
        mutating func one(of characters: String) -> String? {
            guard place < end, characters.utf8.contains(bytes[place]) else { return nil }
            place += 1
            return String(UnicodeScalar(bytes[place - 1]))
        }

        /// Reads the digits of a fraction of a second, in nanoseconds; those behind the ninth are dropped.
        mutating func fraction() -> Int64? {
            var (value, count) = (Int64(0), 0)
            while let digit = number(1) {
                if count < 9 { value = value * 10 + digit }
                count += 1
            }
            if count == 0 { return nil }
            for _ in min(count, 9)..<9 { value *= 10 }
            return value
        }

        /// Reads `Z`, `+02:00`, `-0530` or nothing, in seconds.
        mutating func offset() -> Int64? {
            if isAtEnd || one(of: "Z") != nil { return 0 }
            guard let sign = one(of: "+-"), let hours = number(2) else { return nil }
            _ = one(of: ":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60
        }
    }
}

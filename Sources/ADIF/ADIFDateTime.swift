/// A date of the Gregorian calendar as ADIF writes it: eight digits, `YYYYMMDD`, from 1930 on (ADIF 3.1.6, "Date").
public struct ADIFDate: Hashable, Sendable, Comparable {
    /// The year, 1930–9999 if it came from text.
    public let year: Int
    /// The month, 1–12.
    public let month: Int
    /// The day of the month, 1–31.
    public let day: Int

    /// Makes a date; nil if there is no such day or the year is not in 1930–9999.
    public init?(year: Int, month: Int, day: Int) {
        guard 1930...9999 ~= year, 1...12 ~= month, day >= 1, day <= Self.dayCount(year: year, month: month) else {
            return nil
        }
        self.init(uncheckedYear: year, month: month, day: day)
    }

    /// Reads exactly eight digits, optionally surrounded by blanks; nil if they are not a date from 1930 on.
    public init?(_ text: ArraySlice<UInt8>) {
        let digits = trimmingBlanks(text)
        guard digits.count == 8, let number = decimalNumber(digits) else { return nil }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }

    init(uncheckedYear year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date as eight digits.
    public var text: String {
        paddedDecimal(year, width: 4) + paddedDecimal(month, width: 2) + paddedDecimal(day, width: 2)
    }

    /// Days since 1970-01-01; negative before.
    public var daysSince1970: Int {
        // Years are counted from March, so that the leap day is the last day of a year; 400 years have 146,097 days.
        let shiftedYear = month > 2 ? year : year - 1
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Makes the date `days` after 1970-01-01.
    init(daysSince1970 days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            uncheckedYear: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Orders dates by time.
    public static func < (left: ADIFDate, right: ADIFDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// A time of day in UTC as ADIF writes it: four digits, `HHMM`, or six, `HHMMSS` (ADIF 3.1.6, "Time").
public struct ADIFTime: Hashable, Sendable {
    /// The hour, 0–23.
    public let hour: Int
    /// The minute, 0–59.
    public let minute: Int
    /// The second, 0–59; nil if the time has four digits.
    public let second: Int?

    /// Makes a time; nil if a part is out of range.
    public init?(hour: Int, minute: Int, second: Int?) {
        guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second ?? 0 else { return nil }
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Reads exactly four or six digits, optionally surrounded by blanks; nil if they are not a time.
    public init?(_ text: ArraySlice<UInt8>) {
        let digits = trimmingBlanks(text)
        guard let number = decimalNumber(digits) else { return nil }
        switch digits.count {
        case 4: self.init(hour: number / 100, minute: number % 100, second: nil)
        case 6: self.init(hour: number / 10_000, minute: number / 100 % 100, second: number % 100)
        default: return nil
        }
    }

    /// The time in four digits, or in six if it has seconds.
    public var text: String {
        paddedDecimal(hour, width: 2) + paddedDecimal(minute, width: 2)
            + (second.map { paddedDecimal($0, width: 2) } ?? "")
    }

    /// Seconds since midnight; a time without seconds is the beginning of its minute.
    public var secondsSinceMidnight: Int { hour * 3_600 + minute * 60 + (second ?? 0) }
}

/// A date and a time of day in UTC.
public struct ADIFDateTime: Hashable, Sendable {
    /// The date.
    public let date: ADIFDate
    /// The time of day.
    public let time: ADIFTime

    /// Makes a date and time from its parts.
    public init(date: ADIFDate, time: ADIFTime) {
        self.date = date
        self.time = time
    }

    /// Makes the date and time `unixSeconds` after 1970-01-01 00:00 UTC; its time has six digits.
    public init(unixSeconds: Int64) {
        let days = Int(unixSeconds / 86_400) - (unixSeconds % 86_400 < 0 ? 1 : 0)
        let seconds = Int(unixSeconds) - days * 86_400
        date = ADIFDate(daysSince1970: days)
        guard let time = ADIFTime(hour: seconds / 3_600, minute: seconds / 60 % 60, second: seconds % 60) else {
            preconditionFailure("A second of a day is always a time.")
        }
        self.time = time
    }

    /// Reads the start of a contact from `QSO_DATE` and `TIME_ON`; nil if either is missing or invalid.
    public init?(start fields: ADIFFields) {
        self.init(date: fields[.qsoDate], time: fields[.timeOn])
    }

    /// Reads the end of a contact from `QSO_DATE_OFF`, or else `QSO_DATE`, and `TIME_OFF`; nil if they are missing or
    /// invalid.
    ///
    /// Without `QSO_DATE_OFF` the end is taken to lie within a day after the start, so it may be on the next date.
    public init?(end fields: ADIFFields) {
        if let dateOff = fields[.qsoDateOff], !dateOff.value.isEmpty {
            self.init(date: dateOff, time: fields[.timeOff])
            return
        }
        guard let start = ADIFDateTime(start: fields), let field = fields[.timeOff], let time = ADIFTime(field.value)
        else { return nil }
        let crossesMidnight = time.secondsSinceMidnight / 60 < start.time.secondsSinceMidnight / 60
        let day = start.date.daysSince1970 + (crossesMidnight ? 1 : 0)
        self.init(date: ADIFDate(daysSince1970: day), time: time)
    }

    private init?(date: ADIFField?, time: ADIFField?) {
        guard let date = date.flatMap({ ADIFDate($0.value) }), let time = time.flatMap({ ADIFTime($0.value) }) else {
            return nil
        }
        self.init(date: date, time: time)
    }

    /// Seconds since 1970-01-01 00:00 UTC; negative before.
    public var unixSeconds: Int64 { Int64(date.daysSince1970) * 86_400 + Int64(time.secondsSinceMidnight) }
}

/// Returns the number written as one to eighteen ASCII digits; nil for anything else.
func decimalNumber(_ digits: ArraySlice<UInt8>) -> Int? {
    guard 1...18 ~= digits.count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
}

/// Returns `number` in decimal with leading zeros, at least `width` digits.
func paddedDecimal(_ number: Int, width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

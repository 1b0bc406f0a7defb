/// The time axis: its ticks and their labels, in UTC or since a start.
struct TimeAxis: Hashable, Sendable {
    struct Tick: Hashable, Sendable {
        /// The time in milliseconds, since 1970 or since the start.
        let milliseconds: Int64
        /// The time of day, or the date if ticks are whole days; since a start: `1:30`, or `2 d`.
        let label: String
        /// The date, at the first tick of each day; `nil` at other ticks, if the label is the date, and since a start.
        let date: String?
    }

    /// The ticks from left to right.
    let ticks: [Tick]

    private static let second: Int128 = 1000
    private static let minute: Int128 = 60 * second
    private static let hour: Int128 = 60 * minute
    private static let day: Int128 = 24 * hour

    /// The usual steps below a day.
    private static let steps: [Int128] =
        [1, 2, 5, 10, 20, 50, 100, 200, 500]
        + [second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second]
        + [minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute]
        + [hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour]

    /// Creates ticks from `start` through `end` on `width` pixels, far enough apart that their labels do not touch.
    ///
    /// - Parameter labelWidth: The width of a label in pixels, including the space beside it.
    init(
        start: Int64, end: Int64, scale: Plot.TimeScale = .clock, width: Int, labelWidth: (String) -> Int
    ) {
        let span = Int128(end) - Int128(start)
        let label = scale == .clock ? Self.label(_:_:) : Self.elapsed(_:_:)
        func hasRoom(_ step: Int128) -> Bool {
            let widest = max(
                labelWidth(label(start, step)), labelWidth(label(end, step)))
            return step * Int128(width) >= span * Int128(widest)
        }
        var step = Self.steps.first(where: hasRoom) ?? Self.day
        var leading = Int128(1)
        while step >= Self.day, !hasRoom(step) {
            // 1, 2, 5, 10 days, and so on.
            step = leading == 2 ? step / 2 * 5 : step * 2
            leading = leading == 1 ? 2 : leading == 2 ? 5 : 1
        }
        var ticks: [Tick] = []
        var dayBefore: Int128?
        var time = Self.floor(Int128(start) + step - 1, step) * step
        while time <= Int128(end) {
            let day = Self.floor(time, Self.day)
            let milliseconds = Int64(time)
            ticks.append(
                Tick(
                    milliseconds: milliseconds, label: label(milliseconds, step),
                    date: scale == .clock && step < Self.day && day != dayBefore ? Self.date(day) : nil))
            dayBefore = day
            time += step
        }
        if ticks.isEmpty {
            // No round time is in range: label the left edge with its exact time.
            let finest: Int128 = start % 1000 == 0 ? Self.second : 1
            let day = Self.floor(Int128(start), Self.day)
            ticks = [
                Tick(
                    milliseconds: start, label: label(start, finest), date: scale == .clock ? Self.date(day) : nil)
            ]
        }
        self.ticks = ticks
    }

    /// Returns the label of a tick on an axis with ticks every `step`.
    private static func label(_ milliseconds: Int64, _ step: Int128) -> String {
        let time = Int128(milliseconds)
        let day = floor(time, day)
        guard step < Self.day else { return date(day) }
        let rest = Int(time - day * Self.day)
        let clock = "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2))"
        if step >= minute { return clock }
        let withSeconds = "\(clock):\(padded(rest / 1000 % 60, 2))"
        return step >= second ? withSeconds : "\(withSeconds).\(padded(rest % 1000, 3))"
    }

    /// Returns the label of a tick since a start: hours and minutes, with seconds where needed, or whole days.
    private static func elapsed(_ milliseconds: Int64, _ step: Int128) -> String {
        let time = Int128(milliseconds.magnitude)
        let sign = milliseconds < 0 ? "-" : ""
        if step >= day { return "\(sign)\(time / day) d" }
        let rest = Int(time % hour)
        let clock = "\(sign)\(time / hour):\(padded(rest / 60_000, 2))"
        if step >= minute { return clock }
        let withSeconds = "\(clock):\(padded(rest / 1000 % 60, 2))"
        return step >= second ? withSeconds : "\(withSeconds).\(padded(rest % 1000, 3))"
    }

    /// Returns the date of the day that is `day` days after 1 January 1970, in ISO 8601 form.
    static func date(_ day: Int128) -> String {
        // Years begin on 1 March here, so that a leap day is the last day of its year; 400 years have 146,097 days.
        let shifted = day + 719_468
        let era = floor(shifted, 146_097)
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = Int(era) * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return "\(year < 0 ? "-" : "")\(padded(abs(year), 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    }

    private static func padded(_ value: Int, _ count: Int) -> String {
        let digits = "\(value)"
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Returns `value` divided by `step`, rounded down.
    private static func floor(_ value: Int128, _ step: Int128) -> Int128 {
        let quotient = value / step
        return value % step < 0 ? quotient - 1 : quotient
    }
}

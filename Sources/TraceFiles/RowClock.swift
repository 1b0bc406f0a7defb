/// Gives each row a moment of its own, in nanoseconds since 1970, later than that of the row before.
///
/// Meters send many rows at once, and they reach the host in one millisecond. The first row of one millisecond has its
/// time. Where the meter counts, each row behind it has as much more as the counter has moved on since; else one
/// microsecond more. A row that would not be later than the row before it is one microsecond behind that: so it is
/// where the next rows came early, and, until the clock has caught up, where it was set back.
struct RowClock {
    /// Between rows of which nothing else is known.
    static let step: Int64 = 1_000
    // The counter has moved on by at most an hour between rows of one millisecond; what says more is no counter.
    private static let longestRun: Int64 = 3_600

    private let hertz: Int64?
    private var last: Int64?
    private var anchor: (time: Int64, nanoseconds: Int64, tick: Int64)?

    /// A clock for rows with a counter of so many ticks a second (`nil` for rows without), whose moments follow those of
    /// `clock`.
    init(hertz: Int?, after clock: RowClock? = nil) {
        self.hertz = hertz.map(Int64.init)
        last = clock?.last
    }

    /// The moment of the next row; `nil` where it is outside of the years 1677 to 2262, whose nanoseconds have 64 bits.
    mutating func nanoseconds(_ time: Int64, tick: Int64?) -> Int64? {
        var moment: Int64
        if let anchor, anchor.time == time {
            moment = anchor.nanoseconds + ticked(from: anchor.tick, to: tick)
        } else {
            let (product, overflow) = time.multipliedReportingOverflow(by: 1_000_000)
            // What is added to it has room, too.
            guard !overflow, product.magnitude <= Self.limit.magnitude else { return nil }
            moment = product
            anchor = (time, moment, tick ?? 0)
        }
        if let last { moment = max(moment, last + Self.step) }
        guard moment <= Self.limit else { return nil }
        last = moment
        return moment
    }

    // InfluxDB keeps the last moments of 64 bits for itself; a day before them is as good.
    private static let limit = Int64.max - 2 * 86_400 * 1_000_000_000

    private func ticked(from first: Int64, to tick: Int64?) -> Int64 {
        guard let hertz, let tick else { return 0 }
        let (ticks, overflow) = tick.subtractingReportingOverflow(first)
        guard !overflow, ticks >= 0 else { return 0 }
        let (nanoseconds, tooMany) = ticks.multipliedReportingOverflow(by: 1_000_000_000)
        guard !tooMany, nanoseconds / hertz <= Self.longestRun * 1_000_000_000 else { return 0 }
        return nanoseconds / hertz
    }
}

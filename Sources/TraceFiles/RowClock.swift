/// Assigns each row a distinct time, in nanoseconds since 1970, later than that of the row before.
///
/// Meters send many rows at once, and these reach the host in the same millisecond. The first row of a millisecond
/// has that time. Later rows of it are offset by the advance of the meter's counter if there is one, else by one
/// microsecond each. A row that would not be later than the row before it follows it by one microsecond: this happens
/// if the next rows arrive early, and after the clock was set back until it has caught up.
struct RowClock {
    /// The distance of rows without other information: one microsecond.
    static let step: Int64 = 1_000
    // The most seconds by which the counter may advance between rows of one millisecond; a longer step is not
    // trusted.
    private static let longestRun: Int64 = 3_600

    private let hertz: Int64?
    private var last: Int64?
    // The first row of the current millisecond; its counter is `nil` if it has none.
    private var anchor: (time: Int64, nanoseconds: Int64, tick: Int64?)?

    /// Creates a clock for rows with a counter of `hertz` ticks per second (`nil` for rows without one), whose times
    /// follow those of `clock`.
    init(hertz: Int?, after clock: RowClock? = nil) {
        self.hertz = hertz.map(Int64.init)
        last = clock?.last
    }

    /// Returns the time of the next row; `nil` outside the years 1677 to 2262, which 64-bit nanoseconds cover.
    mutating func nanoseconds(_ time: Int64, tick: Int64?) -> Int64? {
        var moment: Int64
        if let anchor, anchor.time == time {
            moment = anchor.nanoseconds + ticked(from: anchor.tick, to: tick)
        } else {
            let (product, overflow) = time.multipliedReportingOverflow(by: 1_000_000)
            // Leave room for the offsets that are added.
            guard !overflow, product.magnitude <= Self.limit.magnitude else { return nil }
            moment = product
            anchor = (time, moment, tick)
        }
        if let last { moment = max(moment, last + Self.step) }
        guard moment <= Self.limit else { return nil }
        last = moment
        return moment
    }

    // InfluxDB reserves the last 64-bit times; the limit stays two days below them.
    private static let limit = Int64.max - 2 * 86_400 * 1_000_000_000

    private func ticked(from first: Int64?, to tick: Int64?) -> Int64 {
        guard let hertz, let first, let tick else { return 0 }
        let (ticks, overflow) = tick.subtractingReportingOverflow(first)
        guard !overflow, ticks >= 0 else { return 0 }
        let (nanoseconds, tooMany) = ticks.multipliedReportingOverflow(by: 1_000_000_000)
        guard !tooMany, nanoseconds / hertz <= Self.longestRun * 1_000_000_000 else { return 0 }
        return nanoseconds / hertz
    }
}

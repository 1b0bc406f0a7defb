/// Gives rows their times, in milliseconds since 1970. They never go back.
///
/// | row | time |
/// |---|---|
/// | with a counter, live | by the counter, at the least delay that a reception had: one that is late moves no row |
/// | with a counter, paced | by the counter, from the first such row on |
/// | without, among rows that have one | that of the reception, but before the next row with a counter can be |
/// | without, of a reception with several | as far apart as usual, the last at the time of the reception |
/// | without, else | that of the reception, or by the rate if the input has no times |
struct RowTimer: Sendable {
    /// How long after a row with a counter others are timed by it.
    private static let besideMilliseconds: Int64 = 2_000

    private let timing: RowTiming
    /// The time of the reception, and that of the first one.
    private var now: Int64 = 0
    private var start: Int64?
    private var hasMore = false
    private var last: Int64?
    /// The time between the rows of the reception, if they fill the time since the last row.
    private var spread: Double?
    /// The time of the row before the reception, if its rows follow that one without a pause.
    private var previous: Int64?
    /// The last row with a counter: its time, the time to the next one, and the time of its reception.
    private var ticked: (time: Int64, step: Int64, now: Int64)?
    /// The number of rows without a counter behind ``start``, or behind the last row with one.
    private var untimedCount: Int64 = 0

    init(_ timing: RowTiming) { self.timing = timing }

    /// Begins a reception at `time`.
    mutating func begin(at time: Int64, hasMore: Bool) {
        (now, self.hasMore) = (time, hasMore)
        if start == nil { start = time }
    }

    /// Takes note of a row that has its time already.
    mutating func follow(_ time: Int64) { last = max(last ?? time, time) }

    /// Returns the time of a row with a counter.
    mutating func time(of tick: Int64, step: Int64, by clock: inout CounterClock) -> Int64 {
        let time: Int64
        if timing == .live {
            time = min(clock.time(of: tick), now)
        } else {
            time = clock.pacedTime(of: tick, from: last ?? start ?? 0)
        }
        let row = advance(to: time)
        ticked = (row, step &* 1000 / Int64(clock.hertz), now)
        untimedCount = 0
        return row
    }

    /// What is known of the rows of a reception that have no counter.
    struct Untimed {
        /// Their number.
        var count: Int
        /// When they came.
        var now: Int64
        /// The usual time between two of them, in milliseconds, if it is known.
        var interval: Double?
        /// The number of rows that the meter sends together, if it keeps the interval exactly.
        var reportCount: Int?
    }

    /// Returns the time of row `index` of a reception, of those that have no counter.
    mutating func time(ofRow index: Int, of rows: Untimed) -> Int64 {
        let (count, now) = (rows.count, rows.now)
        if case .paced(let perSecond) = timing { return advance(to: pacedTime(perSecond)) }
        if let ticked, now &- ticked.now < Self.besideMilliseconds {
            return advance(to: min(now, max(last ?? now, ticked.time &+ ticked.step &- 1)))
        }
        guard var interval = rows.interval else { return advance(to: now) }
        if index == 0 {
            spread = rows.reportCount == nil ? spread(of: count, at: now, usual: interval) : nil
            previous = rows.reportCount.flatMap { follows(count, of: $0, at: now, interval) ? last : nil }
        }
        if let previous { return advance(to: previous &+ Self.milliseconds(Double(index + 1) * interval)) }
        interval = spread ?? interval
        let back = now &- Self.milliseconds(Double(count - 1 - index) * interval)
        // Behind these rows others wait, which come later.
        guard hasMore, let last else { return advance(to: back) }
        return advance(to: min(back, last &+ Self.milliseconds(interval)))
    }

    /// Whether `count` rows, of several reports, follow the last row without a pause: they fill the time since then, but
    /// for that of two reports, in which others may not have come yet.
    private func follows(_ count: Int, of reportCount: Int, at now: Int64, _ interval: Double) -> Bool {
        guard let last, !hasMore, count > reportCount else { return false }
        let rest = Double(now &- last) - Double(count) * interval
        return rest >= 0 && rest <= Double(min(2 * reportCount, count / 4)) * interval
    }

    /// Returns the time between the rows of a reception that fill the time since the last row about as usual.
    private func spread(of count: Int, at now: Int64, usual: Double) -> Double? {
        guard let last, !hasMore, now > last else { return nil }
        let each = Double(now &- last) / Double(count)
        return abs(each - usual) <= usual / 4 ? each : nil
    }

    private mutating func pacedTime(_ perSecond: Double) -> Int64 {
        defer { untimedCount += 1 }
        return (ticked?.time ?? start ?? 0) &+ Self.milliseconds((Double(untimedCount) * 1000 / perSecond).rounded())
    }

    private mutating func advance(to time: Int64) -> Int64 {
        let row = max(last ?? time, time)
        last = row
        return row
    }

    private static func milliseconds(_ number: Double) -> Int64 { Int64(exactly: number.rounded()) ?? .max }
}

/// The relation of one counter to the time of its trace.
struct CounterClock: Sendable {
    /// How far the times by the counter may lag behind the receptions, and for how long, until they are set on: a
    /// counter that stood still.
    private static let (lagLimit, lagDuration) = (Int64(2_000_000), Int64(5_000))

    let hertz: Int
    /// The time at which the counter was 0, in microseconds.
    private var offset: Int64?
    private var lastReception: Int64 = 0
    private var lagSince: Int64?
    private var pacedOffset: Int64?

    init(_ hertz: Int) { self.hertz = hertz }

    /// Begins a reception at `time` whose last row has the counter `tick`.
    ///
    /// No row is later than its reception, so the reception with the least delay sets the times. Two clocks differ by
    /// some millionths, so the others may move them by 100 of these.
    mutating func begin(_ tick: Int64, at time: Int64, hasMore: Bool) {
        let latest = time &* 1000 &- microseconds(tick)
        defer { lastReception = time }
        guard let offset else { return self.offset = latest }
        let slack = max(0, time &- lastReception) / 10
        self.offset = min(latest, offset &+ slack)
        guard !hasMore, latest &- offset > Self.lagLimit else { return lagSince = nil }
        guard let since = lagSince else { return lagSince = time }
        if time &- since >= Self.lagDuration { (self.offset, lagSince) = (latest, nil) }
    }

    func time(of tick: Int64) -> Int64 { ((offset ?? 0) &+ microseconds(tick)) / 1000 }

    mutating func pacedTime(of tick: Int64, from start: Int64) -> Int64 {
        let (seconds, rest) = tick.quotientAndRemainder(dividingBy: Int64(hertz))
        let milliseconds = seconds &* 1000 &+ rest * 1000 / Int64(hertz)
        let offset = pacedOffset ?? start &- milliseconds
        pacedOffset = offset
        return offset &+ milliseconds
    }

    private func microseconds(_ tick: Int64) -> Int64 {
        let (seconds, rest) = tick.quotientAndRemainder(dividingBy: Int64(hertz))
        return seconds &* 1_000_000 &+ rest * 1_000_000 / Int64(hertz)
    }
}

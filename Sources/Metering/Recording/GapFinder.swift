/// Detects missing rows, repeated rows and new rates from the meter's counter or the host's clock.
///
/// With a counter this is exact. Without one, a gap is assumed if the host waited more than two and a half times as
/// long as usual. Equal consecutive values are not taken for repeats, since a meter at rest sends them.
struct GapFinder: Sendable {
    /// The classification of a row.
    enum Finding: Hashable {
        /// A new row, with its counter without overflows (0 if there is none), and the events before it.
        case row(tick: Int64, marks: [Event])
        /// A repeat of an earlier row.
        case repeated
    }

    /// An event before a row.
    struct Event: Hashable {
        var kind: Mark.Kind
        var count: UInt64
    }

    /// The number of equal steps that make a new rate. Fewer may be consecutive gaps of equal length.
    static let stepsOfRate = 8
    /// The longest step back of the counter that counts as a repeat.
    private static let backLimit: Int64 = 4096
    /// The number of recent intervals whose median is the usual one, and the number needed before gaps are detected.
    private static let intervalCount = 32
    private static let leastIntervalCount = 8

    private let tick: Layout.Tick?
    private var lastTick: Int64?
    private var lastRaw: Int64 = 0
    private var lastTime: Int64 = 0
    private var repeats: UInt64 = 0
    /// The usual step of the counter between rows; `nil` before two rows.
    private var step: Int64?
    /// A step that may become the new rate, and the number of its consecutive occurrences.
    private var other: (step: Int64, count: Int) = (0, 0)
    /// The recent intervals between arrivals in milliseconds, and the number of rows in each arrival.
    private var intervals: [Int64] = []
    private var rowsOfArrivals: [Int] = []
    private var rowsOfArrival = 0

    init(_ layout: Layout) { tick = layout.tick }

    /// Classifies the next row, which reached the host at `time`.
    ///
    /// - Returns: The classification. A new rate is reported with the row that confirms it.
    mutating func next(tick raw: UInt32?, time: Int64) -> Finding {
        guard let tick, let raw else { return .row(tick: 0, marks: nextByTime(time)) }
        return next(Int64(raw), tick, time)
    }

    private mutating func next(_ raw: Int64, _ tick: Layout.Tick, _ time: Int64) -> Finding {
        defer { lastTime = time }
        guard let last = lastTick else {
            (lastTick, lastRaw) = (raw, raw)
            return .row(tick: raw, marks: [])
        }
        let modulus = Int64(tick.modulus)
        var delta = (raw &- lastRaw) % modulus
        if delta < 0 { delta += modulus }
        // The host's clock gives the number of full turns of the counter since the last row.
        let (elapsed, overflow) = max(0, time &- lastTime).multipliedReportingOverflow(by: Int64(tick.hertz))
        let expected = overflow ? 0 : elapsed / 1000
        if expected < modulus / 2, delta == 0 || delta >= modulus - min(Self.backLimit, modulus / 4) {
            repeats += 1
            return .repeated
        }
        if expected - delta > modulus / 2 { delta += (expected - delta + modulus / 2) / modulus * modulus }
        guard case (let now, false) = last.addingReportingOverflow(delta) else {
            (lastTick, lastRaw) = (raw, raw)
            return .row(tick: raw, marks: [])
        }
        (lastTick, lastRaw) = (now, raw)
        return .row(tick: now, marks: takeRepeats() + judge(delta))
    }

    /// Returns the pending event when no more rows come.
    mutating func end() -> Event? { takeRepeats().first }

    private mutating func takeRepeats() -> [Event] {
        defer { repeats = 0 }
        return repeats == 0 ? [] : [Event(kind: .repeats, count: repeats)]
    }

    /// Returns the events that a step of the counter implies.
    private mutating func judge(_ delta: Int64) -> [Event] {
        guard let step else {
            self.step = delta
            return [Event(kind: .rate, count: UInt64(delta))]
        }
        if delta == step {
            other = (0, 0)
            return []
        }
        other = other.step == delta ? (delta, other.count + 1) : (delta, 1)
        if other.count >= Self.stepsOfRate {
            self.step = delta
            other = (0, 0)
            return [Event(kind: .rate, count: UInt64(delta))]
        }
        guard delta > step else { return [] }
        return [Event(kind: .gap, count: UInt64(max(1, (delta + step / 2) / step - 1)))]
    }

    /// Returns the events that an interval of the host's clock implies. Rows that arrive together have the same time.
    private mutating func nextByTime(_ time: Int64) -> [Event] {
        defer { lastTime = time }
        guard rowsOfArrival > 0 else {
            rowsOfArrival = 1
            return []
        }
        guard time != lastTime else {
            rowsOfArrival += 1
            return []
        }
        rowsOfArrivals.append(rowsOfArrival)
        rowsOfArrival = 1
        let interval = time &- lastTime
        defer {
            if rowsOfArrivals.count > Self.intervalCount { rowsOfArrivals.removeFirst() }
            if intervals.count > Self.intervalCount { intervals.removeFirst() }
        }
        guard interval > 0 else { return [] }
        guard intervals.count >= Self.leastIntervalCount else {
            intervals.append(interval)
            return []
        }
        let usual = intervals.sorted()[intervals.count / 2]
        intervals.append(interval)
        let intervalsPassed = Double(interval) / Double(usual)
        guard intervalsPassed > 2.5 else { return [] }
        let rows = rowsOfArrivals.sorted()[rowsOfArrivals.count / 2]
        return [Event(kind: .gap, count: UInt64((intervalsPassed - 1).rounded()) &* UInt64(rows))]
    }
}

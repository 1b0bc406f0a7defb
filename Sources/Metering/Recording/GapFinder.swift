/// Finds out from the meter's counter or the host's clock what happened between rows: which are missing, which came again,
/// and when the meter changed its rate.
///
/// With a counter it is exact. Without one a gap is told where the host waited more than two and a half times as long as
/// usual: equal values one after the other are no repeats, since a meter at rest sends them.
struct GapFinder: Sendable {
    /// What a row is.
    enum Finding: Hashable {
        /// A row, with its counter without overflows (0 where there is none), behind what happened before it.
        case row(tick: Int64, marks: [Event])
        /// A row that was here already.
        case repeated
    }

    /// Something that happened before a row.
    struct Event: Hashable {
        var kind: Mark.Kind
        var count: UInt64
    }

    /// How many steps of one length make a new rate: gaps of one length may follow one another by chance.
    static let stepsOfRate = 8
    /// A counter that goes back no further than this came again.
    private static let backLimit: Int64 = 4096
    /// How many of the last intervals say what is usual, and how many have to be known first.
    private static let intervalCount = 32
    private static let leastIntervalCount = 8

    private let tick: Layout.Tick?
    private var lastTick: Int64?
    private var lastRaw: Int64 = 0
    private var lastTime: Int64 = 0
    private var repeats: UInt64 = 0
    /// The step of the counter from row to row, once two rows are known.
    private var step: Int64?
    /// A step that may become the rate, and how often it has come in a row.
    private var other: (step: Int64, count: Int) = (0, 0)
    /// The last intervals between arrivals in milliseconds, and the rows of each arrival.
    private var intervals: [Int64] = []
    private var rowsOfArrivals: [Int] = []
    private var rowsOfArrival = 0

    init(_ layout: Layout) { tick = layout.tick }

    /// The next row, which reached the host at `time`.
    ///
    /// - Returns: What it is; a rate that was found to be new is told with the row at which that is certain.
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
        // The clock says how often the counter has gone all the way round meanwhile.
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

    /// What is to be told when no more rows come.
    mutating func end() -> Event? { takeRepeats().first }

    private mutating func takeRepeats() -> [Event] {
        defer { repeats = 0 }
        return repeats == 0 ? [] : [Event(kind: .repeats, count: repeats)]
    }

    /// What a step of the counter says.
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

    /// What an interval of the host's clock says. Rows that came at once have one time.
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

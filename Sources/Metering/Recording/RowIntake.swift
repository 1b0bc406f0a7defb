/// Gives the rows of a recording their times, and tells what is missing or repeated between them.
///
/// It lasts as long as the recording, whatever channels its rows have. It does no I/O and reads no clock.
///
/// | row | missing rows are told by |
/// |---|---|
/// | has a counter | the counter |
/// | has none, but others of the last five seconds have | these |
/// | answers a request | the requests |
/// | other, live | the rate |
/// | other, paced | nobody |
package struct RowIntake: Sendable {
    /// Rows of one layout, as they were received.
    package struct Run: Sendable {
        /// The number of rows.
        package var count: Int
        /// The meter's counter, if the rows have it.
        package var tick: Layout.Tick?
        /// The counter of each row; empty without one.
        package var ticks: [UInt32]

        /// Creates a run.
        package init(count: Int, tick: Layout.Tick?, ticks: [UInt32]) {
            (self.count, self.tick, self.ticks) = (count, tick, ticks)
        }
    }

    /// What a row gets.
    package struct Row: Hashable, Sendable {
        /// Its time: milliseconds since 1970.
        package var time: Int64
        /// Its counter without overflows; 0 without one.
        package var tick: Int64
    }

    /// How long after a row with a counter it tells what is missing.
    private static let counterMilliseconds: Int64 = 5_000

    /// The changes of marks since they were last taken, in the order in which they are to be made.
    package private(set) var changes: [MarkChange] = []

    private let source: RowSource
    private var clock = TraceClock()
    private var timer: RowTimer
    private var counters: [(finder: CounterFinder, clock: CounterClock)] = []
    private var requests: RequestFinder
    private var rate = RateFinder()
    private var now: Int64 = 0
    /// When the answers of the reception came.
    private var answered: Int64 = 0
    private var lastReception: Int64?
    /// When the last row with a counter was received.
    private var lastTicked: Int64?
    /// The rows of the reception without a counter: their number, and how many of them were taken.
    private var untimed: (count: Int, taken: Int) = (0, 0)
    /// The repeats, and the step of the wall clock, before the next row.
    private var repeats: Int64 = 0
    private var clockStep: Int64 = 0

    /// Creates the state before the first row of `source`.
    package init(_ source: RowSource) {
        self.source = source
        timer = RowTimer(source.timing)
        requests = RequestFinder(everyMilliseconds: source.requestMilliseconds ?? 1)
    }

    private var isLive: Bool { source.timing == .live }

    /// Returns the time of `moment` in this trace, in milliseconds since 1970.
    package mutating func time(of moment: ReadMoment) -> Int64 { clock.time(of: moment) }

    /// Begins a reception that brought the rows of `runs`; ``next(_:tick:of:number:)`` then takes them one by one.
    package mutating func begin(_ reception: Reception, _ runs: [Run]) {
        now = clock.time(of: reception.moment)
        // What is read of a file at one moment was not measured at it.
        let isBehind = reception.hasMore || !isLive
        untimed = (runs.reduce(0) { $1.tick == nil ? $0 + $1.count : $0 }, 0)
        if isLive {
            clockStep &+= clock.step(at: reception.moment)
            if source.requestMilliseconds != nil { requests.sent(reception.requestCount, at: now) }
        }
        timer.begin(at: now, hasMore: isBehind)
        answered = requests.isAnswered ? timeOfAnswers : now
        lastReception = now
        var seen: [Layout.Tick] = []
        for tick in runs.compactMap(\.tick) where !seen.contains(tick) {
            seen.append(tick)
            let index = counter(tick)
            let last = counters[index].finder.begin(
                runs.filter { $0.tick == tick }.map(\.ticks), at: now, hasMore: isBehind,
                isNewConnection: reception.isNewConnection && isLive)
            counters[index].clock.begin(last, at: now, hasMore: isBehind)
        }
    }

    /// Takes the next row of the reception, which gets number `number` unless it is a repeat. Its marks are in
    /// ``changes``.
    ///
    /// - Returns: `nil` for a repeat of an earlier row, which is only counted.
    package mutating func next(
        _ values: ArraySlice<Int64>, tick raw: UInt32?, of layout: Layout, number: UInt64
    ) -> Row? {
        let before = changes.count
        var row = Row(time: 0, tick: 0)
        if let raw, let tick = layout.tick {
            let index = counter(tick)
            guard let count = counters[index].finder.next(raw, row: number, &changes) else {
                repeats += 1
                return nil
            }
            let step = counters[index].finder.step ?? 0
            row.tick = count
            row.time = timer.time(of: count, step: step, by: &counters[index].clock)
            lastTicked = now
        } else {
            defer { untimed.taken += 1 }
            guard judge(values, number) else {
                repeats += 1
                return nil
            }
            row.time = timer.time(
                ofRow: untimed.taken,
                of: RowTimer.Untimed(
                    count: untimed.count, now: answered, interval: interval,
                    reportCount: source.spacingMilliseconds == nil ? nil : rate.rowsPerArrival ?? untimed.count))
        }
        if repeats > 0 || clockStep != 0 { changes.insert(contentsOf: takePending(number), at: before) }
        return row
    }

    /// Takes note of a row that has its time already: later ones are not before it.
    package mutating func follow(_ time: Int64) { timer.follow(time) }

    /// Removes and returns ``changes``.
    package mutating func takeChanges() -> [MarkChange] {
        defer { changes.removeAll(keepingCapacity: true) }
        return changes
    }

    /// Tells what is missing between the first rows, if it was not told yet.
    package mutating func settle() { rate.settle(&changes) }

    /// Tells what is known when no more rows come behind the one before `number`.
    package mutating func end(number: UInt64) {
        settle()
        changes += takePending(number)
        if requests.isHeard { requests.end(row: number, &changes) }
    }

    /// The time of the answers of this reception. A host that asks also listens as often: if it has not, it was stopped,
    /// and the answer came soon after it had asked.
    private var timeOfAnswers: Int64 {
        guard let lastReception else { return now }
        let silence = Double(now &- lastReception)
        return silence > Double(requests.interval) * RateFinder.tellingIntervals ? lastReception : now
    }

    /// Tells what is missing before a row without a counter. Returns `false` for a repeat.
    private mutating func judge(_ values: ArraySlice<Int64>, _ number: UInt64) -> Bool {
        guard isLive else { return true }
        if let lastTicked, now &- lastTicked < Self.counterMilliseconds {
            requests.skip()
            rate.skip(to: now)
            return true
        }
        if requests.isHeard {
            rate.skip(to: now)
            return requests.next(values, of: untimed.count - untimed.taken, at: now, row: number, &changes)
        }
        if untimed.taken == 0 { rate.arrived(untimed.count, at: now, row: number, &changes) }
        return true
    }

    /// The usual time between rows without a counter, in milliseconds; `nil` if it is not known.
    private var interval: Double? {
        if let spacing = source.spacingMilliseconds { return Double(spacing) }
        return requests.isHeard ? Double(requests.interval) : rate.rowInterval
    }

    private mutating func takePending(_ number: UInt64) -> [MarkChange] {
        defer { (repeats, clockStep) = (0, 0) }
        var pending: [MarkChange] = []
        if repeats > 0 { pending.append(MarkChange(.repeats, before: number, by: repeats)) }
        if clockStep != 0 { pending.append(MarkChange(.clock, before: number, by: Mark.count(ofStep: clockStep))) }
        return pending
    }

    private mutating func counter(_ tick: Layout.Tick) -> Int {
        if let index = counters.firstIndex(where: { $0.finder.tick == tick }) { return index }
        counters.append((CounterFinder(tick), CounterClock(tick.hertz)))
        return counters.count - 1
    }
}

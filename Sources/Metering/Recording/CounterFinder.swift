/// Tells missing rows, repeated rows and new rates by the meter's counter, exactly.
///
/// One finder serves one counter for as long as a recording lasts, whatever other rows come in between.
struct CounterFinder: Sendable {
    /// The number of equal steps that make a new rate. Fewer may be consecutive gaps of equal length.
    private static let stepsOfRate = 8
    /// The longest step back that is a repeat.
    private static let backLimit: Int64 = 4096

    let tick: Layout.Tick
    private let modulus: Int64
    /// The step back, as a step forward, from which on a row is a repeat.
    private let leastBack: Int64

    private(set) var lastTick: Int64?
    private var lastRaw: Int64 = 0
    /// The usual step between rows; `nil` before two rows.
    private(set) var step: Int64?
    /// The first steps: one of them may be a gap, and a smaller one the usual step.
    private var young: [(row: UInt64, delta: Int64)] = []
    /// A step that may become the new rate, and the number of its consecutive occurrences.
    private var other: (step: Int64, count: Int) = (0, 0)
    /// The consecutive gaps before the next row, which may turn out to be a new rate.
    private var doubtful: [(row: UInt64, count: Int64)] = []
    /// When the host last had read all that was there, and the ticks that came since.
    private var caughtUp: Int64 = 0
    private var ticksSince: Int64 = 0
    /// The step to the next row, if the raw counters do not say it.
    private var forced: (delta: Int64, isEstimated: Bool)?

    init(_ tick: Layout.Tick) {
        self.tick = tick
        modulus = Int64(tick.modulus)
        leastBack = modulus - min(Self.backLimit, modulus / 4)
    }

    /// Prepares for the rows of one reception, whose counters are `runs`, in order.
    ///
    /// The host's clock gives the number of full turns of the counter since the last row, but only if the host has
    /// read all that was there: bytes that waited say nothing of when they were sent.
    ///
    /// - Returns: The counter of the last of these rows, without overflows.
    mutating func begin(_ runs: [[UInt32]], at time: Int64, hasMore: Bool, isNewConnection: Bool) -> Int64 {
        forced = nil
        guard let first = runs.first?.first.map(Int64.init) else { return lastTick ?? 0 }
        guard let last = lastTick else {
            (caughtUp, ticksSince) = (time, 0)
            return first &+ span(of: runs, from: first)
        }
        let elapsed = ticks(in: time &- caughtUp)
        var end = last &+ span(of: runs, from: lastRaw)
        if isNewConnection {
            let inside = span(of: runs, from: first)
            force(first, elapsed: max(0, elapsed &- ticksSince &- inside))
            if let forced { end = last &+ forced.delta &+ inside }
        } else if !hasMore {
            let (inside, step) = (span(of: runs, from: first), delta(to: first, from: lastRaw))
            let passed = elapsed &- ticksSince &- inside
            // What looks like a repeat may also be a turn that is not quite full.
            if passed &- (isRepeat(step) ? 0 : step) > modulus / 2 {
                let turns = (passed &- step &+ modulus / 2) / modulus * modulus
                forced = (step &+ turns, false)
                end = last &+ step &+ turns &+ inside
            }
        }
        ticksSince = hasMore ? ticksSince &+ (end &- last) : 0
        if !hasMore { caughtUp = time }
        return end
    }

    /// Sets the step to the first row of a new connection, `elapsed` ticks after the last row by the host's clock. A
    /// meter that was off starts its counter anew, which the clock shows.
    private mutating func force(_ first: Int64, elapsed: Int64) {
        var delta = delta(to: first, from: lastRaw)
        if elapsed > delta { delta += (elapsed - delta + modulus / 2) / modulus * modulus }
        let tolerance = max(Int64(tick.hertz) / 5, elapsed / 100)
        if (delta &- elapsed).magnitude <= UInt64(tolerance) {
            if delta > 0 { forced = (delta, false) }
        } else {
            forced = (max(1, elapsed), true)
        }
    }

    /// Classifies the next row, which has number `row` unless it is a repeat.
    ///
    /// - Returns: Its counter without overflows; `nil` for a repeat of an earlier row.
    @inline(__always)
    mutating func next(_ raw: UInt32, row: UInt64, _ changes: inout [MarkChange]) -> Int64? {
        let raw = Int64(raw)
        guard let last = lastTick else {
            (lastTick, lastRaw) = (raw, raw)
            return raw
        }
        var delta = raw &- lastRaw
        if delta == step, forced == nil, doubtful.isEmpty, other.count == 0, young.count >= Self.stepsOfRate {
            (lastTick, lastRaw) = (last &+ delta, raw)
            return last &+ delta
        }
        delta = self.delta(to: raw, from: lastRaw)
        let jump = forced
        forced = nil
        if let jump { delta = jump.delta } else if isRepeat(delta) { return nil }
        lastRaw = raw
        guard case (let now, false) = last.addingReportingOverflow(delta) else {
            lastTick = raw
            return raw
        }
        lastTick = now
        if let jump, jump.isEstimated {
            let missing = step.map { Self.missing(in: delta, $0) } ?? 0
            if missing > 0 { changes.append(MarkChange(.estimated, before: row, by: missing)) }
        } else {
            judge(delta, row, &changes)
        }
        return now
    }

    /// Tells what a step of the counter implies.
    private mutating func judge(_ delta: Int64, _ row: UInt64, _ changes: inout [MarkChange]) {
        guard let step else {
            step = delta
            young = [(row, delta)]
            changes.append(MarkChange(.rate, before: row, by: delta))
            return
        }
        if young.count < Self.stepsOfRate {
            if delta < step, step.isMultiple(of: delta) { learn(delta, &changes) }
            young.append((row, delta))
        }
        let usual = self.step ?? step
        if delta == usual {
            other = (0, 0)
            doubtful.removeAll(keepingCapacity: true)
            return
        }
        other = other.step == delta ? (delta, other.count + 1) : (delta, 1)
        if other.count >= Self.stepsOfRate {
            for gap in doubtful.suffix(Self.stepsOfRate - 1) {
                changes.append(MarkChange(.gap, before: gap.row, by: -gap.count))
            }
            changes.append(MarkChange(.rate, before: row, by: delta))
            self.step = delta
            other = (0, 0)
            doubtful.removeAll(keepingCapacity: true)
            return
        }
        let missing = Self.missing(in: delta, usual)
        guard missing > 0 else { return doubtful.removeAll(keepingCapacity: true) }
        doubtful.append((row, missing))
        changes.append(MarkChange(.gap, before: row, by: missing))
    }

    /// Takes `less` for the usual step: rows were missing where the first steps were greater.
    private mutating func learn(_ less: Int64, _ changes: inout [MarkChange]) {
        guard let step, let first = young.first else { return }
        changes.append(MarkChange(.rate, before: first.row, by: less - step))
        for (row, delta) in young {
            let change = Self.missing(in: delta, less) - Self.missing(in: delta, step)
            if change != 0 { changes.append(MarkChange(.gap, before: row, by: change)) }
        }
        self.step = less
        other = (0, 0)
        doubtful.removeAll(keepingCapacity: true)
    }

    private static func missing(in delta: Int64, _ step: Int64) -> Int64 {
        delta > step ? max(1, (delta &+ step / 2) / step - 1) : 0
    }

    private func isRepeat(_ delta: Int64) -> Bool { delta == 0 || delta >= leastBack }

    private func delta(to raw: Int64, from last: Int64) -> Int64 {
        let delta = (raw &- last) % modulus
        return delta < 0 ? delta + modulus : delta
    }

    /// Returns the ticks from `start` to the last of `runs`, without repeats.
    private func span(of runs: [[UInt32]], from start: Int64) -> Int64 {
        var (last, span) = (start, Int64(0))
        for run in runs {
            for raw in run {
                let delta = delta(to: Int64(raw), from: last)
                if isRepeat(delta) { continue }
                (last, span) = (Int64(raw), span &+ delta)
            }
        }
        return span
    }

    private func ticks(in milliseconds: Int64) -> Int64 {
        let (ticks, overflow) = max(0, milliseconds).multipliedReportingOverflow(by: Int64(tick.hertz))
        return overflow ? 0 : ticks / 1000
    }
}

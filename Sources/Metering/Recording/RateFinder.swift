/// Estimates missing rows from the usual rate, for meters that neither count their rows nor are asked for them.
///
/// An arrival is what the host reads at one moment. Rows that come late, and then together, show that the host or the
/// line was late: they are taken off what is missing, also if they come after it was told.
package struct RateFinder: Sendable {
    /// The number of usual intervals of silence from which on rows are missing.
    static let tellingIntervals = 2.5
    /// The number of recent arrivals whose median interval is the usual one.
    private static let medianCount = 32
    /// The number of recent arrivals whose mean interval is the usual one, if it is close to the median.
    private static let meanCount = 128
    /// The rate is known to a fiftieth: where rows came after a silence, a smaller part of them is not missing.
    private static let partOfRate: Int64 = 50
    /// The number of arrivals after which the rate is known.
    private static let youngCount = 8
    /// The number of consecutive equal silences that make a new rate.
    private static let silencesOfRate = 8
    /// The number of intervals for which rows that come late are taken off what is missing.
    private static let openIntervals = 4.0

    private struct Arrival {
        var row: UInt64
        var time: Int64
        var silence: Double
        var count: Int
    }

    /// A silence that was told, while rows may still come late.
    private struct Stretch {
        var mark: MarkChange
        var since: Int64
        var until: Int64
        var received: Int
    }

    private var lastTime: Int64?
    private var recent: [Arrival] = []
    private var firstCount = 0
    /// The arrivals before the rate is known; `nil` afterwards.
    private var young: [Arrival]? = []
    private var open: Stretch?
    /// The consecutive silences before the next arrival, which may turn out to be a new rate.
    private var slow: [(arrival: Arrival, mark: MarkChange)] = []
    /// The silences that were told while the rate was known by fewer arrivals than the mean takes.
    private var early: [(mark: MarkChange, milliseconds: Double, received: Int)] = []
    private var arrivalCount = 0
    /// The usual interval between arrivals, and the usual number of rows in one.
    private var usual: (interval: Double, rows: Int) = (0, 1)

    /// Creates a finder that has seen no rows. Times are in milliseconds, or in any other unit.
    package init() {}

    /// The usual time between two rows in milliseconds; `nil` if it is not known yet.
    var rowInterval: Double? { young == nil ? usual.interval / Double(usual.rows) : nil }

    /// The usual number of rows that come together; `nil` if it is not known yet.
    var rowsPerArrival: Int? { young == nil ? usual.rows : nil }

    /// Takes note of rows that others judge.
    mutating func skip(to time: Int64) { (lastTime, open) = (time, nil) }

    /// Judges `count` rows that were read at `time`, the first of which has number `row`.
    package mutating func arrived(_ count: Int, at time: Int64, row: UInt64, _ changes: inout [MarkChange]) {
        guard let last = lastTime else {
            lastTime = time
            firstCount = count
            return
        }
        guard time > last else {
            open?.received += count
            if !recent.isEmpty { recent[recent.count - 1].count += count }
            return
        }
        lastTime = time
        let arrival = Arrival(row: row, time: time, silence: Double(time &- last), count: count)
        guard young != nil else {
            judge(arrival, &changes)
            findUsual()
            if arrivalCount == Self.meanCount { judgeEarly(&changes) }
            return
        }
        young?.append(arrival)
        if (young?.count ?? 0) >= Self.youngCount { judgeYoung(&changes) }
    }

    /// Judges what is not judged yet, or was by fewer arrivals than there are now.
    package mutating func settle(_ changes: inout [MarkChange]) {
        judgeYoung(&changes)
        judgeEarly(&changes)
    }

    /// Judges the first arrivals, at least two of them, by their own rate.
    private mutating func judgeYoung(_ changes: inout [MarkChange]) {
        guard let first = young, first.count >= 2 else { return }
        young = nil
        usual.rows = max(1, Self.median([firstCount] + first.map(\.count)))
        usual.interval = Self.median(first.map(interval(of:)))
        for arrival in first { judge(arrival, &changes) }
        findUsual()
    }

    /// Judges the first silences again: by eight arrivals, the rows in a long one are known to a tenth or so.
    private mutating func judgeEarly(_ changes: inout [MarkChange]) {
        for (mark, milliseconds, received) in early {
            let missing = missing(in: milliseconds, received)
            if missing == mark.change { continue }
            changes.append(MarkChange(mark.kind, before: mark.row, by: missing - mark.change))
            note(missing, before: mark.row)
        }
        early.removeAll()
    }

    /// Takes note of how many rows are missing before a row of which this was told already.
    private mutating func note(_ missing: Int64, before row: UInt64) {
        if let index = slow.firstIndex(where: { $0.mark.row == row }) { slow[index].mark.change = missing }
        if open?.mark.row == row { open?.mark.change = missing }
    }

    private mutating func judge(_ arrival: Arrival, _ changes: inout [MarkChange]) {
        arrivalCount += 1
        note(arrival)
        takeBack(arrival, &changes)
        let isSilence = arrival.silence > usual.interval * Self.tellingIntervals
        if isSilence {
            tell(arrival, &changes)
            if slow.count >= Self.silencesOfRate { beginRate(arrival, &changes) }
        } else {
            slow.removeAll(keepingCapacity: true)
        }
    }

    /// Adds an arrival to the recent ones: to the last of them, if it came hard behind it.
    private mutating func note(_ arrival: Arrival) {
        if !recent.isEmpty, arrival.silence < usual.interval / 4 {
            recent[recent.count - 1].silence += arrival.silence
            recent[recent.count - 1].count += arrival.count
        } else {
            recent.append(arrival)
            if recent.count > Self.meanCount { recent.removeFirst() }
        }
    }

    /// Tells a silence, less the rows that came behind it.
    private mutating func tell(_ arrival: Arrival, _ changes: inout [MarkChange]) {
        let received = arrival.count
        let missing = missing(in: arrival.silence, received)
        guard missing > 0 else { return slow.removeAll(keepingCapacity: true) }
        let mark = MarkChange(.estimated, before: arrival.row, by: missing)
        if let first = slow.first, abs(first.arrival.silence - arrival.silence) > first.arrival.silence / 5 {
            slow.removeAll(keepingCapacity: true)
        }
        slow.append((arrival, mark))
        changes.append(mark)
        if arrivalCount <= Self.meanCount { early.append((mark, arrival.silence, received)) }
        let until = arrival.time &+ Int64(usual.interval * Self.openIntervals)
        open = Stretch(
            mark: mark, since: arrival.time &- Int64(arrival.silence), until: until, received: received)
    }

    /// Takes rows that came late off the last silence. A loss stays one: later rows come at the rate.
    private mutating func takeBack(_ arrival: Arrival, _ changes: inout [MarkChange]) {
        guard var stretch = open else { return }
        stretch.received += arrival.count
        let elapsed = Double(arrival.time &- stretch.since)
        let missing = missing(in: elapsed, stretch.received)
        if missing < stretch.mark.change {
            let change = missing - stretch.mark.change
            changes.append(MarkChange(stretch.mark.kind, before: stretch.mark.row, by: change))
            note(missing, before: stretch.mark.row)
            stretch.mark.change = missing
            if let index = early.firstIndex(where: { $0.mark.row == stretch.mark.row }) {
                early[index] = (stretch.mark, elapsed, stretch.received)
            }
        }
        open = arrival.time > stretch.until ? nil : stretch
    }

    /// Takes the last silences for a new rate.
    private mutating func beginRate(_ arrival: Arrival, _ changes: inout [MarkChange]) {
        for (_, mark) in slow where mark.change > 0 {
            changes.append(MarkChange(mark.kind, before: mark.row, by: -mark.change))
        }
        recent = slow.map(\.arrival)
        let rows = max(1, Self.median(recent.map(\.count)))
        usual = (Self.median(recent.map(\.silence)), rows)
        changes.append(MarkChange(.rate, before: arrival.row, by: max(1, Int64(usual.interval) / Int64(rows))))
        // Earlier silences were of the rate before.
        early.removeAll()
        slow.removeAll()
        open = nil
        arrivalCount = 0
    }

    /// Returns the silence before one of several arrivals that came together.
    private func interval(of arrival: Arrival) -> Double {
        arrival.silence / max(1, (Double(arrival.count) / Double(usual.rows)).rounded())
    }

    private mutating func findUsual() {
        let last = recent.suffix(Self.medianCount)
        usual.rows = max(1, Self.median(last.map(\.count)))
        let median = Self.median(last.map(interval(of:)))
        // Where rows come late, intervals vary, but their sum does not: a long silence needs the mean. Of each arrival
        // counts how many intervals it took, as rows that are missing before it may not be told.
        let duration = recent.reduce(0) { $0 + $1.silence }
        var mean = median
        for _ in 0..<2 { mean = duration / max(1, recent.reduce(0) { $0 + ($1.silence / mean).rounded() }) }
        usual.interval = abs(mean - median) <= median / 4 ? mean : median
    }

    /// Returns the number of rows that are missing of those in a time in which `received` came.
    private func missing(in milliseconds: Double, _ received: Int) -> Int64 {
        let intervals = Int64(min(Double(Int32.max), (milliseconds / usual.interval).rounded()))
        let expected = intervals * Int64(usual.rows)
        let missing = max(0, expected - Int64(received))
        return missing * Self.partOfRate <= expected ? 0 : missing
    }

    private static func median<Number: Comparable>(_ numbers: [Number]) -> Number {
        numbers.sorted()[numbers.count / 2]
    }
}

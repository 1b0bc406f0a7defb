/// Tells missing and repeated rows of a meter that sends one row for each request.
struct RequestFinder: Sendable {
    /// The number of recent rows, and of those among them that nobody asked for, from which on requests are taken to
    /// be unheard: another program asks this meter, or it sends without being asked.
    private static let (historyCount, surplusLimit) = (8, 3)
    /// The number of intervals for which an answer counts as late and not as one more.
    private static let lateIntervals: Int64 = 4

    /// The time between two requests, in milliseconds.
    let interval: Int64
    /// Whether requests were sent and are answered.
    var isHeard: Bool { hasAsked && !isGivenUp }

    /// Whether one of them was.
    var isAnswered: Bool { isHeard && last != nil }

    private var hasAsked = false
    private var isGivenUp = false
    private var outstanding = 0
    private var lastRequest: Int64?
    /// The rows for which the host did not ask since the last one, as it was stopped.
    private var unasked: Int64 = 0
    private var last: [Int64]?
    /// The marks of the last intervals whose rows may still come.
    private var late: [MarkChange] = []
    private var lateUntil: Int64 = 0
    /// Of the recent rows, whether nobody asked for them.
    private var surplus: [Bool] = []
    /// Of the recent answers, whether they were equal to the row before.
    private var equal: [Bool] = []

    init(everyMilliseconds interval: Int64) { self.interval = max(1, interval) }

    /// Counts requests that were sent until `time`. A host that was stopped sent none for long before.
    mutating func sent(_ count: Int, at time: Int64) {
        guard count > 0 else { return }
        let intervals = Double(time &- (lastRequest ?? time)) / Double(interval)
        if intervals > RateFinder.tellingIntervals { unasked += Int64(intervals.rounded()) - Int64(count) }
        hasAsked = true
        lastRequest = time
        outstanding += count
    }

    /// Takes note of a row that others judge.
    mutating func skip() { (outstanding, unasked, last) = (0, 0, nil) }

    /// Judges the next row, which has number `row` unless it is a repeat, and is the first of `count` rows that are left
    /// of its reception.
    ///
    /// - Returns: `false` if it is a repeat of the row before.
    mutating func next(
        _ values: ArraySlice<Int64>, of count: Int, at time: Int64, row: UInt64, _ changes: inout [MarkChange]
    ) -> Bool {
        guard let last else {
            (outstanding, unasked) = (0, 0)
            self.last = Array(values)
            return true
        }
        let isEqual = values.elementsEqual(last)
        // Of more rows than were requested, the one that came before already answers nothing.
        let isRepeat = isEqual && count > outstanding && !equal.contains(true)
        if outstanding == 0 || isRepeat {
            guard takesSurplus(isEqual, at: time, &changes) else { return false }
        } else {
            Self.note(false, &surplus)
            Self.note(isEqual, &equal)
            tell(Int64(outstanding - 1), at: time, row, &changes)
            outstanding = 0
        }
        self.last = Array(values)
        return true
    }

    /// Tells the requests that got no answer when no more rows come, before row `row`.
    mutating func end(row: UInt64, _ changes: inout [MarkChange]) {
        if last != nil, outstanding > 1 {
            changes.append(MarkChange(.unanswered, before: row, by: Int64(outstanding - 1)))
        }
        outstanding = 0
    }

    private mutating func tell(_ open: Int64, at time: Int64, _ row: UInt64, _ changes: inout [MarkChange]) {
        if unasked > 0 { changes.append(MarkChange(.estimated, before: row, by: unasked)) }
        unasked = 0
        guard open > 0 else { return }
        let mark = MarkChange(.unanswered, before: row, by: open)
        changes.append(mark)
        late.append(mark)
        lateUntil = time &+ Self.lateIntervals * interval
    }

    /// Judges a row that answers no open request: a late answer, a repeat, or one more row.
    private mutating func takesSurplus(_ isEqual: Bool, at time: Int64, _ changes: inout [MarkChange]) -> Bool {
        if time > lateUntil { late.removeAll(keepingCapacity: true) }
        // Equal rows prove a repeat only where the answers differ.
        if let mark = late.last, !isEqual || equal.contains(true) {
            changes.append(MarkChange(mark.kind, before: mark.row, by: -1))
            late[late.count - 1].change -= 1
            if mark.change == 1 { late.removeLast() }
            return true
        }
        Self.note(true, &surplus)
        if surplus.lazy.filter({ $0 }).count >= Self.surplusLimit { isGivenUp = true }
        return !isEqual
    }

    private static func note(_ value: Bool, _ history: inout [Bool]) {
        if history.count == historyCount { history.removeFirst() }
        history.append(value)
    }
}

import GroundwaveMetering

/// Judges the rows of a recording, one after the other, until one of them meets a condition.
///
/// Rows are judged with the gaps that are known when they come.
struct StopJudge: Sendable {
    /// The condition that was met; `nil` until then.
    private(set) var met: StopCondition?

    private let conditions: [StopCondition]
    /// The number of the first row that was not judged.
    private var next: UInt64 = 0
    /// The state behind the rows that are in the log.
    private var state: State
    /// The summary of these rows.
    private var sealed = JoinedSummary()

    private struct State {
        /// The time of the first row.
        var start: Int64?
        /// For each condition, since when its channel has had such a value; `nil` if the last value is another one.
        var since: [Int64?]
    }

    /// Begins to judge by `conditions`, of which the first that is met ends the recording.
    init(_ conditions: [StopCondition]) {
        self.conditions = conditions
        state = State(since: conditions.map { _ in nil })
    }

    /// Judges those of `rows` that were not judged before.
    ///
    /// - Parameters:
    ///   - rows: All rows that are not in the log yet.
    ///   - before: The row before them, if there is one.
    /// - Returns: The number of `rows` up to the one that meets a condition, itself included; `nil` if none does.
    /// - Complexity: O(rows).
    mutating func judge(_ rows: TraceRows, after before: RowBefore?) -> Int? {
        guard met == nil, !conditions.isEmpty else { return nil }
        let judged = Int(next - rows.first)
        next = rows.first + UInt64(rows.count)
        guard judged < rows.count else { return nil }
        var state = state
        let byValue = fold(rows, into: &state, from: judged)
        let byTotals = conditions.enumerated().compactMap { index, condition in
            row(at: condition.rule, of: rows, after: before, from: judged).map { (row: $0, index: index) }
        }
        guard let first = (byTotals + [byValue].compactMap { $0 }).min(by: { ($0.row, $0.index) < ($1.row, $1.index) })
        else { return nil }
        met = conditions[first.index]
        return first.row + 1
    }

    /// Takes note of `rows` that are in the log now.
    mutating func seal(_ rows: TraceRows, after before: RowBefore?) {
        if conditions.isEmpty { return }
        _ = fold(rows, into: &state, from: rows.count)
        sealed.append(JoinedSummary(BlockSummary(of: rows, after: before)))
    }

    /// Takes `rows` into `state`, and returns the first one from `judged` on that meets a condition by time or value.
    private func fold(_ rows: TraceRows, into state: inout State, from judged: Int) -> (row: Int, index: Int)? {
        let columns = conditions.map { condition in rows.layout.channels.firstIndex { $0.name == condition.channel } }
        let gaps = Set(rows.marks.lazy.filter { $0.kind.isGap }.map(\.row))
        for row in 0..<rows.count {
            let time = rows.times[row]
            let start = state.start ?? time
            state.start = start
            if gaps.contains(row) { state.since = state.since.map { _ in nil } }
            for (index, condition) in conditions.enumerated() {
                var isMet = false
                switch condition.rule {
                case .elapsed(let span): isMet = time &- start >= span
                case .value(_, let comparison, let limit, let lasting):
                    guard let column = columns[index], rows.has(column, at: row) else { continue }
                    let decimals = rows.layout.channels[column].decimals
                    let value = ExactNumber(Int128(rows.columns[column][row]), decimals: decimals)
                    let since = comparison.holds(value, limit) ? state.since[index] ?? time : nil
                    state.since[index] = since
                    isMet = since.map { time &- $0 >= lasting } ?? false
                case .charge, .energy: continue
                }
                if isMet, row >= judged { return (row, index) }
            }
        }
        // The mark of a gap is in the block of the row before it, if that was sealed first.
        if gaps.contains(rows.count) { state.since = state.since.map { _ in nil } }
        return nil
    }

    /// Returns the row from `judged` on at which the charge or the energy reaches the limit of `rule`, if it has at the
    /// last one.
    private func row(
        at rule: StopCondition.Rule, of rows: TraceRows, after before: RowBefore?, from judged: Int
    ) -> Int? {
        func isReached(_ count: Int) -> Bool {
            let head = count == rows.count ? rows : rows.split(at: count).0
            let parts = sealed.parts + [BlockSummary(of: head, after: before)]
            return switch rule {
            case .charge(let limit): ExactNumber.ampereHours(parts) >= limit
            case .energy(let limit): ExactNumber.wattHours(parts) >= limit
            case .elapsed, .value: false
            }
        }
        guard isReached(rows.count) else { return nil }
        var (low, high) = (judged, rows.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if isReached(middle + 1) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension StopCondition.Comparison {
    func holds(_ value: ExactNumber, _ limit: ExactNumber) -> Bool {
        switch self {
        case .less: value < limit
        case .atMost: value <= limit
        case .greater: value > limit
        case .atLeast: value >= limit
        }
    }
}

extension ExactNumber {
    /// Twice the milliseconds of an hour: what a total is counted in, see ``Totals``.
    private static let hour: Int128 = 2 * 3_600_000

    /// The charge of `parts`, in ampere hours, without its sign, rounded down.
    static func ampereHours(_ parts: [BlockSummary]) -> ExactNumber {
        sum(parts) { part in part.layout.currentChannel.map { (part.totals.charge, part.layout.channels[$0].decimals) }
        }
    }

    /// The energy of `parts`, in watt hours, without its sign, rounded down.
    static func wattHours(_ parts: [BlockSummary]) -> ExactNumber {
        sum(parts) { part in
            guard let current = part.layout.currentChannel, let voltage = part.layout.voltageChannel else { return nil }
            return (part.totals.energy, part.layout.channels[current].decimals + part.layout.channels[voltage].decimals)
        }
    }

    private static func sum(_ parts: [BlockSummary], _ total: (BlockSummary) -> (Int128, decimals: Int)?) -> ExactNumber
    {
        let doubled = parts.compactMap(total).reduce(0) { $0 &+ ExactNumber($1.0, decimals: $1.decimals).units }
        return ExactNumber(Int128((doubled / hour).magnitude), decimals: decimals)
    }
}

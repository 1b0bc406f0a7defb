/// Rows of one layout that are not in the log yet, with what happened between them.
///
/// Pure: whoever owns it makes what it holds durable.
public struct OpenBlock: Sendable {
    /// The rows, the first of them the next one of the trace.
    public private(set) var rows: TraceRows
    private var finder: GapFinder
    /// The steps that were called gaps and may turn out to be a new rate: places of their marks.
    private var doubtful: [Int] = []

    /// An empty block that begins with row `first` of a trace.
    public init(_ layout: Layout, first: UInt64) {
        rows = TraceRows(layout, first: first)
        finder = GapFinder(layout)
    }

    /// Adds a row that reached the host at `time`, in milliseconds since 1970; one that came again is counted only.
    ///
    /// - Parameters:
    ///   - values: One a channel.
    ///   - tick: The meter's counter, where the layout has one.
    public mutating func append(_ values: ArraySlice<Int64>, tick: UInt32?, at time: Int64) {
        guard case .row(let tick, let events) = finder.next(tick: tick, time: time) else { return }
        for event in events {
            switch event.kind {
            case .gap: doubtful.append(rows.marks.count)
            case .rate: forgetDoubtful()
            case .repeats: break
            }
            rows.marks.append(Mark(event.kind, before: rows.count, count: event.count))
        }
        if !events.contains(where: { $0.kind == .gap }) { doubtful.removeAll(keepingCapacity: true) }
        rows.times.append(time)
        if rows.layout.tick != nil { rows.ticks.append(tick) }
        for (column, value) in zip(rows.columns.indices, values) { rows.columns[column].append(value) }
    }

    /// Adds rows that were recorded elsewhere, with what happened between them; they get the next numbers.
    ///
    /// - Returns: `false` where they have another layout; then nothing was added.
    public mutating func append(_ recorded: TraceRows) -> Bool {
        guard recorded.layout == rows.layout else { return false }
        var next = TraceRows(recorded.layout, first: rows.first + UInt64(rows.count))
        (next.times, next.ticks, next.columns) = (recorded.times, recorded.ticks, recorded.columns)
        next.marks = recorded.marks
        rows.append(next)
        return true
    }

    /// Says that no more rows come: what came again at the end is told behind the last row.
    public mutating func end() {
        if let event = finder.end(), rows.count > 0 {
            rows.marks.append(Mark(event.kind, before: rows.count, count: event.count))
        }
    }

    /// Steps that have made a new rate were no gaps.
    private mutating func forgetDoubtful() {
        let last = doubtful.suffix(GapFinder.stepsOfRate - 1)
        for place in last.reversed() { rows.marks.remove(at: place) }
        doubtful.removeAll(keepingCapacity: true)
    }

    /// Takes out the first `count` rows; the others stay, and go on from there.
    public mutating func removeFirst(_ count: Int) -> TraceRows {
        let (head, tail) = rows.split(at: count)
        rows = tail
        doubtful.removeAll(keepingCapacity: true)
        return head
    }
}

extension TraceRows {
    /// The first `count` rows, and the others.
    public func split(at count: Int) -> (TraceRows, TraceRows) {
        var head = TraceRows(layout, first: first)
        var tail = TraceRows(layout, first: first + UInt64(count))
        (head.times, tail.times) = (Array(times[..<count]), Array(times[count...]))
        if layout.tick != nil { (head.ticks, tail.ticks) = (Array(ticks[..<count]), Array(ticks[count...])) }
        for column in columns.indices {
            head.columns[column] = Array(columns[column][..<count])
            tail.columns[column] = Array(columns[column][count...])
        }
        let isAll = count == self.count
        head.marks = isAll ? marks : marks.filter { $0.row < count }
        tail.marks =
            isAll
            ? []
            : marks.filter { $0.row >= count }.map {
                Mark($0.kind, before: $0.row - count, count: $0.count)
            }
        return (head, tail)
    }
}

/// Rows of one layout that are not in the log yet, with the marks between them.
///
/// Does no I/O: its owner makes the rows durable.
public struct OpenBlock: Sendable {
    /// The rows, the first of them the next one of the trace.
    public private(set) var rows: TraceRows
    private var finder: GapFinder
    /// The indices of recent gap marks that may turn out to be a new rate.
    private var doubtful: [Int] = []

    /// Creates an empty block that begins with row `first` of a trace.
    public init(_ layout: Layout, first: UInt64) {
        rows = TraceRows(layout, first: first)
        finder = GapFinder(layout)
    }

    /// Appends a row that reached the host at `time`, in milliseconds since 1970; a repeat is only counted.
    ///
    /// - Parameters:
    ///   - values: One per channel.
    ///   - tick: The meter's counter, if the layout has one.
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

    /// Appends rows that were recorded elsewhere, with the marks between them; they get the next numbers.
    ///
    /// - Returns: `false` if they have another layout; then nothing was appended.
    public mutating func append(_ recorded: TraceRows) -> Bool {
        guard recorded.layout == rows.layout else { return false }
        var next = TraceRows(recorded.layout, first: rows.first + UInt64(rows.count))
        (next.times, next.ticks, next.columns) = (recorded.times, recorded.ticks, recorded.columns)
        next.marks = recorded.marks
        rows.append(next)
        return true
    }

    /// Ends the block: repeats after the last row become a mark after it.
    public mutating func end() {
        if let event = finder.end(), rows.count > 0 {
            rows.marks.append(Mark(event.kind, before: rows.count, count: event.count))
        }
    }

    /// Removes the marks of recent gaps that turned out to be a new rate.
    private mutating func forgetDoubtful() {
        let last = doubtful.suffix(GapFinder.stepsOfRate - 1)
        for index in last.reversed() { rows.marks.remove(at: index) }
        doubtful.removeAll(keepingCapacity: true)
    }

    /// Removes and returns the first `count` rows; the others stay, with their numbers.
    public mutating func removeFirst(_ count: Int) -> TraceRows {
        let (head, tail) = rows.split(at: count)
        rows = tail
        doubtful.removeAll(keepingCapacity: true)
        return head
    }
}

extension TraceRows {
    /// Returns the first `count` rows and the rest. Marks after the last row go with it.
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

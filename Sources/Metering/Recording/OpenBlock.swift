/// Rows of one layout that are not in the log yet, with the marks between them.
///
/// Does no I/O: its owner makes the rows durable.
public struct OpenBlock: Sendable {
    /// The rows, the first of them the next one of the trace.
    public private(set) var rows: TraceRows

    /// Creates an empty block that begins with row `first` of a trace.
    public init(_ layout: Layout, first: UInt64) { rows = TraceRows(layout, first: first) }

    /// Appends a row of the time `time`, in milliseconds since 1970.
    ///
    /// - Parameters:
    ///   - values: One per channel.
    ///   - tick: The meter's counter without overflows, if the layout has one.
    public mutating func append(_ values: ArraySlice<Int64>, tick: Int64, at time: Int64) {
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

    /// Makes a change of the marks before a row of this block, or behind its last row.
    ///
    /// - Returns: Whether the row is in this block. If not, nothing was changed.
    package mutating func make(_ change: MarkChange) -> Bool {
        guard change.row >= rows.first, change.row - rows.first <= UInt64(rows.count) else { return false }
        let row = Int(change.row - rows.first)
        let behind = rows.marks.lastIndex { $0.row <= row }.map { $0 + 1 } ?? 0
        let same = rows.marks[..<behind].lastIndex { $0.row < row || $0.kind == change.kind }
        if let same, rows.marks[same].row == row {
            let count = rows.marks[same].count &+ UInt64(bitPattern: change.change)
            rows.marks[same] = Mark(change.kind, before: row, count: count)
            if count == 0 { rows.marks.remove(at: same) }
        } else if change.change > 0 {
            rows.marks.insert(Mark(change.kind, before: row, count: UInt64(change.change)), at: behind)
        }
        return true
    }

    /// Removes all rows but the first `count`, and the marks behind these.
    package mutating func keepFirst(_ count: Int) { rows = rows.split(at: count).0 }

    /// Removes and returns the first `count` rows; the others stay, with their numbers.
    public mutating func removeFirst(_ count: Int) -> TraceRows {
        let (head, tail) = rows.split(at: count)
        rows = tail
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

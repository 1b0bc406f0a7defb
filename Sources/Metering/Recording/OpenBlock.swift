/// Rows that are not in the log yet, with the marks between them.
///
/// Does no I/O: its owner makes the rows durable.
public struct OpenBlock: Sendable {
    /// Where the values of rows of one layout go.
    private struct Part {
        let layout: Layout
        /// For each channel of the block, its index in the row and the factor of its values.
        let sources: [(column: Int, factor: Int64)?]
        let pattern: RowPattern
        /// Whether rows of the layout have all channels of the block, as they are.
        let isWhole: Bool
        let isScaled: Bool

        init(_ layout: Layout, in union: Layout) {
            self.layout = layout
            sources = union.sources(in: layout)
            pattern = RowPattern(all: layout).moved(to: sources)
            isWhole = union == layout
            isScaled = sources.contains { $0.map { $0.factor != 1 } ?? false }
        }
    }

    /// The rows, the first of them the next one of the trace.
    public private(set) var rows: TraceRows
    /// The layouts of rows so far, and the place of the present one among them.
    private var parts: [Part]
    private var part = 0
    private var all: RowPattern

    /// Creates an empty block that begins with row `first` of a trace.
    public init(_ layout: Layout, first: UInt64) {
        rows = TraceRows(layout, first: first)
        parts = [Part(layout, in: layout)]
        all = RowPattern(all: layout)
    }

    /// Prepares for rows of `layout`: the block gets the channels that it lacks.
    ///
    /// - Returns: `false` if one layout cannot hold these rows and those in the block; then nothing was changed.
    public mutating func adopt(_ layout: Layout) -> Bool {
        if parts[part].layout == layout { return true }
        if let known = parts.firstIndex(where: { $0.layout == layout }) {
            part = known
            return true
        }
        guard let union = rows.layout.union(layout), rows.extend(to: union) else { return false }
        all = RowPattern(all: union)
        parts = (parts.map(\.layout) + [layout]).map { Part($0, in: union) }
        part = parts.count - 1
        return true
    }

    /// Returns whether the block has room for `values` of the layout that it was prepared for: they do not exceed 64 bits
    /// in the finer decimals of other rows.
    @inline(__always)
    public func holds(_ values: ArraySlice<Int64>) -> Bool {
        if !parts[part].isScaled { return true }
        return parts[part].sources.allSatisfy { source in
            source.map { !values[values.startIndex + $0.column].multipliedReportingOverflow(by: $0.factor).overflow }
                ?? true
        }
    }

    /// Appends a row of the time `time`, in milliseconds since 1970, and of the layout that the block was prepared for.
    ///
    /// - Parameters:
    ///   - values: One per channel of that layout: see ``holds(_:)``.
    ///   - tick: The meter's counter without overflows, if that layout has one, else 0.
    public mutating func append(_ values: ArraySlice<Int64>, tick: Int64, at time: Int64) {
        rows.times.append(time)
        if rows.layout.tick != nil { rows.ticks.append(tick) }
        if parts[part].isWhole {
            for (column, value) in zip(rows.columns.indices, values) { rows.columns[column].append(value) }
        } else {
            for (column, source) in parts[part].sources.enumerated() {
                rows.columns[column].append(
                    source.map { values[values.startIndex + $0.column] &* $0.factor } ?? 0)
            }
        }
        rows.append(pattern: parts[part].pattern, all: all)
    }

    /// Appends rows that were recorded elsewhere, with the marks between them; they get the next numbers.
    ///
    /// - Returns: `false` if one layout cannot hold these rows and those in the block; then nothing was appended.
    public mutating func append(_ recorded: TraceRows) -> Bool {
        var next = TraceRows(recorded.layout, first: rows.first + UInt64(rows.count))
        (next.times, next.ticks, next.columns) = (recorded.times, recorded.ticks, recorded.columns)
        (next.patterns, next.marks) = (recorded.patterns, recorded.marks)
        return adopt(recorded.layout) && rows.append(next)
    }

    /// Makes a change of the marks before a row of this block, or behind its last row.
    ///
    /// - Returns: Whether the row is in this block. If not, nothing was changed.
    package mutating func make(_ change: MarkChange) -> Bool { rows.make(change) }

    /// Removes all rows but the first `count`, and the marks behind these.
    package mutating func keepFirst(_ count: Int) { rows = rows.split(at: count).0 }

    /// Removes and returns the first `count` rows; the others stay, with their numbers.
    public mutating func removeFirst(_ count: Int) -> TraceRows {
        let (head, tail) = rows.split(at: count)
        rows = tail
        return head
    }
}

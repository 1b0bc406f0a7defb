import GroundwaveMetering

/// Selects the requested channels and rows from ``TraceRows``.
struct RowSelection {
    /// The layout of the selected rows.
    private(set) var layout: Layout
    private var places: [Int] = []
    private let names: [String]?
    private let every: Int
    // The number of rows to skip before the next selected row.
    private var left = 0
    /// The rows missing and repeated since the last selected row.
    private(set) var pending = PendingNote()

    /// Creates a selection by `options` from rows of `layout`.
    init(_ layout: Layout, _ options: TraceExportOptions) throws(TraceExportError) {
        (names, every, self.layout) = (options.channels, options.every, layout)
        try change(to: layout)
    }

    /// Applies the same selection to rows of another layout from here on.
    mutating func change(to layout: Layout) throws(TraceExportError) {
        guard let names else {
            places = Array(layout.channels.indices)
            self.layout = layout
            return try ColumnNames.check(layout)
        }
        places = []
        for name in names {
            guard let index = layout.channels.firstIndex(where: { $0.name == name }) else {
                throw .unknownChannel(name, available: layout.channels.map(\.name))
            }
            places.append(index)
        }
        self.layout = Layout(places.map { layout.channels[$0] }, tick: layout.tick)
        try ColumnNames.check(self.layout)
    }

    /// Returns the selected rows of `rows`.
    ///
    /// - Complexity: O(marks) if all rows are selected.
    mutating func select(_ rows: TraceRows) -> ExportRows {
        precondition(rows.columns.allSatisfy { $0.count == rows.count }, "All columns have a value for each row.")
        precondition(
            rows.ticks.count == (layout.tick == nil ? 0 : rows.count), "Rows have a tick as their layout says.")
        var selected = ExportRows(channelCount: places.count)
        (selected.first, selected.every) = (rows.first &+ UInt64(left), every)
        if every == 1 {
            selected.times = rows.times
            selected.ticks = rows.ticks
            for (column, index) in places.enumerated() { selected.columns[column] = rows.columns[index] }
        }
        var mark = 0
        var row = 0
        while row < rows.count {
            while mark < rows.marks.count, rows.marks[mark].row <= row {
                pending.add(rows.marks[mark])
                mark += 1
            }
            if every > 1 {
                if left == 0 { append(row, of: rows, to: &selected) }
                left = left == 0 ? every - 1 : left - 1
                row += 1
            } else {
                if !pending.isEmpty {
                    let note = pending.take()
                    selected.notes.append(.init(row: row, missing: note.missing, repeats: note.repeats))
                }
                row = mark < rows.marks.count ? min(rows.marks[mark].row, rows.count) : rows.count
            }
        }
        for mark in rows.marks[mark...] { pending.add(mark) }
        return selected
    }

    private mutating func append(_ row: Int, of rows: TraceRows, to selected: inout ExportRows) {
        selected.note(pending.take())
        selected.times.append(rows.times[row])
        if layout.tick != nil { selected.ticks.append(rows.ticks[row]) }
        for (column, index) in places.enumerated() { selected.columns[column].append(rows.columns[index][row]) }
    }
}

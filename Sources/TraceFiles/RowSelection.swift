import GroundwaveMetering

/// Selects the requested channels and rows from ``TraceRows`` of several layouts, as rows of one layout.
///
/// Values are scaled to the decimals of that layout. Rows that have none of its channels are left out; what was missing
/// or repeated before them is counted with the next row.
struct RowSelection {
    /// The layout of the selected rows.
    private(set) var layout: Layout
    private let names: [String]?
    private let every: Int
    // The number of rows to skip before the next selected row.
    private var left = 0
    /// The rows missing and repeated since the last selected row.
    private(set) var pending = PendingNote()
    // The number of rows selected so far.
    private var count: UInt64 = 0
    // The layout of the rows seen last, and where in it each channel is.
    private var part: Layout?
    private var sources: [(column: Int, factor: Int64)?] = []

    /// Creates a selection by `options` from rows whose channels `union` has.
    init(_ union: Layout, _ options: TraceExportOptions) throws(TraceExportError) {
        (names, every, layout) = (options.channels, options.every, union)
        try change(to: union)
    }

    /// Selects rows with the channels of `part` from here on.
    mutating func change(to part: Layout) throws(TraceExportError) {
        layout = Layout(wanted(in: part), tick: part.tick)
        self.part = nil
        try ColumnNames.check(layout)
    }

    /// Returns the requested channels of `part`, in the order of the request.
    private func wanted(in part: Layout) -> [Channel] {
        guard let names else { return part.channels }
        return names.compactMap { name in part.channels.first { $0.name == name } }
    }

    /// Prepares for rows of `part`. Returns whether ``layout`` has their counter, and holds all of their requested
    /// channels.
    mutating func adopt(_ part: Layout) -> Bool {
        if part == self.part { return true }
        let found = layout.sources(in: part)
        let foundCount = found.count(where: { $0 != nil })
        guard foundCount == wanted(in: part).count,
            foundCount == 0 || part.tick == nil || part.tick == layout.tick
        else { return false }
        (self.part, sources) = (part, found)
        return true
    }

    /// Returns the selected rows of `rows`.
    ///
    /// - Throws: ``TraceExportError/layoutChanged(row:)`` if ``adopt(_:)`` refuses their layout;
    ///   ``TraceExportError/value(_:row:reason:)`` if a value with more decimals exceeds 64 bits.
    /// - Complexity: O(marks) if all rows and channels are selected as they are.
    mutating func select(_ rows: TraceRows) throws(TraceExportError) -> ExportRows {
        guard adopt(rows.layout) else { throw .layoutChanged(row: rows.first) }
        precondition(rows.columns.allSatisfy { $0.count == rows.count }, "All columns have a value for each row.")
        precondition(
            rows.ticks.count == (rows.layout.tick == nil ? 0 : rows.count), "Rows have a tick as their layout says.")
        var selected = ExportRows(channelCount: sources.count)
        selected.first = rows.first
        let whole = RowPattern(all: rows.layout).moved(to: sources)
        let patterns = moved(rows.patterns)
        let isAll = every == 1 && (patterns.isEmpty ? whole.hasChannels : patterns.allSatisfy(\.hasChannels))
        let places = note(rows, in: &selected, isAll: isAll) { row in
            patterns.isEmpty ? whole.hasChannels : patterns[row].hasChannels
        }
        selected.places = places
        func pick<Value>(_ values: [Value]) -> [Value] { places.map { $0.map { values[$0] } } ?? values }
        selected.times = pick(rows.times)
        if selected.count == 0 { return selected }
        let absent = Array(repeating: Int64(0), count: selected.count)
        if layout.tick != nil { selected.ticks = rows.layout.tick == nil ? absent : pick(rows.ticks) }
        for (column, source) in sources.enumerated() {
            guard let source else {
                selected.columns[column] = absent
                continue
            }
            selected.columns[column] = try scaled(pick(rows.columns[source.column]), by: source.factor, column)
        }
        if !patterns.isEmpty {
            selected.patterns = pick(patterns)
        } else if whole != RowPattern(all: layout) {
            selected.patterns = Array(repeating: whole, count: selected.count)
        }
        count += UInt64(selected.count)
        return selected
    }

    /// Returns the patterns that rows of the present layout have as selected rows.
    private func moved(_ patterns: [RowPattern]) -> [RowPattern] {
        var known: (from: RowPattern, to: RowPattern)?
        return patterns.map { pattern in
            if let known, known.from == pattern { return known.to }
            let moved = pattern.moved(to: sources)
            known = (pattern, moved)
            return moved
        }
    }

    /// Adds the notes of `rows` to the selected ones of them, and returns their places, or `nil` if `isAll` is true. Rows
    /// for which `isWanted` returns `false` are left out.
    private mutating func note(
        _ rows: TraceRows, in selected: inout ExportRows, isAll: Bool, where isWanted: (Int) -> Bool
    ) -> [Int]? {
        var places: [Int] = []
        var mark = 0
        var row = 0
        while row < rows.count {
            while mark < rows.marks.count, rows.marks[mark].row <= row {
                pending.add(rows.marks[mark])
                mark += 1
            }
            if isAll {
                selected.note(pending.take(), at: row)
                row = mark < rows.marks.count ? min(rows.marks[mark].row, rows.count) : rows.count
                continue
            }
            if left == 0, isWanted(row) {
                selected.note(pending.take(), at: places.count)
                places.append(row)
            }
            left = left == 0 ? every - 1 : left - 1
            row += 1
        }
        for mark in rows.marks[mark...] { pending.add(mark) }
        return isAll ? nil : places
    }

    /// Returns `values` of `column` times `factor`.
    private func scaled(_ values: [Int64], by factor: Int64, _ column: Int) throws(TraceExportError) -> [Int64] {
        if factor == 1 { return values }
        var scaled: [Int64] = []
        scaled.reserveCapacity(values.count)
        for value in values {
            let (product, overflow) = value.multipliedReportingOverflow(by: factor)
            if overflow {
                throw .value(
                    ColumnNames.column(layout.channels[column]), row: count + UInt64(scaled.count),
                    reason: "with the decimals of other rows it exceeds 64 bits")
            }
            scaled.append(product)
        }
        return scaled
    }
}

// Rows with different channels: how they are joined, cut and brought into the smallest layout that has them.

extension TraceRows {
    /// Appends the pattern of the row that was appended last.
    package mutating func append(pattern: RowPattern, all: RowPattern) {
        if patterns.isEmpty {
            if pattern == all { return }
            patterns = Array(repeating: all, count: count - 1)
        }
        patterns.append(pattern)
    }

    /// Gives these rows the channels of `union`, which has all of theirs, none with fewer decimals. The rows lack those
    /// that are new.
    ///
    /// - Returns: `false` if a value exceeds 64 bits in the finer decimals; then nothing was changed.
    mutating func extend(to union: Layout) -> Bool {
        if union == layout { return true }
        let sources = union.sources(in: layout)
        var extended: [[Int64]] = []
        for source in sources {
            guard let source else {
                extended.append(Array(repeating: 0, count: count))
                continue
            }
            guard let values = columns[source.column].multiplied(by: source.factor) else { return false }
            extended.append(values)
        }
        let (before, all) = (RowPattern(all: layout), RowPattern(all: union))
        if !patterns.isEmpty {
            patterns = patterns.map { $0.moved(to: sources) }
        } else if before.moved(to: sources) != all {
            patterns = Array(repeating: before.moved(to: sources), count: count)
        }
        if layout.tick == nil, union.tick != nil { ticks = Array(repeating: 0, count: count) }
        (layout, columns) = (union, extended)
        return true
    }

    /// Appends rows that have the next numbers, with the marks between them. The layout becomes the union of both.
    ///
    /// - Returns: `false` if their numbers do not follow, or if one layout cannot hold both: a name has two units, the
    ///   counters differ, there are too many channels, or a value exceeds 64 bits in the finer decimals. Then nothing was
    ///   changed.
    public mutating func append(_ next: TraceRows) -> Bool {
        guard next.first == first &+ UInt64(count), let union = layout.union(next.layout) else { return false }
        var next = next
        guard next.extend(to: union), extend(to: union) else { return false }
        if !(patterns.isEmpty && next.patterns.isEmpty) {
            let all = RowPattern(all: union)
            if patterns.isEmpty { patterns = Array(repeating: all, count: count) }
            patterns += next.patterns.isEmpty ? Array(repeating: all, count: next.count) : next.patterns
        }
        marks += next.marks.map { Mark($0.kind, before: $0.row + count, count: $0.count) }
        times += next.times
        ticks += next.ticks
        for column in columns.indices { columns[column] += next.columns[column] }
        return true
    }

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
        if !patterns.isEmpty { (head.patterns, tail.patterns) = (Array(patterns[..<count]), Array(patterns[count...])) }
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

    /// Returns these rows without the channels, and the counter, that no row has.
    package func compacted() -> TraceRows {
        guard let first = patterns.first else { return self }
        let used = patterns.reduce(first) { $0.union($1) }
        let kept = columns.indices.filter { used.has($0) }
        precondition(!kept.isEmpty, "A row has a channel.")
        var rows = self
        rows.layout = Layout(kept.map { layout.channels[$0] }, tick: used.hasTick ? layout.tick : nil)
        if !used.hasTick { rows.ticks = [] }
        rows.columns = kept.map { columns[$0] }
        let sources = kept.map { (column: $0, factor: Int64(1)) as (column: Int, factor: Int64)? }
        let moved = patterns.map { $0.moved(to: sources) }
        let all = RowPattern(all: rows.layout)
        rows.patterns = moved.allSatisfy { $0 == all } ? [] : moved
        return rows
    }

    /// The patterns of the rows, each once, in order of the last row that has it; empty if every row has all.
    var patternsByLastRow: [RowPattern] {
        var (known, found) = (Set<RowPattern>(), [RowPattern]())
        for pattern in patterns.reversed() where pattern != found.last && known.insert(pattern).inserted {
            found.append(pattern)
        }
        return found.reversed()
    }

    /// Returns the number of the first rows that have at most `limit` patterns.
    func count(ofPatterns limit: Int) -> Int {
        if patterns.count <= limit { return count }
        var known = Set<RowPattern>()
        return patterns.firstIndex { known.insert($0).inserted && known.count > limit } ?? count
    }

    /// Returns the summary of the values that the rows of `range` have of `channel`; `nil` if none has one.
    public func cell(_ channel: Int, in range: Range<Int>) -> Cell? {
        if patterns.isEmpty { return Cell(columns[channel][range]) }
        return Cell(range.lazy.filter { patterns[$0].has(channel) }.map { columns[channel][$0] })
    }
}

extension [Int64] {
    /// Returns the values times `factor`; `nil` if one exceeds 64 bits.
    package func multiplied(by factor: Int64) -> [Int64]? {
        if factor == 1 { return self }
        var products: [Int64] = []
        products.reserveCapacity(count)
        for value in self {
            let (product, overflow) = value.multipliedReportingOverflow(by: factor)
            if overflow { return nil }
            products.append(product)
        }
        return products
    }
}

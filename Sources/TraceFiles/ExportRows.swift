import GroundwaveMetering

/// Rows to be written to a file: the selection from ``TraceRows``, with the rows missing or repeated before them.
package struct ExportRows {
    /// The rows missing and repeated before a row.
    package struct Note: Hashable {
        package let row: Int
        package var missing: UInt64
        package var repeats: UInt64
    }

    /// The number in the trace of the first of the rows that these were selected from; `nil` if rows are means.
    var first: UInt64?
    /// The places of these rows among them; `nil` if these are all.
    var places: [Int]?
    package var times: [Int64] = []
    /// The counters; empty if the layout has none.
    package var ticks: [Int64] = []
    package var columns: [[Int64]]
    /// Which values each row has; empty if every row has all. The values that a row lacks are there and mean nothing.
    package var patterns: [RowPattern] = []
    /// The notes in order of row, at most one for each row, none with two zeros.
    package var notes: [Note] = []

    /// Creates no rows of `channelCount` channels.
    init(channelCount: Int) { columns = Array(repeating: [], count: channelCount) }

    package var count: Int { times.count }

    /// Returns whether `row` has a value in `column`.
    package func has(_ column: Int, at row: Int) -> Bool { patterns.isEmpty || patterns[row].has(column) }

    /// Returns the counter at `row`; `nil` if it has none.
    package func tick(at row: Int) -> Int64? { hasTick(at: row) ? ticks[row] : nil }

    /// Returns whether `row` has a counter.
    func hasTick(at row: Int) -> Bool { !ticks.isEmpty && (patterns.isEmpty || patterns[row].hasTick) }

    /// Returns the number of a row in the trace; `nil` for means.
    package func number(of row: Int) -> UInt64? { first.map { $0 &+ UInt64(places?[row] ?? row) } }

    /// Appends the pattern of the row that was appended last; that of a row with everything is `all`.
    mutating func append(pattern: RowPattern, all: RowPattern) {
        if patterns.isEmpty {
            if pattern == all { return }
            patterns = Array(repeating: all, count: count - 1)
        }
        patterns.append(pattern)
    }

    /// Adds a note to `row`, which comes after those with notes so far.
    mutating func note(_ pending: PendingNote, at row: Int) {
        if pending.isEmpty { return }
        notes.append(Note(row: row, missing: pending.missing, repeats: pending.repeats))
    }
}

/// The rows missing and repeated since the last written row. Counts saturate instead of wrapping.
struct PendingNote: Hashable {
    var missing: UInt64 = 0
    var repeats: UInt64 = 0

    var isEmpty: Bool { missing == 0 && repeats == 0 }

    mutating func add(_ mark: Mark) {
        switch mark.kind {
        case .gap, .unanswered, .estimated: missing = Self.sum(missing, mark.count)
        case .repeats: repeats = Self.sum(repeats, mark.count)
        case .rate, .clock: break
        }
    }

    mutating func add(missing: UInt64, repeats: UInt64) {
        self.missing = Self.sum(self.missing, missing)
        self.repeats = Self.sum(self.repeats, repeats)
    }

    mutating func take() -> PendingNote {
        defer { self = PendingNote() }
        return self
    }

    private static func sum(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }
}

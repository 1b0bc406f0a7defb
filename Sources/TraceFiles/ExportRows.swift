import GroundwaveMetering

/// Rows to be written to a file: the selection from ``TraceRows``, with the rows missing or repeated before them.
package struct ExportRows {
    /// The rows missing and repeated before a row.
    package struct Note: Hashable {
        package let row: Int
        package var missing: UInt64
        package var repeats: UInt64
    }

    /// The number of the first row in the trace; `nil` if rows are means.
    var first: UInt64?
    /// The step between row numbers in the trace: every how many rows one is selected.
    var every = 1
    package var times: [Int64] = []
    /// The counters; empty if the layout has none.
    package var ticks: [Int64] = []
    package var columns: [[Int64]]
    /// The notes in order of row, at most one for each row, none with two zeros.
    package var notes: [Note] = []

    /// Creates no rows of `channelCount` channels.
    init(channelCount: Int) { columns = Array(repeating: [], count: channelCount) }

    package var count: Int { times.count }

    /// Returns the number of a row in the trace; `nil` for means.
    package func number(of row: Int) -> UInt64? { first.map { $0 &+ UInt64(row) &* UInt64(every) } }

    /// Adds a note to the row that will be appended next.
    mutating func note(_ pending: PendingNote) {
        if pending.isEmpty { return }
        notes.append(Note(row: count, missing: pending.missing, repeats: pending.repeats))
    }

    mutating func removeAll() {
        times.removeAll(keepingCapacity: true)
        ticks.removeAll(keepingCapacity: true)
        for column in columns.indices { columns[column].removeAll(keepingCapacity: true) }
        notes.removeAll(keepingCapacity: true)
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

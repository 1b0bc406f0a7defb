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
    /// Which values each row has: bit n for column n, ``tickBit`` for the counter. Empty if every row has all. The
    /// values that a row lacks are there and mean nothing.
    package var presence: [UInt64] = []
    /// The notes in order of row, at most one for each row, none with two zeros.
    package var notes: [Note] = []

    /// Creates no rows of `channelCount` channels.
    init(channelCount: Int) { columns = Array(repeating: [], count: channelCount) }

    package var count: Int { times.count }

    /// The bit of ``presence`` for the counter.
    static let tickBit = 63
    /// The most channels of which rows may lack some.
    static let presenceLimit = tickBit

    /// Returns whether `row` has a value in `column`.
    package func has(_ column: Int, at row: Int) -> Bool {
        presence.isEmpty || presence[row] >> UInt64(column) & 1 == 1
    }

    /// Returns the counter at `row`; `nil` if it has none.
    package func tick(at row: Int) -> Int64? { ticks.isEmpty || !has(Self.tickBit, at: row) ? nil : ticks[row] }

    /// Returns the number of a row in the trace; `nil` for means.
    package func number(of row: Int) -> UInt64? { first.map { $0 &+ UInt64(row) &* UInt64(every) } }

    /// Adds a note to `row`, which comes after those with notes so far.
    mutating func note(_ pending: PendingNote, at row: Int) {
        if pending.isEmpty { return }
        notes.append(Note(row: row, missing: pending.missing, repeats: pending.repeats))
    }

    /// Records which values the row that was appended last has: see ``presence``.
    mutating func notePresence(_ bits: UInt64) {
        if presence.isEmpty {
            if bits == .max { return }
            presence = Array(repeating: .max, count: count - 1)
        }
        presence.append(bits)
    }

    mutating func removeAll() {
        times.removeAll(keepingCapacity: true)
        ticks.removeAll(keepingCapacity: true)
        for column in columns.indices { columns[column].removeAll(keepingCapacity: true) }
        presence.removeAll(keepingCapacity: true)
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

import GroundwaveMetering

/// Rows on their way into a file: what was selected of ``TraceRows``, and what was missing or repeated before them.
package struct ExportRows {
    /// What stands before a row that something happened before.
    package struct Note: Hashable {
        package let row: Int
        package var missing: UInt64
        package var repeats: UInt64
    }

    /// The number that the first row has in the trace; `nil` where rows are means of several.
    var first: UInt64?
    /// Of so many rows of the trace the first is here.
    var every = 1
    package var times: [Int64] = []
    /// Empty where the layout has no counter.
    package var ticks: [Int64] = []
    package var columns: [[Int64]]
    /// In order of row, at most one for each, none with two zeros.
    package var notes: [Note] = []

    /// No rows of so many channels.
    init(channelCount: Int) { columns = Array(repeating: [], count: channelCount) }

    package var count: Int { times.count }

    /// The number that a row has in the trace; `nil` where it has none of its own.
    package func number(of row: Int) -> UInt64? { first.map { $0 &+ UInt64(row) &* UInt64(every) } }

    /// Notes what happened before the row that will be appended next.
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

/// What happened since the last row that was written. Counts stop at the greatest number rather than begin again.
struct PendingNote: Hashable {
    var missing: UInt64 = 0
    var repeats: UInt64 = 0

    var isEmpty: Bool { missing == 0 && repeats == 0 }

    mutating func add(_ mark: Mark) {
        switch mark.kind {
        case .gap: missing = Self.sum(missing, mark.count)
        case .repeats: repeats = Self.sum(repeats, mark.count)
        case .rate: break
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

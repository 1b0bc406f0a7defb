/// Consecutive rows of a trace, column by column: the content of a block, and the input of exports and plots.
///
/// Rows may have different channels: the layout has all of theirs.
public struct TraceRows: Hashable, Sendable {
    /// The channels of all rows, and the counter if any row has it.
    public internal(set) var layout: Layout
    /// The number of the first row within the trace, counted from 0.
    public let first: UInt64
    /// The time of each row, in milliseconds since 1970, UTC. A recording's own times never go back.
    public var times: [Int64] = []
    /// The meter's counter at each row, without overflows; empty if the layout has none.
    public var ticks: [Int64] = []
    /// The values, one array for each channel of the layout, all as long as ``times``.
    public var columns: [[Int64]]
    /// Which values each row has; empty if every row has all. What a row lacks is 0 in ``columns`` and ``ticks``.
    public var patterns: [RowPattern] = []
    /// The marks between rows, in order of row.
    public var marks: [Mark] = []

    /// Creates no rows; the first one appended has number `first`.
    public init(_ layout: Layout, first: UInt64) {
        self.layout = layout
        self.first = first
        columns = Array(repeating: [], count: layout.channels.count)
    }

    /// The number of rows.
    public var count: Int { times.count }

    /// Returns whether `row` has a value of `channel`.
    @inline(__always)
    public func has(_ channel: Int, at row: Int) -> Bool { patterns.isEmpty || patterns[row].has(channel) }

    /// Returns the counter at `row`; `nil` if it has none.
    @inline(__always)
    public func tick(at row: Int) -> Int64? {
        ticks.isEmpty || !(patterns.isEmpty || patterns[row].hasTick) ? nil : ticks[row]
    }
}

/// An event between two rows of a trace.
public struct Mark: Hashable, Sendable {
    /// The kind of event. The raw values are written into files, and do not change.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Rows are missing by the meter's counter; ``Mark/count`` is their number.
        case gap = 1
        /// The meter sent the previous row again, ``Mark/count`` times; the repeats are left out.
        case repeats = 2
        /// From here on, rows are ``Mark/count`` ticks apart, or as many milliseconds if the meter has no counter.
        case rate = 3
        /// The meter did not answer ``Mark/count`` requests: as many rows are missing.
        case unanswered = 4
        /// Rows are missing by the time that passed; ``Mark/count`` is their estimated number.
        case estimated = 5
        /// The wall clock was set, or has drifted away; ``Mark/clockStep`` tells how far. Times of rows do not follow.
        case clock = 6

        /// Whether rows are missing.
        public var isGap: Bool { self == .gap || self == .unanswered || self == .estimated }
    }

    /// The index of the row after the event: 0 for the first of the rows that the mark belongs to.
    public let row: Int
    /// The kind of event.
    public let kind: Kind
    /// The count; its meaning depends on ``Kind``.
    public let count: UInt64

    /// Creates a mark of `kind` before `row`.
    public init(_ kind: Kind, before row: Int, count: UInt64) {
        (self.kind, self.row, self.count) = (kind, row, count)
    }

    /// How far the wall clock was set on, or back if negative, in milliseconds: of a mark of kind ``Kind/clock``,
    /// whose count is 0, -1, 1, -2, … written as 0, 1, 2, 3, ….
    public var clockStep: Int64 { Int64(bitPattern: count >> 1) ^ -Int64(bitPattern: count & 1) }

    /// Returns the count of a mark for a step of the wall clock.
    static func count(ofStep step: Int64) -> Int64 { (step &<< 1) ^ (step >> 63) }
}

/// The number of missing rows, by how they were told.
public struct MissingRows: Hashable, Sendable {
    /// By the meter's counter.
    public var counted: UInt64 = 0
    /// By requests without an answer.
    public var unanswered: UInt64 = 0
    /// By the time that passed.
    public var estimated: UInt64 = 0

    /// Creates a number of zero.
    public init() {}

    /// The sum.
    public var total: UInt64 { counted &+ unanswered &+ estimated }

    /// Adds the count of `mark`, if it says that rows are missing.
    mutating func add(_ mark: Mark) {
        switch mark.kind {
        case .gap: counted &+= mark.count
        case .unanswered: unanswered &+= mark.count
        case .estimated: estimated &+= mark.count
        case .repeats, .rate, .clock: break
        }
    }

    /// Adds `other`.
    public mutating func add(_ other: MissingRows) {
        counted &+= other.counted
        unanswered &+= other.unanswered
        estimated &+= other.estimated
    }
}

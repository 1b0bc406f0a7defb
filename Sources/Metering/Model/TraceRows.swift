/// Rows of a trace that follow one another and have one layout, column by column: what a block holds, and what exports and
/// plots take.
public struct TraceRows: Hashable, Sendable {
    /// What each row has.
    public let layout: Layout
    /// The number of the first row within the trace, whose first is 0.
    public let first: UInt64
    /// When each row reached the host: milliseconds since 1970, UTC. They may go back where the clock was set.
    public var times: [Int64] = []
    /// The meter's counter of each row, without its overflows; empty where the layout has none.
    public var ticks: [Int64] = []
    /// The values, one array for each channel of the layout, all as long as ``times``.
    public var columns: [[Int64]]
    /// What happened between rows, in order of row.
    public var marks: [Mark] = []

    /// No rows yet; the next one is number `first`.
    public init(_ layout: Layout, first: UInt64) {
        self.layout = layout
        self.first = first
        columns = Array(repeating: [], count: layout.channels.count)
    }

    /// How many rows there are.
    public var count: Int { times.count }
}

/// Something that happened between two rows of a trace.
public struct Mark: Hashable, Sendable {
    /// What happened. The raw values are written into files, and do not change.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Rows are missing: as many as ``Mark/count`` says.
        case gap = 1
        /// The meter sent the row before again, as many times as ``Mark/count`` says; what came again is left out.
        case repeats = 2
        /// From here on a row comes each so many ticks of the meter, or each so many milliseconds where it has no counter.
        case rate = 3
    }

    /// Before which row: 0 for the first of the rows that it stands with.
    public let row: Int
    /// What happened.
    public let kind: Kind
    /// How many: see ``Kind``.
    public let count: UInt64

    /// `kind` happened before `row`, `count` times.
    public init(_ kind: Kind, before row: Int, count: UInt64) {
        (self.kind, self.row, self.count) = (kind, row, count)
    }
}

extension TraceRows {
    /// Whether `next` goes on where these rows end, in the same layout.
    public func isFollowed(by next: TraceRows) -> Bool { next.layout == layout && next.first == first + UInt64(count) }

    /// Adds rows that follow these: see ``isFollowed(by:)``.
    public mutating func append(_ next: TraceRows) {
        precondition(isFollowed(by: next), "Rows are added behind the last one.")
        marks += next.marks.map { Mark($0.kind, before: $0.row + count, count: $0.count) }
        times += next.times
        ticks += next.ticks
        for column in columns.indices { columns[column] += next.columns[column] }
    }
}

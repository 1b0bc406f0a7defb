import GroundwaveMetering

/// What a decoder has made of some bytes: rows in runs of one layout, and what it refused.
public struct DecodedRows: Sendable {
    /// Rows of one layout.
    public struct Run: Hashable, Sendable {
        /// What each row has.
        public let layout: Layout
        /// The values, row after row: `layout.channels.count` a row.
        public internal(set) var values: [Int64] = []
        /// The meter's counter of each row; empty where the layout has none.
        public internal(set) var ticks: [UInt32] = []

        /// How many rows there are.
        public var count: Int { values.count / layout.channels.count }

        /// The values of row `index`.
        public func row(_ index: Int) -> ArraySlice<Int64> {
            values[index * layout.channels.count..<(index + 1) * layout.channels.count]
        }
    }

    /// Bytes that gave no row.
    public struct Refusal: Hashable, Sendable {
        /// Why.
        public enum Reason: String, Hashable, Sendable {
            /// They are no frame of this model: noise, or the rest of a frame whose beginning is missing.
            case noFrame
            /// The check of the frame is wrong, or what it says of itself does not fit together.
            case check
            /// A frame of this model, of a sort that is not known.
            case unknownFrame
            /// A frame of this model that measures nothing: what the meter is, its answer to a command.
            case noMeasurement
            /// A frame of another model of the family: the meter is not what it was said to be.
            case otherModel
            /// A frame from before the recording began, that lay in a buffer on the way.
            case stale
        }

        /// Why they gave no row.
        public let reason: Reason
        /// How many bytes were passed over.
        public let byteCount: Int
    }

    /// The rows, in the order in which they came.
    public internal(set) var runs: [Run] = []
    /// What was refused, in that order.
    public internal(set) var refusals: [Refusal] = []
    /// How many frames gave rows although nobody knows how their check byte is made.
    public internal(set) var uncheckedFrameCount = 0

    /// How many bytes gave no row, those left out that no meter means as one.
    public var refusedByteCount: Int {
        refusals.reduce(0) { $0 + ($1.reason == .noMeasurement ? 0 : $1.byteCount) }
    }

    /// Nothing yet.
    public init() {}

    /// Appends a row, whose values are in the order of the channels.
    ///
    /// Cost: the room of its values, and nothing beside it, while the layout stays the same.
    mutating func append<let count: Int>(_ values: InlineArray<count, Int64>, tick: UInt32? = nil, of layout: Layout) {
        precondition(count == layout.channels.count, "A row has one value a channel.")
        precondition((tick == nil) == (layout.tick == nil), "A row has a tick where its layout says so.")
        let run = run(of: layout)
        for index in values.indices { runs[run].values.append(values[index]) }
        if let tick { runs[run].ticks.append(tick) }
    }

    /// Appends a row of as many values as its layout has channels.
    mutating func append(_ values: [Int64], of layout: Layout) {
        precondition(values.count == layout.channels.count, "A row has one value a channel.")
        precondition(layout.tick == nil, "A row has a tick where its layout says so.")
        runs[run(of: layout)].values.append(contentsOf: values)
    }

    // Where the run is to which a row of `layout` belongs: the last one, or a new one.
    private mutating func run(of layout: Layout) -> Int {
        if runs.isEmpty || runs[runs.count - 1].layout != layout { runs.append(Run(layout: layout)) }
        return runs.count - 1
    }

    /// Counts a frame that gave rows although nobody knows how its check byte is made.
    mutating func countUnchecked() { uncheckedFrameCount += 1 }

    /// Notes that `byteCount` bytes were passed over; those that follow one another for one reason are one refusal.
    mutating func refuse(_ reason: Refusal.Reason, _ byteCount: Int) {
        if let last = refusals.last, last.reason == reason, reason == .noFrame {
            refusals[refusals.count - 1] = Refusal(reason: reason, byteCount: last.byteCount + byteCount)
        } else {
            refusals.append(Refusal(reason: reason, byteCount: byteCount))
        }
    }

    /// Forgets everything, and keeps the room.
    public mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        refusals.removeAll(keepingCapacity: true)
        uncheckedFrameCount = 0
    }
}

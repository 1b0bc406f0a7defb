/// The output of a decoder: rows in runs of one layout, and the refused bytes.
public struct DecodedRows: Sendable {
    /// Rows of one layout.
    public struct Run: Hashable, Sendable {
        /// The layout of each row.
        public let layout: Layout
        /// The values, row after row: `layout.channels.count` per row.
        public internal(set) var values: [Int64] = []
        /// The meter's counter of each row; empty if the layout has none.
        public internal(set) var ticks: [UInt32] = []

        /// The number of rows.
        public var count: Int { values.count / layout.channels.count }

        /// Returns the values of row `index`.
        public func row(_ index: Int) -> ArraySlice<Int64> {
            values[index * layout.channels.count..<(index + 1) * layout.channels.count]
        }
    }

    /// Bytes that gave no row.
    public struct Refusal: Hashable, Sendable {
        /// The reason for a refusal.
        public enum Reason: String, Hashable, Sendable {
            /// Not a frame of this model: noise, or the rest of a frame whose beginning is missing.
            case noFrame
            /// The check of the frame is wrong, or its content is inconsistent.
            case check
            /// A frame of this model, of an unknown kind.
            case unknownFrame
            /// A frame of this model without measurements: device information, or the answer to a command.
            case noMeasurement
            /// A frame of another model of the family: the meter is not of the model that the decoder was created
            /// for.
            case otherModel
            /// A frame from before the recording, which had been held in a buffer.
            case stale
        }

        /// The reason why the bytes gave no row.
        public let reason: Reason
        /// The number of bytes skipped.
        public let byteCount: Int
    }

    /// The rows, in order of arrival.
    public internal(set) var runs: [Run] = []
    /// The refusals, in order of arrival.
    public internal(set) var refusals: [Refusal] = []
    /// The number of frames accepted without a check, because their check rule is unknown.
    public internal(set) var uncheckedFrameCount = 0

    /// The number of bytes that gave no row, except those of frames without measurements.
    public var refusedByteCount: Int {
        refusals.reduce(0) { $0 + ($1.reason == .noMeasurement ? 0 : $1.byteCount) }
    }

    /// Creates an empty output.
    public init() {}

    /// Appends a row, whose values are in the order of the channels.
    ///
    /// Allocates nothing beyond the room for the values while the layout stays the same.
    mutating func append<let count: Int>(_ values: InlineArray<count, Int64>, tick: UInt32? = nil, of layout: Layout) {
        precondition(count == layout.channels.count, "A row has one value a channel.")
        precondition((tick == nil) == (layout.tick == nil), "A row has a tick where its layout says so.")
        let run = run(of: layout)
        for index in values.indices { runs[run].values.append(values[index]) }
        if let tick { runs[run].ticks.append(tick) }
    }

    /// Appends a row, which has one value per channel of `layout`.
    mutating func append(_ values: [Int64], of layout: Layout) {
        precondition(values.count == layout.channels.count, "A row has one value a channel.")
        precondition(layout.tick == nil, "A row has a tick where its layout says so.")
        runs[run(of: layout)].values.append(contentsOf: values)
    }

    // Returns the index of the run for a row of `layout`: the last run, or a new one.
    private mutating func run(of layout: Layout) -> Int {
        if runs.isEmpty || runs[runs.count - 1].layout != layout { runs.append(Run(layout: layout)) }
        return runs.count - 1
    }

    /// Counts a frame that was accepted without a check.
    mutating func countUnchecked() { uncheckedFrameCount += 1 }

    /// Records `byteCount` skipped bytes; consecutive ``Refusal/Reason/noFrame`` bytes make one refusal.
    mutating func refuse(_ reason: Refusal.Reason, _ byteCount: Int) {
        if let last = refusals.last, last.reason == reason, reason == .noFrame {
            refusals[refusals.count - 1] = Refusal(reason: reason, byteCount: last.byteCount + byteCount)
        } else {
            refusals.append(Refusal(reason: reason, byteCount: byteCount))
        }
    }

    /// Removes everything, and keeps the allocated capacity.
    public mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        refusals.removeAll(keepingCapacity: true)
        uncheckedFrameCount = 0
    }
}

import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords

/// The result of verifying a trace.
public struct TraceVerification: Hashable, Sendable {
    /// Damage that was found.
    public struct Damage: Hashable, Sendable {
        /// The kinds of damage. The raw values are codes for scripts.
        public enum What: String, Hashable, Sendable, CaseIterable {
            /// Numbers of rows that no block has: a block is lost, or has not arrived yet.
            case missingRows = "hole"
            /// Rows that are in two blocks.
            case overlap
            /// A block whose event is not in the log, and was not archived.
            case lost
            /// A block whose rows cannot be read, though they are not withheld.
            case unreadable
            /// A block whose summary is malformed, or of a later version.
            case unknown
            /// The summary of a block does not match its rows.
            case summary
            /// A row is earlier than the row before it.
            case order
            /// The views do not match the event of a block.
            case view
            /// A cell of the views does not match its blocks.
            case cell
            /// The last row is not the one that the trace records as its end.
            case end
            /// The file of a recording that is not in the log yet cannot be read.
            case tail
            /// Captured line traffic is lost, duplicated or unreadable.
            case capture
        }

        /// The kind of damage.
        public let what: What
        /// The first affected row; `nil` if it is not known.
        public let first: UInt64?
        /// The last affected row; `nil` if it is not known.
        public let last: UInt64?
        /// The affected event; `nil` if there is none.
        public let event: EventID?
        /// A description for people.
        public let detail: String

        init(_ what: What, rows: Range<UInt64>? = nil, event: EventID? = nil, detail: String) {
            self.what = what
            (first, last) = (rows?.lowerBound, rows.map { $0.upperBound - 1 })
            self.event = event
            self.detail = detail
        }
    }

    /// The trace.
    public let trace: RecordID
    /// The number of blocks in the log.
    public internal(set) var blockCount = 0
    /// The number of rows that were read and compared with their summaries, including those of a recording that is
    /// running on this device.
    public internal(set) var rowCount: UInt64 = 0
    /// The number of these that are on this device and not in the log yet.
    public internal(set) var tailCount: UInt64 = 0
    /// The number of withheld blocks, of which only the summary is here.
    public internal(set) var withheldBlockCount = 0
    /// The number of rows in these blocks.
    public internal(set) var withheldCount: UInt64 = 0
    /// The number of cells of the views that were compared with their blocks; 0 if rows overlap.
    public internal(set) var cellCount = 0
    /// The number of captured bytes that were read, including those of a recording that is running on this device; 0
    /// if none were captured.
    public internal(set) var captureByteCount: UInt64 = 0
    /// The number of captured bytes that are withheld.
    public internal(set) var withheldByteCount: UInt64 = 0
    /// The damage, in the order in which it was found.
    public internal(set) var damage: [Damage] = []

    /// Whether no damage was found. Withheld samples are not damage.
    public var isOK: Bool { damage.isEmpty }
}

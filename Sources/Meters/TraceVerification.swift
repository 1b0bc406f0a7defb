import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords

/// What the verification of a trace found.
public struct TraceVerification: Hashable, Sendable {
    /// Something that is not as it must be.
    public struct Damage: Hashable, Sendable {
        /// What is wrong. The raw values are words for scripts.
        public enum What: String, Hashable, Sendable, CaseIterable {
            /// Numbers of rows that no block has: one is lost, or has not arrived yet.
            case hole
            /// Rows that two blocks have.
            case overlap
            /// A block whose event is not in the log, and was not archived.
            case lost
            /// A block whose rows cannot be read, though they are not withheld.
            case unreadable
            /// A block of which nothing can be read: what is said of it is malformed, or of a later version.
            case unknown
            /// What is said of a block is not what its rows say.
            case summary
            /// The views say something else of a block than its event.
            case view
            /// A cell of the views is not what its blocks come to.
            case cell
            /// The last row is not the one with which the trace says that it ended.
            case end
            /// The file of a recording that is not in the log yet cannot be read.
            case tail
            /// Of what went over the line something is lost, there twice, or unreadable.
            case capture
        }

        /// What is wrong.
        public let what: What
        /// The first of the rows that are concerned; `nil` where it is not known.
        public let first: UInt64?
        /// The last of them.
        public let last: UInt64?
        /// The event that is concerned; `nil` where there is none.
        public let event: EventID?
        /// What happened, in plain words.
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
    /// How many blocks the log has.
    public internal(set) var blockCount = 0
    /// How many rows were read and compared with what is said of them, those of a recording that goes on here included.
    public internal(set) var rowCount: UInt64 = 0
    /// How many of these are on this device and not in the log yet.
    public internal(set) var tailCount: UInt64 = 0
    /// How many blocks are withheld, so that only what is said of them is here.
    public internal(set) var withheldBlockCount = 0
    /// How many rows these have.
    public internal(set) var withheldCount: UInt64 = 0
    /// How many cells of the views were compared with their blocks; 0 where rows overlap.
    public internal(set) var cellCount = 0
    /// How many bytes that went over the line were read, those of a recording that goes on here included; 0 where none were
    /// kept.
    public internal(set) var captureByteCount: UInt64 = 0
    /// How many of such bytes are withheld.
    public internal(set) var withheldByteCount: UInt64 = 0
    /// What is not as it must be, in the order in which it was met.
    public internal(set) var damage: [Damage] = []

    /// Whether all is as it must be. What is withheld is no damage.
    public var isOK: Bool { damage.isEmpty }
}

import EventLog
import Events
import LMDB
import Projections
import Radio

/// What went wrong, in words for a person: what happened to which file or record, and what helps.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kinds of trouble; each has the exit code of `groundwave` as its raw value.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The exit code that the program ends with.
        public let rawValue: Int32
        /// A code from its number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// The caller asked for something that makes no sense.
        public static let usage = Code(rawValue: 64)
        /// Data is damaged, or is not what it should be.
        public static let damaged = Code(rawValue: 65)
        /// There is no such store, file or record.
        public static let notFound = Code(rawValue: 66)
        /// A bug of ours.
        public static let bug = Code(rawValue: 70)
        /// Something is there already and will not be overwritten.
        public static let exists = Code(rawValue: 73)
        /// The disk or the system refused.
        public static let inputOutput = Code(rawValue: 74)
        /// Somebody else is using it; trying again helps.
        public static let busy = Code(rawValue: 75)
        /// It is not permitted, such as writing to a read-only store.
        public static let notPermitted = Code(rawValue: 77)

        /// The word for scripts.
        public var name: String {
            switch self {
            case .usage: "usage"
            case .damaged: "damaged"
            case .notFound: "notFound"
            case .bug: "bug"
            case .exists: "exists"
            case .inputOutput: "inputOutput"
            case .busy: "busy"
            case .notPermitted: "notPermitted"
            default: "other"
            }
        }
    }

    /// What kind of trouble it is.
    public let code: Code
    /// What happened, to which file or record.
    public let message: String
    /// What helps.
    public let hint: String?
    /// The error underneath.
    public let cause: (any Error)?

    /// An error of these parts.
    public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// Message and hint in one line.
    public var description: String { hint.map { "\(message) \($0)" } ?? message }
}

extension StoreError {
    /// `error` in the words of this library; one that is in them already stays as it is.
    static func wrapping(_ error: any Error, file: String) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case let error as EntryProblem: return StoreError(.usage, error.message, hint: error.hint, cause: error)
        case let error as LMDBError: return StoreError(lmdb: error)
        case let error as EventLogError: return StoreError(log: error, file: file)
        case let error as ViewError:
            if case .readOnly = error {
                return StoreError(
                    .notPermitted, "The views of \(file) are behind its log, and the store can only be read.",
                    hint: "Copy the store to a place that can be written, or open it once where it can.", cause: error)
            }
            return StoreError(
                .damaged, "The views of \(file) are damaged and could not be built anew.",
                hint: "Delete views.mdb in the store: it is made again from the log.", cause: error)
        default:
            return StoreError(.bug, "Something unexpected happened: \(error).", hint: "Please report it.", cause: error)
        }
    }

    private init(log error: EventLogError, file: String) {
        switch error {
        case .notALog:
            self.init(.damaged, "\(file) is not a Groundwave log.", hint: "Check the path of the store.", cause: error)
        case .unknownFormat(let format):
            self.init(
                .damaged, "\(file) has format \(format), which this version does not read.",
                hint: "Use the version that wrote it, or a newer one.", cause: error)
        case .damaged(let what):
            self.init(.damaged, "\(file) is damaged: \(what).", hint: "Run groundwave verify.", cause: error)
        case .damagedFrame(let position, let frame):
            self.init(
                .damaged, "\(file) is damaged: the event at position \(position) is not readable (\(frame)).",
                hint: "Run groundwave verify.", cause: error)
        case .batchTooLarge(let count, let bytes):
            self.init(
                .usage,
                "\(count) events of \(bytes) bytes are too many for one batch; \(EventLimits.batchCount) events and "
                    + "\(EventLimits.batchBytes >> 20) MiB are the most.", hint: "Write them in several batches.",
                cause: error)
        case .outOfSequence(let event, let expected):
            self.init(
                .damaged, "Event \(event.short) came where number \(expected) was expected.", cause: error)
        case .tailLost(let expected, let found):
            self.init(
                .inputOutput,
                "After a failed write \(file) ends at position \(found), and \(expected) had been acknowledged.",
                hint: "Check the disk. Nothing more is written to this store until it is opened again.", cause: error)
        }
    }
}

import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecovery

/// An error with a message for people: what happened to which file or record, and what helps.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The categories of errors; the raw value is the name for scripts.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request is invalid.
        case usage
        /// A value is not what its field, or its kind, accepts.
        case invalid
        /// Data is damaged, or has the wrong form.
        case damaged
        /// There is no such store, file or record.
        case notFound
        /// A token belongs to a history that this store no longer has.
        case expired
        /// The required values were moved to an archive.
        case archived
        /// A remote cannot be reached now.
        case unreachable
        /// A bug in Groundwave.
        case bug
        /// Something exists already and is not overwritten.
        case exists
        /// The disk or the system reported an error.
        case inputOutput
        /// The resource is in use; trying again helps.
        case busy
        /// What the write depends on has changed; nothing was written.
        case conflict
        /// The action is not permitted, such as writing to a read-only store.
        case notPermitted
        /// A required feature is switched off.
        case syncOff
        /// The store is damaged and waits for a decision.
        case recovering
        /// The store is being joined, and not everything has been fetched yet.
        case joining

        /// The code that `groundwave` ends with: several categories may share one (`sysexits.h`).
        public var exitCode: Int32 {
            switch self {
            case .usage: 64
            case .damaged, .invalid: 65
            case .notFound, .expired, .archived: 66
            case .unreachable: 69
            case .bug: 70
            case .exists: 73
            case .inputOutput: 74
            case .busy, .conflict: 75
            case .notPermitted: 77
            case .syncOff, .recovering, .joining: 78
            }
        }
    }

    /// The category of the error.
    public let code: Code
    /// What happened, to which file or record.
    public let message: String
    /// What to do about it, with remedies that an application can name in its own way.
    public let advice: Hint?
    /// The error underneath.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, hint: Hint? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        advice = hint
        self.cause = cause
    }

    /// What to do about it, in plain words that fit any application.
    public var hint: String? { advice?.description }

    /// Message and hint in one line.
    public var description: String { hint.map { "\(message) \($0)" } ?? message }
}

extension StoreError: LocalizedError {
    /// What happened, to which file or record.
    public var errorDescription: String? { message }
    /// What to do about it.
    public var recoverySuggestion: String? { hint }
    /// What the error underneath says; `nil` if there is none.
    public var failureReason: String? { cause.map { "\($0)" } }
}

extension StoreError {
    /// Returns `error` as a ``StoreError``; one that is a ``StoreError`` already passes unchanged.
    package static func wrapping(_ error: any Error, file: String) -> StoreError {
        translating(error, file: file)
            ?? StoreError(.bug, "Something unexpected happened: \(error).", hint: "Please report it.", cause: error)
    }

    /// Returns `error` as a ``StoreError``, or `nil` if it comes neither from this library nor from the system.
    ///
    /// An error that means damage makes the next open of the store check every page.
    package static func translating(_ error: any Error, file: String) -> StoreError? {
        let folder = URL(filePath: file).deletingLastPathComponent()
        if meansDamage(error) { OpenMark.suspect(folder) }
        if let recovering = recovering(error, folder) { return recovering }
        switch error {
        case let error as StoreError: return error
        case let error as any StoreErrorConvertible: return error.storeError
        case let error as LMDBError: return StoreError(lmdb: error)
        case let error as EventLogError: return StoreError(log: error, file: file)
        case let error as ViewError:
            if case .readOnly = error {
                return StoreError(
                    .notPermitted, "The views of \(file) are behind its log, and the store is read-only.",
                    hint: "Copy the store to a folder that can be written, or open it once with write access.",
                    cause: error)
            }
            return StoreError(
                .damaged, "The views of \(file) could not be rebuilt: they are \(error.explanation).",
                hint: "Delete views.mdb in the store: it is rebuilt from the log.", cause: error)
        default: return StoreError(systemError: error)
        }
    }

    private static func meansDamage(_ error: any Error) -> Bool {
        if let error = error as? LMDBError { return error.meansDamage }
        if case ViewError.damaged = error { return true }
        return Preflight.finding(in: error) != nil
    }

    /// Returns the error for a log that is missing because another program found it damaged and moved it; `nil` if
    /// that is not the case.
    private static func recovering(_ error: any Error, _ folder: URL) -> StoreError? {
        let files = RecoveryFiles(folder)
        guard let missing = error as? LMDBError, missing.reason == .missing, !RecoveryFiles.exists(files.log) else {
            return nil
        }
        // If the log was preserved but no failure is recorded yet, another program is just starting the recovery.
        let record = FailureRecord.read(files.failure)
        guard record != nil || EmergencyBackup.lastPreserved(files) != nil else { return nil }
        return StoreError(
            .recovering,
            "The store is damaged and waiting for recovery\(record.map { ": \($0.message)" } ?? ""). "
                + "Nothing was written.",
            hint: "To see what can be done: \(.showRecovery)", cause: error)
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
            self.init(
                .damaged, "\(file) is damaged: \(what).", hint: "To see what can be done: \(.showRecovery)",
                cause: error)
        case .archived(let event):
            self.init(
                .archived, "The values of event \(event.short) were moved to an archive.",
                hint: "To see them: \(.readArchive). To move them back into the log: \(.restoreArchive)", cause: error)
        case .damagedFrame(let position, let frame):
            self.init(
                .damaged, "\(file) is damaged: the event at position \(position) is not readable (\(frame)).",
                hint: "To see what else is damaged: \(.verify)", cause: error)
        case .batchTooLarge(let count, let bytes):
            self.init(
                .usage,
                "\(count) events of \(bytes) bytes are too many for one batch; at most \(EventLimits.batchCount) events "
                    + "and \(EventLimits.batchBytes >> 20) MiB fit.", hint: "Write them in several batches.",
                cause: error)
        case .outOfSequence(let event, let expected):
            self.init(
                .damaged, "Event \(event.short) arrived where number \(expected) was expected.", cause: error)
        case .moved:
            self.init(
                .busy, "In the meantime, another program has written to this store.",
                hint: "Nothing was written. Try again.", cause: error)
        case .anotherLog:
            self.init(
                .busy, "In the meantime, the log of this store was recovered, started over or restored from a backup.",
                hint: "Nothing was written. Try again.", cause: error)
        case .notClaimed:
            self.init(
                .busy, "In the meantime, this store was found to be a copy, and continues as a new replica.",
                hint: "Try again: nothing was written.", cause: error)
        case .tailLost(let expected, let found):
            self.init(
                .inputOutput,
                "After a failed write, \(file) ends at position \(found), but \(expected) had been acknowledged.",
                hint: "Check the disk. Nothing more is written to this store until it is opened again.", cause: error)
        }
    }
}

import EventLog
import Events
import Foundation
import LMDB

/// Looks at the files of a store before liblmdb does, which trusts them.
///
/// At every opening: whether the log is there, its meta pages, its length, and all pages that lead to others. After an
/// unclean end, and where the file is another one than before: every page and every event.
package struct Preflight: Sendable {
    let files: RecoveryFiles

    package init(_ files: RecoveryFiles) { self.files = files }

    /// What is wrong with the log; `nil` where that is nothing, or where this user may not read it: whoever opens it next
    /// says so.
    ///
    /// - Parameter isFull: Whether every page is looked at.
    /// - Throws: `LMDBError` where the system does not give the file now: what could not be looked at is not opened.
    /// - Complexity: About 1 ms for 250 MB; where `isFull`, O(bytes).
    package func finding(isFull: Bool) throws -> Incident.Finding? {
        guard RecoveryFiles.exists(files.log) else {
            guard let backup = EmergencyBackup.lastPreserved(files) else {
                return Incident.Finding(code: "missing", message: "the log is missing", file: "log.mdb")
            }
            return Incident.Finding(
                code: "damaged", message: "the damaged log was moved to \(backup), and nothing more was recorded",
                file: "log.mdb")
        }
        do {
            return try LogLook.damage(of: files.log, isFull ? .everything : .branches).map {
                Incident.Finding(code: "damaged", message: $0, file: "log.mdb")
            }
        } catch let error as PageFileError {
            if [EACCES, EPERM, EINVAL].contains(error.code) { return nil }
            throw LMDBError(.inputOutput(errno: error.code), path: files.log, during: .open)
        }
    }

    /// What an error, that came of opening or reading a store, says of damage to its log; `nil` where it says nothing.
    package static func finding(in error: any Error) -> Incident.Finding? {
        switch error {
        case let error as LMDBError where error.path.hasSuffix("/log.mdb"):
            switch error.reason {
            case .empty, .truncated, .notLMDB, .versionMismatch, .damaged:
                Incident.Finding(code: "damaged", message: "\(error.reason)", file: "log.mdb")
            default: nil
            }
        case let error as EventLogError:
            switch error {
            case .notALog: Incident.Finding(code: "damaged", message: "the file is not a log", file: "log.mdb")
            case .damaged(let what):
                Incident.Finding(code: "damaged", message: "\(what) does not match what was written", file: "log.mdb")
            case .damagedFrame(let position, _):
                Incident.Finding(
                    code: "damaged", message: "the event at position \(position) is damaged",
                    file: "log.mdb")
            default: nil
            }
        default: nil
        }
    }
}

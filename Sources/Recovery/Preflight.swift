import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveMDBPages

/// Checks the files of a store before liblmdb opens them, which trusts their pages.
///
/// At every opening it checks that the log exists, its meta pages, its length, and all branch pages. After an unclean
/// end, or if the file was changed by an unknown writer, it checks every page and every event.
package struct Preflight: Sendable {
    let files: RecoveryFiles

    package init(_ files: RecoveryFiles) { self.files = files }

    /// Returns the damage of the log; `nil` if there is none, or if this user may not read it: then opening it reports
    /// that.
    ///
    /// - Parameter isFull: Whether to check every page.
    /// - Throws: `LMDBError` if the file cannot be read now: a file that could not be checked is not opened.
    /// - Complexity: About 1 ms for 250 MB; O(bytes) if `isFull`.
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
            return try LogCheck.damage(of: files.log, isFull ? .everything : .branches).map {
                Incident.Finding(code: "damaged", message: $0, file: "log.mdb")
            }
        } catch let error as PageFileError {
            if [EACCES, EPERM, EINVAL].contains(error.code) { return nil }
            throw LMDBError(.inputOutput(errno: error.code), path: files.log, during: .open)
        }
    }

    /// Converts an error of opening or reading a store to the damage of its log; `nil` if it does not indicate damage.
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

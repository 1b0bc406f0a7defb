import Foundation
import GroundwaveEventLog
import GroundwaveLMDB
import GroundwaveRecovery
import GroundwaveStore

/// The condition of a store's log, as opening, `recover` and `info` determine it.
enum StoreCondition {
    /// No damage is known: the store can be opened.
    case inUse
    /// The log is damaged or missing; the next open preserves it and begins the recovery.
    case damaged(Incident.Finding)
    /// The recovery has begun, and waits for a decision of the user.
    case waiting(FailureRecord)
    /// The user has decided; the next open carries it out.
    case staged(FailureRecord?, Choice)

    /// Examines the store, and changes nothing in its folder.
    ///
    /// Checks every page of the log if a process ended without closing the store, if damage was found in use, or if
    /// the file is not as Groundwave last left or checked it; otherwise only the pages that lead to the events. A full
    /// check without damage is recorded in the state folder.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Throws: `LMDBError` or `FileFailure` if a file cannot be read now.
    init(of files: StoreFiles, stateFolder: URL, now: Int64) throws {
        let recovery = RecoveryFiles(files.folder)
        let record = FailureRecord.read(recovery.failure)
        if let choice = try Choice.read(recovery) {
            self = .staged(record, choice)
        } else if let record {
            self = .waiting(record)
        } else if let finding = try Self.findDamage(at: files, stateFolder, now: now) {
            self = .damaged(finding)
        } else {
            self = .inUse
        }
    }

    /// A message that says why the store cannot be used; `nil` if it can.
    var damage: String? {
        switch self {
        case .inUse: nil
        case .damaged(let finding): "The log is damaged: \(finding.message)."
        case .waiting(let record): "The store is waiting for recovery: \(record.message)."
        case .staged: "The next command carries out your decision about the damaged log."
        }
    }

    /// Returns the damage of the log; `nil` if none is found.
    private static func findDamage(at files: StoreFiles, _ stateFolder: URL, now: Int64) throws -> Incident.Finding? {
        let wasClean = OpenMark.left(by: files.folder, in: stateFolder).isEmpty
        let checkRecord = FileCheckRecord("log.mdb", of: files.folder, in: stateFolder)
        let preflight = Preflight(RecoveryFiles(files.folder))
        if wasClean, checkRecord.isKnown(now: now) { return try preflight.finding(isFull: false) }
        return try checkRecord.checking(now: now, wasClean: wasClean) { try preflight.finding(isFull: true) }
    }
}

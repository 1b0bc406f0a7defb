import Foundation
import GroundwaveEventLog
import GroundwaveLMDB
import GroundwaveMDBPages
import GroundwaveProjections

/// The condition of a store's log, as opening, the end of a suspension, `recover` and `info` determine it.
package enum StoreCondition {
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
    /// - Parameters:
    ///   - folder: The folder of the store.
    ///   - now: Milliseconds since 1970.
    /// - Throws: `LMDBError` or `FileFailure` if a file cannot be read now.
    package init(of folder: URL, stateFolder: URL, now: Int64) throws {
        let recovery = RecoveryFiles(folder)
        let record = FailureRecord.read(recovery.failure)
        if let choice = try Choice.read(recovery) {
            self = .staged(record, choice)
        } else if let record {
            self = .waiting(record)
        } else if let finding = try Self.findDamage(in: folder, stateFolder, now: now) {
            self = .damaged(finding)
        } else {
            self = .inUse
        }
    }

    /// A message that says why the store cannot be used; `nil` if it can.
    package var damage: String? {
        switch self {
        case .inUse: nil
        case .damaged(let finding): "The log is damaged: \(finding.message)."
        case .waiting(let record): "The store is waiting for recovery: \(record.message)."
        case .staged: "The next command carries out your decision about the damaged log."
        }
    }

    /// Returns the damage of the log; `nil` if none is found.
    private static func findDamage(in folder: URL, _ stateFolder: URL, now: Int64) throws -> Incident.Finding? {
        let wasClean = OpenMark.left(by: folder, in: stateFolder).isEmpty
        let checkRecord = FileCheckRecord("log.mdb", of: folder, in: stateFolder)
        let preflight = Preflight(RecoveryFiles(folder))
        if wasClean, checkRecord.isKnown(now: now) { return try preflight.finding(isFull: false) }
        return try checkRecord.checking(now: now, wasClean: wasClean) { try preflight.finding(isFull: true) }
    }
}

/// The condition of a store's views.
package enum ViewsCondition {
    /// Returns why liblmdb must not open the views in the file `views.mdb` of `folder`; `nil` if it may.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - wasClean: Whether every process has closed the store.
    package static func damage(in folder: URL, stateFolder: URL, now: Int64, wasClean: Bool) -> String? {
        let views = folder.appending(path: "views.mdb").path
        let checkRecord = FileCheckRecord("views.mdb", of: folder, in: stateFolder)
        if !wasClean || !checkRecord.isKnown(now: now) {
            return checkRecord.checking(now: now, wasClean: wasClean) { Views.damage(at: views) }
        }
        // A file that is not an LMDB file is detected and replaced when the views are opened.
        return (try? PageCheck.branches(of: views))?.first.map { "\($0)" }
    }
}

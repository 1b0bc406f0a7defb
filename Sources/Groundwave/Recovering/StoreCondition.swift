import EventLog
import Foundation
import LMDB
import Recovery

/// In what state a store is. Opening, `recover` and `info` go by this one answer.
enum StoreCondition {
    /// Nothing is known to be wrong with its log.
    case inUse
    /// The log is damaged, or not there; the next opening preserves it and has the store wait.
    case damaged(Incident.Finding)
    /// It waits for a decision.
    case waiting(FailureRecord)
    /// It was decided what to do; the next opening does it.
    case staged(FailureRecord?, Choice)

    /// Looks at the store, and changes nothing of it.
    ///
    /// Every page of the log is looked at where a process ended without closing the store, where anything met damage, and
    /// where the file is not as somebody of ours left it; else what leads to the events.
    ///
    /// - Throws: `LMDBError` or `FileFailure` where the system does not give a file now.
    init(of files: StoreFiles, stateFolder: URL, now: Int64) throws {
        let recovery = RecoveryFiles(files.folder)
        let record = FailureRecord.read(recovery.failure)
        if let choice = try Choice.read(recovery) {
            self = .staged(record, choice)
        } else if let record {
            self = .waiting(record)
        } else if let finding = try Self.look(at: files, stateFolder, now: now) {
            self = .damaged(finding)
        } else {
            self = .inUse
        }
    }

    /// What keeps the store from being used, in plain words; `nil` where nothing does.
    var damage: String? {
        switch self {
        case .inUse: nil
        case .damaged(let finding): "The log is damaged: \(finding.message)."
        case .waiting(let record): "The store is waiting for recovery: \(record.message)."
        case .staged: "The next command carries out what was decided about the damaged log."
        }
    }

    private static func look(at files: StoreFiles, _ stateFolder: URL, now: Int64) throws -> Incident.Finding? {
        let wasClean = OpenMark.left(by: files.folder, in: stateFolder).isEmpty
        let lookedAt = LookedAt("log.mdb", of: files.folder, in: stateFolder)
        let preflight = Preflight(RecoveryFiles(files.folder))
        if wasClean, lookedAt.isKnown(now: now) { return try preflight.finding(isFull: false) }
        return try lookedAt.looking(now: now, wasClean: wasClean) { try preflight.finding(isFull: true) }
    }
}

import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair

/// Carries out the decision: replaces the damaged log by the chosen one, including the events logged meanwhile.
///
/// Each step detects what an earlier attempt has done, so if a process is killed at any point, the next one completes
/// the work:
///
/// 1. copies the events logged meanwhile to the chosen log; the temporary store can no longer be written
/// 2. replaces the damaged store's key by that of the temporary store, which continues as that replica
/// 3. replaces the damaged log, whose bytes are in `EmergencyBackup`
/// 4. removes the views, since they are folds of another log, and moves snapshots aside that contain lost events
/// 5. writes the receipt beside the damaged file
/// 6. once an event records the result, ``finish()`` ends the recovery
package struct Applying: Sendable {
    let files: RecoveryFiles
    let choice: Choice
    let arrival: Arrival
    /// How long to wait for other writers.
    let patience: WriterLock.Patience
    /// Reads the key of the store; `nil` if there is none.
    private let key: @Sendable () throws -> Identity?

    package init(
        _ choice: Choice, in files: RecoveryFiles, arrival: Arrival,
        patience: WriterLock.Patience = WriterLock.Patience(), key: (@Sendable () throws -> Identity?)? = nil
    ) {
        (self.files, self.choice, self.arrival, self.patience) = (files, choice, arrival, patience)
        self.key = key ?? { try Self.key(at: files.identity) }
    }

    private var temporaryLog: String { files.temporary.appending(path: "log.mdb").path }
    private var temporaryKey: String { files.temporary.appending(path: "identity").path }

    /// A log that is needed for the chosen one is damaged or missing.
    package enum Damaged: Error, Hashable, Sendable {
        /// The rebuilt log: it has to be rebuilt again from the preserved file.
        case restored
        /// The log of the temporary store: opening that store recovers it.
        case temporary
    }

    /// The result of carrying out the decision.
    package enum Outcome: Hashable, Sendable {
        /// The chosen log is in place; with its receipt, if there is one.
        case done(Receipt?)
        /// Another process has ended this recovery, or the decision was changed since.
        case over
    }

    /// Does the remaining steps, while nobody else writes to the store.
    ///
    /// - Throws: ``Damaged``, ``FileFailure``, `LMDBError`, `EventLogError`; then the next attempt resumes.
    package func run() throws -> Outcome {
        try files.withLock(patience) {
            guard try Choice.read(files) == choice else { return .over }
            return .done(try WriterLock.at(files.log).withLock(patience) { try carryOut() })
        }
    }

    private func carryOut() throws -> Receipt? {
        let isRestoring = choice.way == .salvage || choice.way == .snapshot
        let failure = try RecoveryFiles.decoded(FailureRecord.self, at: files.failure)
        let receipt = isRestoring ? try RecoveryFiles.decoded(Receipt.self, at: files.restoredReceipt) : nil
        let chosen = isRestoring ? files.restoredLog : temporaryLog
        // The chosen log neither exists nor was put in place.
        guard RecoveryFiles.exists(chosen) || RecoveryFiles.exists(files.log) else {
            throw isRestoring ? Damaged.restored : Damaged.temporary
        }
        if RecoveryFiles.exists(chosen) {
            // The logs may have been written days ago, so check them again.
            if RecoveryFiles.exists(temporaryLog), try LogCheck.damage(of: temporaryLog, .everything) != nil {
                throw Damaged.temporary
            }
            if isRestoring {
                // A log without a receipt was found damaged before, and has not been rebuilt yet.
                guard receipt != nil,
                    try LogCheck.damage(of: chosen, .everything) == nil
                else {
                    try DurableFile.remove(files.restoredReceipt)
                    throw Damaged.restored
                }
                if RecoveryFiles.exists(temporaryLog) { try joinTemporary(to: chosen) }
            }
            if RecoveryFiles.exists(temporaryKey) { try DurableFile.rename(temporaryKey, to: files.identity) }
            // A process that has the old file open must not leave a lock file that is taken for the new file's.
            try DurableFile.remove(chosen + "-lock")
            try DurableFile.remove(files.log + "-lock")
            try DurableFile.rename(chosen, to: files.log)
        }
        for path in [files.views, files.views + "-lock"] { try DurableFile.remove(path) }
        if let receipt, let failure {
            let backup = try EmergencyBackup.folder(of: failure, in: files)
            try setSnapshotsAside(receipt, in: backup)
            try receipt.write(to: backup.appending(path: "receipt.json").path)
        }
        return receipt
    }

    /// Ends the recovery, after its result was recorded; does nothing if another process has ended it.
    ///
    /// - Throws: ``FileFailure``; then the next attempt resumes.
    package func finish() throws {
        guard RecoveryFiles.exists(files.choice) else { return }
        try files.withLock(patience) {
            guard try Choice.read(files) == choice else { return }
            try keepBackupsOfTemporary()
            try DurableFile.remove(files.failure)
            try DurableFile.flushFolder(of: files.failure)
            try DurableFile.remove(files.choice)
            try? FileManager.default.removeItem(at: files.work)
        }
    }

    /// Moves the preserved files of the temporary store, if it was damaged as well, beside those of the store.
    private func keepBackupsOfTemporary() throws {
        let kept = RecoveryFiles(files.temporary).backups
        guard RecoveryFiles.exists(kept.path) else { return }
        let record = FailureRecord.read(files.failure)
        let folder = try record.map { try EmergencyBackup.folder(of: $0, in: files) } ?? files.backups
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try DurableFile.rename(kept.path, to: folder.appending(path: "meanwhile").path)
    }

    /// Copies the events of the temporary store to the chosen log, and moves ownership there.
    private func joinTemporary(to chosen: String) throws {
        let log = try EventLog(opening: chosen)
        let temporary = try EventLog(opening: temporaryLog)
        defer {
            try? temporary.close()
            try? log.close()
        }
        // The key of the damaged store, if it is here, signs the final heads of its histories.
        let former = try key()
        if let claim = try temporary.claim() {
            let words = try former.map { try log.ownHeads(of: $0) } ?? []
            try log.claim { _ in (claim, words) }
            // From here on nobody may write to the temporary store: events after the copy would be lost.
            try temporary.giveUpClaim()
        }
        var frames: [[UInt8]] = []
        try temporary.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            if frames.count >= 4096, frame.rest == 0 {
                _ = try log.append(copying: frames, arrival: arrival)
                frames.removeAll()
            }
            return true
        }
        if !frames.isEmpty { _ = try log.append(copying: frames, arrival: arrival) }
    }

    private static func key(at path: String) throws -> Identity? {
        guard let bytes = try DurableFile.read(path), bytes.count == 32 else { return nil }
        return Identity(secret: [UInt8](bytes))
    }

    /// Moves snapshots that contain lost events to the backup folder: they show more than the log, so they are not
    /// snapshots of it. They are not deleted.
    private func setSnapshotsAside(_ receipt: Receipt, in backup: URL) throws {
        let lost = EventSet(receipt.lost.compactMap(\.events))
        guard !lost.isEmpty else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.snapshots.path)) ?? []
        for name in names.sorted() where name.hasSuffix(".snapshot") {
            let path = files.snapshots.appending(path: name).path
            guard let vector = SnapshotVector.read(path),
                lost.ranges.contains(where: { vector[$0.replica] >= $0.first })
            else { continue }
            try DurableFile.rename(path, to: backup.appending(path: name).path)
        }
    }
}

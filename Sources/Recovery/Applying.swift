import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB

/// Carries out what was decided: puts the log that was chosen in the place of the damaged one, with what was logged
/// meanwhile in it.
///
/// Each step finds what an earlier try has done already, so a process that is killed anywhere leaves a store that the
/// next one finishes:
///
/// 1. what was logged meanwhile is copied into the log that was chosen; the temporary store can be written no more
/// 2. the temporary store's key takes the place of the damaged store's: it goes on as that replica
/// 3. the log takes the place of the damaged one, whose bytes lie in `EmergencyBackup`
/// 4. the views go, since they are folds of another log; so do snapshots that hold what was lost
/// 5. the receipt is put beside the damaged file
/// 6. once an event says what happened, ``finish()`` ends the recovery
package struct Applying: Sendable {
    let files: RecoveryFiles
    let choice: Choice
    let arrival: Arrival
    /// How long others who write are waited for.
    let patience: WriterLock.Patience

    package init(
        _ choice: Choice, in files: RecoveryFiles, arrival: Arrival,
        patience: WriterLock.Patience = WriterLock.Patience()
    ) {
        (self.files, self.choice, self.arrival, self.patience) = (files, choice, arrival, patience)
    }

    private var temporaryLog: String { files.temporary.appending(path: "log.mdb").path }
    private var temporaryKey: String { files.temporary.appending(path: "identity").path }

    /// A log that was to be put in place, or joined to it, is damaged or gone by now.
    package enum Damaged: Error, Hashable, Sendable {
        /// What was made from what could be salvaged: it is made once more, from the preserved file.
        case restored
        /// That of the store that was used meanwhile: opening that store gets out what can be got out.
        case temporary
    }

    /// What came of carrying out what was decided.
    package enum Outcome: Hashable, Sendable {
        /// The log that was chosen is in place; with the receipt, where there is one.
        case done(Receipt?)
        /// Another process has ended this recovery, or something else was decided since.
        case over
    }

    /// Does what is still to be done, while nobody writes to the store.
    ///
    /// - Throws: ``Damaged``, ``FileFailure``, `LMDBError`, `EventLogError`; then the next try goes on.
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
        // Neither is it made, nor was it put in place.
        guard RecoveryFiles.exists(chosen) || RecoveryFiles.exists(files.log) else {
            throw isRestoring ? Damaged.restored : Damaged.temporary
        }
        if RecoveryFiles.exists(chosen) {
            // Days may have passed since they were written.
            if RecoveryFiles.exists(temporaryLog), try LogLook.damage(of: temporaryLog, .everything) != nil {
                throw Damaged.temporary
            }
            if isRestoring {
                // One without its receipt was found damaged before, and nobody came to make it once more.
                guard receipt != nil,
                    try LogLook.damage(of: chosen, .everything) == nil
                else {
                    try DurableFile.remove(files.restoredReceipt)
                    throw Damaged.restored
                }
                if RecoveryFiles.exists(temporaryLog) { try joinTemporary(to: chosen) }
            }
            if RecoveryFiles.exists(temporaryKey) { try DurableFile.rename(temporaryKey, to: files.identity) }
            // Whoever has the old file open must not leave a lock behind that is taken for one of the new.
            try DurableFile.remove(chosen + "-lock")
            try DurableFile.remove(files.log + "-lock")
            try DurableFile.rename(chosen, to: files.log)
        }
        for path in [files.views, files.views + "-lock"] { try DurableFile.remove(path) }
        if let receipt, let failure, !failure.backup.isEmpty {
            let backup = files.folder.appending(path: failure.backup)
            try setSnapshotsAside(receipt, in: backup)
            try receipt.write(to: backup.appending(path: "receipt.json").path)
        }
        return receipt
    }

    /// Recovery is over: called once it was written down. Where another process has ended it, that is all.
    ///
    /// - Throws: ``FileFailure``; then the next try goes on.
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

    /// Where the store that was used meanwhile was damaged as well, its preserved files go beside those of the store.
    private func keepBackupsOfTemporary() throws {
        let kept = RecoveryFiles(files.temporary).backups
        guard RecoveryFiles.exists(kept.path) else { return }
        let backup = (FailureRecord.read(files.failure)?.backup).flatMap { $0.isEmpty ? nil : $0 } ?? "EmergencyBackup"
        let folder = files.folder.appending(path: backup)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try DurableFile.rename(kept.path, to: folder.appending(path: "meanwhile").path)
    }

    /// Copies what was logged meanwhile.
    private func joinTemporary(to chosen: String) throws {
        let log = try EventLog(opening: chosen)
        let temporary = try EventLog(opening: temporaryLog)
        defer {
            try? temporary.close()
            try? log.close()
        }
        // The key of the damaged store vouches once more for what it wrote, as long as it is here.
        let former = try Self.key(at: files.identity)
        if let claim = try temporary.claim() {
            let words = try former.map { try log.ownHeads(of: $0) } ?? []
            try log.claim { _ in (claim, words) }
            // From here on nobody writes to the temporary store: what came behind the copy would be lost.
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

    /// A snapshot that holds what was lost shows more than the log: it is no snapshot of it. What it shows is not thrown
    /// away either.
    private func setSnapshotsAside(_ receipt: Receipt, in backup: URL) throws {
        let lost = EventSet(receipt.lost.compactMap(\.events))
        guard !lost.isEmpty else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.snapshots.path)) ?? []
        for name in names.sorted() where name.hasSuffix(".snapshot") {
            let path = files.snapshots.appending(path: name).path
            guard let vector = SnapshotVector.read(path),
                lost.ranges.contains(where: { vector[$0.replica] >= $0.first })
            else { continue }
            try FileManager.default.createDirectory(at: backup, withIntermediateDirectories: true)
            try DurableFile.rename(path, to: backup.appending(path: name).path)
        }
    }
}

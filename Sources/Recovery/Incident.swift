import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveProjections

/// The first steps after a store is found damaged: preserves the log, records the failure, and rebuilds the log that is
/// offered first.
package struct Incident: Sendable {
    /// The damage that was found.
    package struct Finding: Error, Hashable, Sendable {
        /// The code for scripts: `damaged`, `missing`, `archived`.
        package let code: String
        /// A description in plain words, without any logged content.
        package let message: String
        /// The damaged file of the store.
        package let file: String

        package init(code: String, message: String, file: String) {
            (self.code, self.message, self.file) = (code, message, file)
        }
    }

    /// Inputs from outside the damaged file; the closures are called only if needed.
    package struct Surroundings: Sendable {
        /// The present moment.
        package let arrival: Arrival
        /// The source of random numbers.
        package let random: @Sendable () -> UInt64
        /// Returns the id of the log from another source, if the file does not contain it.
        package let logName: @Sendable () -> LogID?
        /// Returns what other sources know of the log's size.
        package let witnesses: @Sendable () -> [Rebuild.Witness]
        /// Returns the newest snapshot.
        package let snapshot: @Sendable () -> FailureRecord.Snapshot?
        /// How long to wait for other writers.
        package let patience: WriterLock.Patience

        package init(
            arrival: Arrival, random: @escaping @Sendable () -> UInt64, logName: @escaping @Sendable () -> LogID?,
            witnesses: @escaping @Sendable () -> [Rebuild.Witness],
            snapshot: @escaping @Sendable () -> FailureRecord.Snapshot?,
            patience: WriterLock.Patience = WriterLock.Patience()
        ) {
            (self.arrival, self.random, self.logName) = (arrival, random, logName)
            (self.witnesses, self.snapshot, self.patience) = (witnesses, snapshot, patience)
        }

        var date: Date { Date(timeIntervalSince1970: Double(arrival.wallMilliseconds / 1000)) }
    }

    let files: RecoveryFiles
    let surroundings: Surroundings

    package init(_ files: RecoveryFiles, _ surroundings: Surroundings) {
        self.files = files
        self.surroundings = surroundings
    }

    /// Preserves the damaged log and puts the store into recovery. If another process has done so meanwhile, returns
    /// its record.
    ///
    /// The log is moved away while nobody writes to it; a process that has it open notices that before its next commit.
    /// So the preserved file contains everything that was ever acknowledged.
    ///
    /// - Throws: ``NotPreserved``; `LMDBError` if another writer does not finish in time. Then the log is still at its
    ///   path. ``NotWrittenDown`` if the log was preserved but the record could not be written; the next call resumes
    ///   from there.
    package func begin(_ finding: Finding) throws -> FailureRecord {
        try files.withLock(surroundings.patience) {
            try WriterLock.at(files.log).withLock(surroundings.patience) { try beginLocked(finding) }
        }
    }

    /// The damaged log could not be preserved.
    package struct NotPreserved: Error, Hashable, Sendable {
        package let cause: FileFailure
    }

    /// The damaged log was preserved in the folder `backup`, but the failure record could not be written.
    package struct NotWrittenDown: Error, Hashable, Sendable {
        package let backup: String
        package let cause: FileFailure
    }

    private func beginLocked(_ finding: Finding) throws -> FailureRecord {
        if let record = FailureRecord.read(files.failure) { return record }
        // These are files of a finished recovery.
        if !files.isWaiting {
            for name in try FileManager.default.contentsOfDirectory(atPath: files.work.path) {
                try FileManager.default.removeItem(at: files.work.appending(path: name))
            }
        }
        var record = FailureRecord(
            at: surroundings.date, code: finding.code, message: finding.message, file: finding.file, backup: "")
        if RecoveryFiles.exists(files.log) {
            let backup: EmergencyBackup
            do {
                backup = try EmergencyBackup(files.log, of: files, at: surroundings.date)
            } catch let cause as FileFailure { throw NotPreserved(cause: cause) }
            record.backup = backup.name
            record.isMoved = backup.isMoved
        } else if let name = EmergencyBackup.lastPreserved(files) {
            (record.backup, record.isMoved) = (name, true)
        }
        if !record.backup.isEmpty, let salvage = try? Salvage(path: source(record)) {
            for entry in salvage.vector.entries { record.lastGood["\(entry.replica)"] = entry.sequence }
        }
        record.snapshot = surroundings.snapshot()
        do { try record.write(to: files.failure) } catch let cause as FileFailure {
            throw NotWrittenDown(backup: record.backup, cause: cause)
        }
        return record
    }

    /// Rebuilds the log that is offered first from the salvaged events, unless that was done already.
    ///
    /// - Throws: If it cannot be written; it is tried again when the store is opened next.
    ///
    /// - Parameter snapshot: The file of a snapshot that replaces everything up to its vector; then the log is always
    ///   rebuilt, even if the damaged log is gone.
    /// - Returns: The receipt; `nil` if there is neither a preserved log nor a snapshot.
    package func prepare(_ record: FailureRecord, snapshot: String? = nil) throws -> Receipt? {
        try files.withLock(surroundings.patience) {
            if snapshot == nil, let receipt = Receipt.read(files.restoredReceipt),
                RecoveryFiles.exists(files.restoredLog)
            {
                return receipt
            }
            let isPreserved = !record.backup.isEmpty && RecoveryFiles.exists(source(record))
            guard isPreserved || snapshot != nil else { return nil }
            try FileManager.default.createDirectory(
                at: files.restored, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try DurableFile.remove(files.restoredReceipt)
            var source = self.source(record)
            if !isPreserved {
                // The log itself is gone: nothing can be salvaged, and the snapshot is all there is.
                source = files.restored.appending(path: "nothing").path
                try DurableFile.write([], to: source)
            }
            let salvage = try Salvage(path: source)
            // A complete copy should be readable, if not now then later; of a moved file on a bad disk, take what can
            // be read.
            if salvage.unreadCount > 0, !record.isMoved || salvage.count == 0 {
                throw FileFailure("read", source, code: EIO)
            }
            let rebuild = Rebuild(
                log: try logName(salvage), witnesses: surroundings.witnesses(), arrival: surroundings.arrival,
                epoch: surroundings.random())
            let (information, bytes) = try snapshot.map { try Self.read($0, for: salvage) } ?? (nil, [])
            let receipt = try rebuild.run(
                salvage, source: isPreserved ? "\(record.backup)/log.mdb" : "", to: files.restoredLog,
                snapshot: information, bytes: bytes)
            try receipt.write(to: files.restoredReceipt)
            return receipt
        }
    }

    /// Reads a snapshot; throws unless it is undamaged and covers all archived history.
    private static func read(_ path: String, for salvage: Salvage) throws -> (SnapshotInformation?, [UInt8]) {
        let information = try Snapshot.verify(at: path)
        if let archived = salvage.archived, !information.vector.covers(archived) {
            throw Finding(code: "archived", message: "the snapshot is older than what was archived", file: path)
        }
        return (information, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    /// Returns the id of the log: from the file, else from another source, else the one generated before, else a new
    /// one.
    package func logName(_ salvage: Salvage?) throws -> LogID {
        if let log = salvage?.log ?? surroundings.logName() { return log }
        let path = files.work.appending(path: "log").path
        if let text = try DurableFile.read(path),
            let log = LogID(text: String(decoding: text, as: UTF8.self))
        {
            return log
        }
        let log = LogID(high: surroundings.random(), low: surroundings.random())
        try DurableFile.write(Array("\(log)".utf8), to: path)
        return log
    }

    /// Returns the id as ``logName(_:)`` does, for the preserved file.
    package func logName(_ record: FailureRecord) throws -> LogID {
        try logName(record.backup.isEmpty ? nil : try? Salvage(path: source(record)))
    }

    /// The path of the preserved damaged file.
    private func source(_ record: FailureRecord) -> String {
        files.folder.appending(path: record.backup).appending(path: "log.mdb").path
    }
}

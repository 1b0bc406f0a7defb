import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveProjections

/// The first steps once a store is found damaged: preserve, say so, and prepare what will be offered first.
package struct Incident: Sendable {
    /// What was found.
    package struct Finding: Error, Hashable, Sendable {
        /// The word for scripts: `damaged`, `missing`, `archived`.
        package let code: String
        /// In plain words, without anything of what was logged.
        package let message: String
        /// Which file of the store.
        package let file: String

        package init(code: String, message: String, file: String) {
            (self.code, self.message, self.file) = (code, message, file)
        }
    }

    /// What is known beside the file, asked only where it is needed.
    package struct Surroundings: Sendable {
        /// The present moment.
        package let arrival: Arrival
        /// Chance.
        package let random: @Sendable () -> UInt64
        /// What else tells the name of the log, where the file does not.
        package let logName: @Sendable () -> LogID?
        /// What else tells how much it had.
        package let witnesses: @Sendable () -> [Rebuild.Witness]
        /// The newest snapshot.
        package let snapshot: @Sendable () -> FailureRecord.Snapshot?
        /// How long others who write are waited for.
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

    /// Preserves the damaged log and has the store wait in recovery. Where another process did so meanwhile, its record
    /// is returned.
    ///
    /// The log leaves its place, while nobody writes to it: a program that has it open meets that before its next commit.
    /// So what is preserved holds everything that was ever acknowledged.
    ///
    /// - Throws: ``NotPreserved``; `LMDBError` where somebody writes and does not finish. Then the log is where it was.
    ///   ``NotWrittenDown`` where it was preserved; the next call goes on from there.
    package func begin(_ finding: Finding) throws -> FailureRecord {
        try files.withLock(surroundings.patience) {
            try WriterLock.at(files.log).withLock(surroundings.patience) { try beginAlone(finding) }
        }
    }

    /// The damaged log could not be preserved.
    package struct NotPreserved: Error, Hashable, Sendable {
        package let cause: FileFailure
    }

    /// The damaged log lies in the folder `backup`, and that could not be written down.
    package struct NotWrittenDown: Error, Hashable, Sendable {
        package let backup: String
        package let cause: FileFailure
    }

    private func beginAlone(_ finding: Finding) throws -> FailureRecord {
        if let record = FailureRecord.read(files.failure) { return record }
        // What lies there is of a recovery that is over.
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

    /// Makes the log that is offered first from what can be salvaged, unless that was done already.
    ///
    /// - Throws: Where it cannot be written; then it is tried again when the store is opened next.
    ///
    /// - Parameter snapshot: The file of a snapshot that shall stand for everything up to its vector: then the log is made
    ///   once more.
    package func prepare(_ record: FailureRecord, snapshot: String? = nil) throws -> Receipt? {
        try files.withLock(surroundings.patience) {
            if snapshot == nil, let receipt = Receipt.read(files.restoredReceipt),
                RecoveryFiles.exists(files.restoredLog)
            {
                return receipt
            }
            let source = self.source(record)
            guard !record.backup.isEmpty, RecoveryFiles.exists(source) else { return nil }
            try FileManager.default.createDirectory(
                at: files.restored, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try DurableFile.remove(files.restoredReceipt)
            let salvage = try Salvage(path: source)
            // A copy that was written whole can be read whole, if not now; of a file on a bad disk one takes what there is.
            if salvage.unreadCount > 0, !record.isMoved || salvage.count == 0 {
                throw FileFailure("read", source, code: EIO)
            }
            let rebuild = Rebuild(
                log: try logName(salvage), witnesses: surroundings.witnesses(), arrival: surroundings.arrival,
                epoch: surroundings.random())
            let (information, bytes) = try snapshot.map { try Self.read($0, for: salvage) } ?? (nil, [])
            let receipt = try rebuild.run(
                salvage, source: "\(record.backup)/log.mdb", to: files.restoredLog, snapshot: information, bytes: bytes)
            try receipt.write(to: files.restoredReceipt)
            return receipt
        }
    }

    /// A snapshot, every byte of which is what was written, and that stands for all that an archive stood for.
    private static func read(_ path: String, for salvage: Salvage) throws -> (SnapshotInformation?, [UInt8]) {
        let information = try Snapshot.verify(at: path)
        if let archived = salvage.archived, !information.vector.covers(archived) {
            throw Finding(code: "archived", message: "the snapshot is older than what was archived", file: path)
        }
        return (information, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    /// The name of the log: what the file says, else what else is known, else one that was made up before, else a new one.
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

    /// As ``logName(_:)`` of the file that was preserved.
    package func logName(_ record: FailureRecord) throws -> LogID {
        try logName(record.backup.isEmpty ? nil : try? Salvage(path: source(record)))
    }

    /// The damaged file, as it was preserved.
    private func source(_ record: FailureRecord) -> String {
        files.folder.appending(path: record.backup).appending(path: "log.mdb").path
    }
}

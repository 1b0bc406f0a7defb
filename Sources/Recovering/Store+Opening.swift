import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecovery
import GroundwaveStore
import GroundwaveSyncing

extension Store {
    /// Opens the store in a folder and brings its views up to date; if its log is damaged, returns its recovery
    /// instead.
    ///
    /// Opening for reading changes no byte of the store, except for lock files: views that are not up to date are
    /// built in a temporary folder. Damage is the exception: it is preserved and recorded even then.
    ///
    /// Each open checks the pages that lead to the events. It checks every page if a process ended without closing
    /// the store, if damage was met before, or if the file is not as Groundwave last left it. Damage therefore ends
    /// at most one process.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no store; `joining` if ``join(_:at:_:unlocking:progress:)`` has not
    ///   fetched everything yet; `damaged` if a damaged store cannot be preserved; `notPermitted` if it is opened for writing
    ///   and its key is in the keychain of another program, `busy` if the keychain cannot be used now; then nothing was changed.
    public static func open(at url: URL, _ configuration: Configuration = Configuration()) async throws -> Opening {
        try await open(at: url, configuration, isJoining: false)
    }

    /// - Parameter isJoining: Whether this continues a join, so that the store need not be complete.
    static func open(at url: URL, _ configuration: Configuration, isJoining: Bool) async throws -> Opening {
        let files = StoreFiles(url, configuration.keychain)
        let recovery = RecoveryFiles(files.folder)
        return try await describing(files) {
            // Before the store is marked as open.
            _ = try RegisteredKinds.kinds(configuration)
            guard files.exists || recovery.isWaiting else {
                try Joining.refuse(files)
                throw StoreFiles.noStore(in: files.folder)
            }
            if !isJoining { try Joining.refuse(files) }
            switch try StoreCondition(of: files, configuration) {
            case .staged(let record, let choice):
                try await carryOut(choice, record, files, configuration)
                // The restored store is checked like any other.
                return try await open(at: url, configuration, isJoining: isJoining)
            case .waiting(let record): return .recovering(try await Recovery.resume(record, files, configuration))
            case .damaged(let finding): return .recovering(try await Recovery.begin(finding, files, configuration))
            case .inUse:
                guard !configuration.isReadOnly else { break }
                recovery.removeLeftovers()
                // A join that has ended may have been killed before it removed its snapshot.
                if !isJoining { JoinedSnapshot(files).remove() }
            }
            return try await openChecked(files, configuration)
        }
    }

    /// Opens a store whose log has been checked.
    ///
    /// If liblmdb, or the rows that record how far the log goes, report damage, every page is checked. If that finds
    /// nothing, the open is tried once again: a page may have been unreadable for a moment.
    private static func openChecked(
        _ files: StoreFiles, _ configuration: Configuration, isRetry: Bool = false
    ) async throws -> Opening {
        let left = OpenMark.left(by: files.folder, in: configuration.stateFolder)
        let mark = OpenMark(files.folder, in: configuration.stateFolder)
        do {
            let damage = ViewsCondition.damage(
                in: files.folder, stateFolder: configuration.stateFolder,
                now: configuration.surroundings.now().wallMilliseconds, wasClean: left.isEmpty)
            // They are rebuilt from the log, which was found intact; those of a read-only store in a temporary folder.
            if let damage {
                Subsystem.recovery.logger.warning(
                    "the views are damaged: they are rebuilt", metadata: ["reason": "\(damage)"])
            }
            let store = try openWhole(files, configuration, mark, areViewsDamaged: damage != nil)
            if !left.isEmpty, damage == nil {
                Subsystem.recovery.logger.notice(
                    "every page was checked, and nothing is wrong",
                    metadata: ["reason": "a program ended without closing the store, or met damage"])
            }
            // Read-only views stay as they are, and so do the marks that cause them to be checked.
            if damage == nil || !configuration.isReadOnly { OpenMark.forget(left) }
            for component in configuration.components { await component.didOpen?(store) }
            return .ready(store)
        } catch {
            guard let finding = error as? Incident.Finding ?? Preflight.finding(in: error) else { throw error }
            OpenMark.suspect(files.folder, in: configuration.stateFolder)
            switch try StoreCondition(of: files, configuration) {
            case .damaged(let found): return .recovering(try await Recovery.begin(found, files, configuration))
            case .waiting(let record): return .recovering(try await Recovery.resume(record, files, configuration))
            case .inUse where !isRetry: return try await openChecked(files, configuration, isRetry: true)
            case .inUse, .staged: return .recovering(try await Recovery.begin(finding, files, configuration))
            }
        }
    }

    /// Carries out the decision, and records that it was carried out.
    ///
    /// If the restored log is damaged by now, this recovery ends nevertheless: the next check of the store begins
    /// another one.
    private static func carryOut(
        _ choice: Choice, _ record: FailureRecord?, _ files: StoreFiles, _ configuration: Configuration
    ) async throws {
        var writable = configuration
        (writable.isReadOnly, writable.archives) = (false, [])
        // A key that is to stay must not be replaced by that of the temporary store.
        _ = try files.identityUnlessDamaged()
        let applying = Applying(
            choice, in: RecoveryFiles(files.folder), arrival: configuration.surroundings.now(),
            patience: configuration.writerPatience, key: { try files.identityUnlessDamaged() })
        if choice.way == .reset {
            try SyncFile.file(of: files).update { file in
                file.isOff = true
                return true
            }
        }
        let outcome: Applying.Outcome
        do { outcome = try applying.run() } catch let damaged as Applying.Damaged {
            try await prepareAgain(damaged, choice, record, files, writable)
            do { outcome = try applying.run() } catch is Applying.Damaged {
                throw StoreError(
                    .damaged, "The restored log of \(files.folder.path) was damaged again immediately.",
                    hint: "Check the disk.", cause: damaged)
            }
        }
        guard case .done(let receipt) = outcome else { return }
        do {
            if let finding = try Preflight(RecoveryFiles(files.folder)).finding(isFull: true) { throw finding }
            try tellWhatSealed(files)
            let store = try openWhole(
                files, writable, OpenMark(files.folder, in: configuration.stateFolder), areViewsDamaged: false)
            try await store.noteRecovery(choice, receipt)
            try store.close()
        } catch {
            guard error is Incident.Finding || Preflight.finding(in: error) != nil else { throw error }
            OpenMark.suspect(files.folder, in: configuration.stateFolder)
        }
        try applying.finish()
    }

    /// Tells a log that was salvaged which event has sealed it, before anything is folded: else a stranger's erase would count.
    private static func tellWhatSealed(_ files: StoreFiles) throws {
        guard let keys = try files.readLogKeys() else { return }
        let log = try EventLog(opening: files.log)
        defer { try? log.close() }
        if keys.log == log.id { _ = try log.believe(keys.root) }
    }

    /// Prepares the restore again, because its files are damaged by now.
    private static func prepareAgain(
        _ damaged: Applying.Damaged, _ choice: Choice, _ record: FailureRecord?, _ files: StoreFiles,
        _ configuration: Configuration
    ) async throws {
        guard let record else {
            throw StoreError(
                .damaged, "The salvaged log of \(files.folder.path) is damaged as well.",
                hint: "With the file in EmergencyBackup: \(.salvage(file: "FILE"))")
        }
        Subsystem.recovery.logger.error("the prepared restore is damaged: it is prepared again")
        if damaged == .temporary {
            OpenMark.suspect(RecoveryFiles(files.folder).temporary, in: configuration.stateFolder)
        }
        let recovery = try await Recovery.resume(record, files, configuration)
        if choice.way == .snapshot { try recovery.prepareWithSnapshot() }
        try recovery.temporary.close()
    }

    /// Records what was recovered and what was lost, for all devices and for ever, unless it is recorded already.
    private func noteRecovery(_ choice: Choice, _ receipt: Receipt?) async throws {
        let words =
            switch choice.way {
            case .salvage: "Recovered from a damaged log"
            case .snapshot: "Recovered from a damaged log and a snapshot"
            case .remote: "Started over after damage, with what other devices have"
            case .reset: "Started over after damage"
            }
        try await write(note: words) { batch in
            let id = RecordID(text: choice.record) ?? batch.newID()
            guard try batch.record(RecoveryKind.name, id) == nil else { return }
            try batch.append(RecoveryKind.closing(choice.way, receipt, as: id))
        }
    }
}

extension StoreCondition {
    /// As ``init(of:stateFolder:now:)``, for opening a store.
    fileprivate init(of files: StoreFiles, _ configuration: Configuration) throws {
        try self.init(
            of: files.folder, stateFolder: configuration.stateFolder,
            now: configuration.surroundings.now().wallMilliseconds)
    }
}

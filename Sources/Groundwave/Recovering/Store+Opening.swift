import EventLog
import Events
import Foundation
import LMDB
import Projections
import Recovery

extension Store {
    /// Opens the store in a folder and brings its views up to date; or, where its log is damaged, what can be used
    /// meanwhile, and what can be done.
    ///
    /// A store that is opened for reading is not changed by a byte, its lock files aside: where its views are not up to
    /// date, they are built in a temporary folder. Damage is the exception: it is preserved and told, whoever finds it.
    ///
    /// Each opening looks at what leads to the events; at every page after a process ended without closing the store, where
    /// anything met damage, and where the file is not as somebody of ours left it. So damage ends no more than one
    /// process, if any.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is none; `joining` where not everything was fetched yet that
    ///   ``join(_:at:_:)`` was to fetch; `damaged` where a damaged one cannot be preserved; then nothing was changed.
    public static func open(at url: URL, _ configuration: Configuration = Configuration()) async throws -> Opening {
        try await open(at: url, configuration, isJoining: false)
    }

    /// - Parameter isJoining: Whether this goes on with joining, so that the store need not be whole.
    static func open(at url: URL, _ configuration: Configuration, isJoining: Bool) async throws -> Opening {
        let files = StoreFiles(url)
        let recovery = RecoveryFiles(files.folder)
        return try await describing(files) {
            guard files.exists || recovery.isWaiting else {
                try Joining.refuse(files)
                throw StoreFiles.noStore(in: files.folder)
            }
            if !isJoining { try Joining.refuse(files) }
            switch try StoreCondition(of: files, configuration) {
            case .staged(let record, let choice):
                try await carryOut(choice, record, files, configuration)
                // What was put in place is looked at like any other.
                return try await open(at: url, configuration, isJoining: isJoining)
            case .waiting(let record): return .recovering(try await Recovery.resume(record, files, configuration))
            case .damaged(let finding): return .recovering(try await Recovery.begin(finding, files, configuration))
            case .inUse: if !configuration.isReadOnly { recovery.removeLeftovers() }
            }
            return try await openLookedAt(files, configuration)
        }
    }

    /// Opens a store whose log was looked at.
    ///
    /// What liblmdb, or the rows that tell how far the log goes, say of damage leads to a look at every page. Where that
    /// finds nothing, the store is opened once more: a page may not have been given for a moment.
    private static func openLookedAt(
        _ files: StoreFiles, _ configuration: Configuration, isRetry: Bool = false
    ) async throws -> Opening {
        let left = OpenMark.left(by: files.folder, in: configuration.stateFolder)
        let mark = OpenMark(files.folder, in: configuration.stateFolder)
        do {
            let damage = damageOfViews(files, configuration, wasClean: left.isEmpty)
            // They are made again from the log, which was found whole.
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
            // Views that can only be read stay as they are, and so do the marks that have them looked at.
            if damage == nil || !configuration.isReadOnly { OpenMark.forget(left) }
            await store.tidyMeters()
            return .ready(store)
        } catch {
            guard let finding = error as? Incident.Finding ?? Preflight.finding(in: error) else { throw error }
            OpenMark.suspect(files.folder, in: configuration.stateFolder)
            switch try StoreCondition(of: files, configuration) {
            case .damaged(let found): return .recovering(try await Recovery.begin(found, files, configuration))
            case .waiting(let record): return .recovering(try await Recovery.resume(record, files, configuration))
            case .inUse where !isRetry: return try await openLookedAt(files, configuration, isRetry: true)
            case .inUse, .staged: return .recovering(try await Recovery.begin(finding, files, configuration))
            }
        }
    }

    /// Why liblmdb must not see the views. A store that can only be read has others built in a temporary folder.
    private static func damageOfViews(
        _ files: StoreFiles, _ configuration: Configuration, wasClean: Bool
    ) -> String? {
        let now = configuration.surroundings.now().wallMilliseconds
        let lookedAt = LookedAt("views.mdb", of: files.folder, in: configuration.stateFolder)
        if !wasClean || !lookedAt.isKnown(now: now) {
            return lookedAt.looking(now: now, wasClean: wasClean) { Views.damage(at: files.views) }
        }
        // What is no file at all is seen, and replaced, by who opens the views.
        return (try? PageCheck.branches(of: files.views))?.first.map { "\($0)" }
    }

    /// Carries out what was decided, and writes down that it was.
    ///
    /// Where the log that was put in place is damaged by now, this recovery is over all the same: the next look at the store
    /// begins another one.
    private static func carryOut(
        _ choice: Choice, _ record: FailureRecord?, _ files: StoreFiles, _ configuration: Configuration
    ) async throws {
        var writable = configuration
        (writable.isReadOnly, writable.archives) = (false, [])
        let applying = Applying(
            choice, in: RecoveryFiles(files.folder), arrival: configuration.surroundings.now(),
            patience: configuration.writerPatience)
        if choice.way == .reset {
            try SyncFile.file(of: files).update { file in
                file.isOff = true
                return true
            }
        }
        let outcome: Applying.Outcome
        do { outcome = try applying.run() } catch let damaged as Applying.Damaged {
            try await mend(damaged, choice, record, files, writable)
            do { outcome = try applying.run() } catch is Applying.Damaged {
                throw StoreError(
                    .damaged, "What was restored for \(files.folder.path) was damaged again at once.",
                    hint: "Check the disk.", cause: damaged)
            }
        }
        guard case .done(let receipt) = outcome else { return }
        do {
            if let finding = try Preflight(RecoveryFiles(files.folder)).finding(isFull: true) { throw finding }
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

    /// Has what was to be put in place, and is damaged by now, made once more.
    private static func mend(
        _ damaged: Applying.Damaged, _ choice: Choice, _ record: FailureRecord?, _ files: StoreFiles,
        _ configuration: Configuration
    ) async throws {
        guard let record else {
            throw StoreError(
                .damaged, "What was salvaged from the damaged log of \(files.folder.path) is damaged as well.",
                hint: "Create a store elsewhere from what was preserved: groundwave salvage FILE --to PATH")
        }
        Subsystem.recovery.logger.error("what was prepared for the restore is damaged: it is made again")
        if damaged == .temporary {
            OpenMark.suspect(RecoveryFiles(files.folder).temporary, in: configuration.stateFolder)
        }
        let recovery = try await Recovery.resume(record, files, configuration)
        if choice.way == .snapshot { try recovery.prepareWithSnapshot() }
        try recovery.temporary.close()
    }

    /// Writes down what was recovered and what was lost, for all devices and for ever; where that was not done yet.
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
    /// As ``init(of:stateFolder:now:)``, for who opens the store.
    fileprivate init(of files: StoreFiles, _ configuration: Configuration) throws {
        try self.init(
            of: files, stateFolder: configuration.stateFolder,
            now: configuration.surroundings.now().wallMilliseconds)
    }
}

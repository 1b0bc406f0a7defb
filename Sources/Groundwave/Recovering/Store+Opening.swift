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
    /// A store that is opened for reading is not changed by a byte, the lock file aside: where its views are not up to
    /// date, they are built in a temporary folder. Damage is the exception: it is preserved and told, whoever finds it.
    ///
    /// Each opening looks at what leads to the events; after a process ended without closing the store, or where the
    /// file is another one than before, at every page. So damage ends no more than one process, if any.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is none; `damaged` where a damaged one cannot be
    ///   preserved; then nothing was changed.
    public static func open(at url: URL, _ configuration: Configuration = Configuration()) async throws -> Opening {
        let files = StoreFiles(url)
        let recovery = RecoveryFiles(files.folder)
        return try await describing(files) {
            guard files.exists || recovery.isWaiting else { throw StoreFiles.noStore(in: files.folder) }
            if let choice = Choice.read(recovery) {
                try await carryOut(choice, files, configuration)
            } else if let record = FailureRecord.read(recovery.failure) {
                return .recovering(try await Recovery.resume(record, files, configuration))
            } else if !configuration.isReadOnly {
                recovery.removeLeftovers()
            }
            return try await openChecked(files, configuration)
        }
    }

    private static func openChecked(_ files: StoreFiles, _ configuration: Configuration) async throws -> Opening {
        let left = OpenMark.left(by: files.folder, in: configuration.stateFolder)
        let mark = OpenMark(files.folder, in: configuration.stateFolder)
        let checked = CheckedFile(files.log, of: files.folder, in: configuration.stateFolder)
        do {
            let isFull = !left.isEmpty || !checked.isKnown
            try Preflight(RecoveryFiles(files.folder)).check(isFull: isFull)
            let damage = damageOfViews(files, isFull: isFull)
            // As long as damaged views stay, because they are only read, each opening looks at every page.
            if damage == nil || !configuration.isReadOnly { checked.note() } else { checked.forget() }
            // They are made again from the log, which was found whole.
            if let damage {
                Subsystem.recovery.logger.warning(
                    "the views are damaged: they are built anew", metadata: ["reason": "\(damage)"])
            }
            let store = try openWhole(files, configuration, mark, areViewsDamaged: damage != nil)
            OpenMark.forget(left)
            await store.tidyMeters()
            return .ready(store)
        } catch {
            guard let finding = error as? Incident.Finding ?? Preflight.finding(in: error) else { throw error }
            mark?.remove()
            return .recovering(try await Recovery.begin(finding, files, configuration))
        }
    }

    /// Why liblmdb must not see the views. A store that can only be read has others built in a temporary folder.
    private static func damageOfViews(_ files: StoreFiles, isFull: Bool) -> String? {
        if isFull { return Views.damage(at: files.views) }
        // What is no file at all is seen, and replaced, by who opens the views.
        return (try? PageCheck.branches(of: files.views))?.first.map { "\($0)" }
    }

    /// Carries out what was decided, and writes down that it was.
    private static func carryOut(_ choice: Choice, _ files: StoreFiles, _ configuration: Configuration) async throws {
        var writable = configuration
        (writable.isReadOnly, writable.archives) = (false, [])
        let applying = Applying(choice, in: RecoveryFiles(files.folder), arrival: configuration.surroundings.now())
        if choice.way == .reset {
            try SyncFile.file(of: files).update { file in
                file.isOff = true
                return true
            }
        }
        let receipt: Receipt?
        do { receipt = try applying.run() } catch let error as FileFailure { throw StoreError(file: error) }
        guard case .ready(let store) = try await openChecked(files, writable) else {
            throw StoreError(.damaged, "The log that was put in place is damaged as well.", hint: "Check the disk.")
        }
        try await store.noteRecovery(choice.way, receipt)
        try store.close()
        try applying.finish()
    }

    /// Writes down what was recovered and what was lost, for all devices and for ever.
    private func noteRecovery(_ way: Choice.Way, _ receipt: Receipt?) async throws {
        let words =
            switch way {
            case .salvage: "Recovered from a damaged log"
            case .snapshot: "Recovered from a damaged log and a snapshot"
            case .remote: "Begun anew after damage, with what others have"
            case .reset: "Begun anew after damage"
            }
        try await write(note: words) { batch in
            try batch.append(RecoveryKind.closing(way, receipt, as: batch.newID()))
        }
    }
}

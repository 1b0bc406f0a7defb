import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRecovery

/// The options for opening a store.
public struct Configuration: Sendable {
    /// The author: the operator's call, kept with every change. Empty if none is named.
    public var author: String
    /// The name of this device, which the first event of each replica of this store records. Used when the store is
    /// created, and when it continues as a new replica whose former name is not known. One line of at most 64
    /// characters; the host's name if not given.
    public var deviceName: String
    /// The application's own kinds of record.
    public var kinds: [any RecordKind.Type]
    /// The application's own projections.
    public var projections: [any Projection.Type]
    /// The parts of the library that the application uses beside the engine.
    public var components: [StoreComponent]
    /// Whether to open for reading only. A store on a read-only medium is always opened so.
    public var isReadOnly: Bool
    /// Files of archives whose events are read as if they had never left the log. The store is then read-only, and
    /// the log is copied to a temporary folder first.
    public var archives: [String]
    /// The folder with this device's halves of the ownership tokens, which tell a store from its copies. It must
    /// persist, and must not be restored together with a backup of the store; on Apple's systems it is excluded from
    /// backups. All processes that use the store need the same one: if it lies in the container of an app group, choose a
    /// folder there, since each process has an Application Support folder of its own, which is the default.
    public var stateFolder: URL
    /// How the files are protected while the device is locked; on macOS and other systems than Apple's without effect.
    public var dataProtection = DataProtection.untilFirstUnlock
    /// Keeps the secret with which the private key of this store, and the keys of a sealed log, are encrypted on disk; without
    /// one they lie there in files that only their owner can read. A store that was made without one is encrypted when it is
    /// written to; one that was made with it can be written only with it.
    public var keychain: (any Keychain)? = nil
    /// The source of time and randomness.
    public var surroundings: Surroundings
    /// How long a write waits while another program is writing. After that it throws ``StoreError`` with code `busy`,
    /// and nothing was written.
    public var patience = Duration.seconds(60)
    /// Called once for each write that has waited for two seconds, on the waiting thread.
    public var isWaiting: @Sendable (OtherWriter) -> Void = { _ in }

    /// Creates a configuration.
    public init(
        author: String = "", deviceName: String? = nil,
        kinds: [any RecordKind.Type] = [], projections: [any Projection.Type] = [],
        components: [StoreComponent] = [], isReadOnly: Bool = false, archives: [String] = [],
        stateFolder: URL? = nil, surroundings: Surroundings = .system
    ) {
        self.author = author
        self.deviceName = deviceName ?? DeviceName.ofHost()
        self.kinds = kinds
        self.projections = projections
        self.components = components
        self.isReadOnly = isReadOnly
        self.archives = archives
        self.stateFolder = stateFolder ?? Incarnation.defaultStateFolder
        self.surroundings = surroundings
    }
}

/// A logbook, meter log or whatever its kinds define: one folder with one log and its views.
///
/// It may be used from any thread, and the same folder from several processes at once.
public final class Store: Reading {
    /// The folder.
    public var url: URL { files.folder }
    /// The author of writes.
    public let author: String

    package let files: StoreFiles
    package let log: EventLog
    package let views: Views
    /// `nil` if the store is read-only.
    package let writer: Writer?
    package let erasing: Erasing
    /// Updates what depends on the log after it changed.
    package let followUp: FollowUp
    /// The parts of the library that the store was opened with.
    public let components: [StoreComponent]
    /// What they keep for it.
    package let componentState = ComponentState()
    /// Wakes observers.
    package let commits: CommitSignal
    /// The reusable past view: the file of a past state that is no longer read, for the next one.
    package let reusablePastView = ReusablePastView()
    /// Runs maintenance after writes.
    let maintenanceSchedule = MaintenanceSchedule()
    /// A copy of the log with the archived values, if the configuration names archives.
    private let filled: FilledLog?
    package let surroundings: Surroundings
    package let stateFolder: URL
    /// Marks the store as open, so that the next process notices if this one ends without closing it.
    let mark: StoreMark

    private init(
        files: StoreFiles, configuration: Configuration, log: EventLog, identity: Identity?, mayWrite: Bool,
        _ mark: OpenMark?, areViewsDamaged: Bool = false
    ) throws {
        self.files = files
        let mark = StoreMark(mark)
        self.mark = mark
        filled = configuration.archives.isEmpty ? nil : try FilledLog(log, from: configuration.archives)
        let log = filled?.log ?? log
        self.log = log
        author = configuration.author
        components = configuration.components
        surroundings = configuration.surroundings
        stateFolder = configuration.stateFolder
        readReplica = identity?.replica
        let commits = CommitSignal(of: log)
        self.commits = commits
        let kinds = try RegisteredKinds.kinds(configuration)
        views = Views(
            of: log, kinds: kinds, at: files.views, isReadOnly: !mayWrite || identity == nil,
            aside: {
                let folder = try ScratchFolder()
                return (folder.path(of: "views.mdb"), folder)
            }
        ) { rebuild in
            Subsystem.views.logger.log(
                level: rebuild.isRepair ? .warning : .debug, "rebuilt",
                metadata: ["events": "\(rebuild.events)", "reason": "\(rebuild.reason)"])
            StoreFiles.excludeFromBackups(URL(filePath: files.views))
            // If the damaged file is read-only it stays in place, so the next open must check it again.
            if rebuild.isRepair, !mayWrite { mark.abandon() }
        }
        if mayWrite, identity != nil {
            followUp = FollowUp(log: log, views: views, commits, reusablePastView, maintenanceSchedule)
            erasing = Erasing(log: log, views: views, files: files, followUp)
            writer = try Writer(
                log: log, views: views, erasing, followUp,
                Incarnation(
                    files: files, log: log, surroundings: surroundings, stateFolder: configuration.stateFolder),
                configuration.components, describing: configuration.kinds.map { $0.schema },
                deviceName: configuration.deviceName)
        } else {
            writer = nil
            if try areViewsDamaged || !views.isCurrent() { try views.moveAside() }
            followUp = FollowUp(log: log, views: views, commits, reusablePastView, maintenanceSchedule)
            erasing = Erasing(log: log, views: views, files: files, followUp)
        }
        log.usage.onReopening { [weak self] in try self?.takeUp() }
        if mayWrite { files.protect(configuration.dataProtection, stateFolder: stateFolder) }
    }

    /// Creates a new log with its first replica, in a folder without a store.
    ///
    /// - Throws: ``StoreError`` with code `exists` if a store is there already, `busy` if the keychain cannot be used now; then
    ///   nothing was changed.
    public static func create(at url: URL, _ configuration: Configuration = Configuration()) async throws -> Store {
        try Joining.refuse(StoreFiles(url))
        return try await create(at: url, log: nil, configuration)
    }

    /// Creates a store in a folder without one, as a new replica of the log `id`, or of a new log if that is `nil`.
    ///
    /// The key takes its name after the log exists. An interruption before that leaves nothing, or an empty log
    /// without key and owner; the next call continues from there.
    ///
    /// - Parameters:
    ///   - identity: The identity of its first replica; `nil` for a random one.
    ///   - former: The replica that it continues, whose store is damaged.
    package static func create(
        at url: URL, log id: LogID?, as identity: Identity? = nil, former: ReplicaID? = nil,
        _ configuration: Configuration
    ) async throws -> Store {
        let files = StoreFiles(url, configuration.keychain)
        return try await describing(files) {
            guard try !files.exists || files.isUnfinished() else {
                throw StoreError(
                    .exists, "There is already a store in \(files.folder.path).",
                    hint: "Open it, or \(.chooseFolder).")
            }
            var configuration = configuration
            configuration.deviceName = try DeviceName.checked(configuration.deviceName)
            // Before anything is written.
            _ = try RegisteredKinds.kinds(configuration)
            try files.makeFolder()
            var generator = configuration.surroundings.generator
            let identity = identity ?? Identity.random(using: &generator)
            let key = try KeyFile(identity, in: files)
            let (next, epoch) = (LogID.random(using: &generator), generator.next())
            let log: EventLog
            if files.exists {
                log = try EventLog(opening: files.log, options: configuration.logOptions)
                guard id == nil || id == log.id else {
                    throw StoreError(
                        .exists, "There is already an empty log with a different id in \(files.folder.path).")
                }
            } else {
                log = try EventLog.create(
                    at: files.log, id: id ?? next, epoch: epoch, options: configuration.logOptions)
            }
            try key.finish()
            try Incarnation(
                files: files, log: log, surroundings: configuration.surroundings, stateFolder: configuration.stateFolder
            ).claimNew(identity, former: former)
            let store = try Store(
                files: files, configuration: configuration, log: log, identity: identity, mayWrite: true,
                OpenMark(files.folder, in: configuration.stateFolder))
            try await store.introduce(isNewLog: id == nil)
            store.maintenanceSchedule.start(for: store)
            return store
        }
    }

    /// Opens a store whose files have been checked.
    ///
    /// - Parameter areViewsDamaged: Whether the views must be replaced without being opened by liblmdb.
    package static func openWhole(
        _ files: StoreFiles, _ configuration: Configuration, _ mark: OpenMark?, areViewsDamaged: Bool
    ) throws -> Store {
        var options = configuration.logOptions
        options.isReadOnly = configuration.isReadOnly || !configuration.archives.isEmpty
        // Replay trailing commits even for read-only opens, unless the medium is read-only.
        if options.isReadOnly, configuration.archives.isEmpty, EventLog.mayBeTrailed(at: files.log) {
            do { try EventLog(opening: files.log).close() } catch is LMDBError {}
        }
        let log: EventLog
        do { log = try EventLog(opening: files.log, options: options) } catch let error as LMDBError
            where error.meansReadOnly && !options.isReadOnly
        {
            options.isReadOnly = true
            log = try EventLog(opening: files.log, options: options)
        }
        // A reader needs the key only to know which events are this device's own; without a key, none are.
        let identity =
            options.isReadOnly ? try? files.readIdentity() : try identityForWriting(files, log, configuration)
        if areViewsDamaged, !options.isReadOnly {
            files.removeViews()
        }
        let store = try Store(
            files: files, configuration: configuration, log: log, identity: identity, mayWrite: !options.isReadOnly,
            mark, areViewsDamaged: areViewsDamaged)
        if !store.views.isReadOnly { try store.views.catchUp() }
        store.writer?.finishErasing()
        let events = try store.log.lastPosition()
        Subsystem.store.logger.debug(
            "opened",
            metadata: [
                "events": "\(events)", "log": "\(log.id)",
                "replica": "\(store.replica.map { $0.short } ?? "none")", "readOnly": "\(store.isReadOnly)",
            ])
        store.maintenanceSchedule.start(for: store)
        return store
    }

    /// Returns the key. If it is missing or invalid, replaces it with that of a new replica. A key that only cannot
    /// be read at the moment, or by this program, stays, and the error is thrown.
    private static func identityForWriting(
        _ files: StoreFiles, _ log: EventLog, _ configuration: Configuration
    ) throws -> Identity {
        if let identity = try files.identityUnlessDamaged() { return identity }
        return try Incarnation(
            files: files, log: log, surroundings: configuration.surroundings, stateFolder: configuration.stateFolder
        ).replaceKey()
    }

    package static func describing<Result>(
        _ files: StoreFiles, _ body: () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch {
            if error is CancellationError { throw error }
            throw StoreError.wrapping(error, file: files.log)
        }
    }

    /// As ``describing(_:_:)``, for a closure of the caller: its own errors pass unchanged.
    package func passing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await log.usage.using(body) } catch {
            throw StoreError.translating(error, file: files.log) ?? error
        }
    }

    /// The replica that this device writes as; `nil` if the store is opened without its key.
    ///
    /// It changes once the store is found to be a copy or to have been restored from a backup.
    public var replica: ReplicaID? { writer?.replica ?? readReplica }

    private let readReplica: ReplicaID?

    /// Whether the store is read-only.
    public var isReadOnly: Bool { writer == nil }

    /// The known kinds.
    public var kinds: Kinds { views.kinds }

    /// The history: who did what when.
    public var audit: Audit { Audit(of: views) }

    /// Reads from one state of the views: all answers within `body` belong together.
    ///
    /// Synchronous, on any thread; never blocks a writer. Writes of other processes before the call are included. The
    /// errors that `body` itself throws pass unchanged.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if the views are damaged and cannot be rebuilt, `notPermitted` if
    ///   they would have to be rebuilt and the store is read-only, `recovering` if the log was found damaged meanwhile,
    ///   `inputOutput` if the disk reports an error; what `body` throws.
    /// - Complexity: A look-up for each record that `body` reads; what other programs have written since the last read
    ///   is folded first.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        try passing {
            try catchUpForReading()
            return try views.read(body)
        }
    }

    /// Brings the views up to date with the writes of other processes, if the views are writable.
    package func catchUpForReading() throws {
        try log.checkAfterFailedCommit()
        if !views.isReadOnly, try views.read({ $0.position }) < log.lastPosition() { try views.catchUp() }
    }

    /// Whether the views show less, or other, than the log holds, and this store may not change them: a read-only store that
    /// another program writes to, for as long as that one has not folded what it has written.
    package func isBehindOthers() throws -> Bool { try describing { try views.isReadOnly && !views.isCurrent() } }

    /// Goes on with views of its own in a temporary folder, so that a read-only store shows what the log holds even if the
    /// program that wrote it has ended before it folded that. Cost: the next read builds them from the log.
    package func leaveOthersViews() throws { try describing { try views.moveAside() } }

    /// Writes one batch, atomic here and on every replica.
    ///
    /// When it returns, the batch is on disk and the next read of this process shows it. If it throws, nothing was
    /// written; errors that `body` itself throws pass unchanged. A task that is cancelled before the commit gets
    /// `CancellationError`; after it, cancelling is ignored. `body` may run again if another writer committed
    /// meanwhile, so it must only fill the batch.
    ///
    /// - Parameters:
    ///   - note: The reason, in the user's words; kept with the batch for ever.
    ///   - author: The author, if other than that of the store.
    ///   - expecting: What the author saw, if the batch is to be written only if that is still so, whoever writes at the
    ///     same time: on this device. What another device writes meanwhile is merged, as always.
    ///   - id: What the batch is known by, such as the text of a UUID; at most 1,024 bytes. It is written once: if it was
    ///     written before, in this process or another one, nothing is written, and its first batch is returned. `body`
    ///     runs nevertheless, for its value: ``WriteBatch/newID()`` returns the same IDs as then. The id itself is not
    ///     stored. A batch that writes nothing is not remembered.
    ///   - correlation: What the batch belongs to, such as the id of a job that writes several; kept with the note.
    ///   - causation: What made the application write it, such as the id of a message; kept with the note.
    /// - Throws: ``StoreError`` with code `conflict` if something else is so than was expected; then nothing was written.
    /// - Complexity: One commit with one flush of the disk, for one record or thousands.
    @discardableResult
    public func write<Value: Sendable>(
        note: String = "", author: String? = nil, expecting: Expectation? = nil, id: String? = nil,
        correlation: String = "", causation: String = "",
        _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
    ) async throws -> Written<Value> {
        guard let writer else {
            throw StoreError(
                .notPermitted, "The store \(files.folder.path) is read-only.",
                hint: "Copy it to a folder that can be written.")
        }
        return try await passing {
            let conditions = WriteConditions(expectation: expecting, id: id)
            let note = AuditNote(
                author: author ?? self.author, text: note, correlation: correlation, causation: causation)
            return try await writer.write(note, conditions, body)
        }
    }

    /// Waits for maintenance in progress, writes what is still in memory, and closes the files. A suspended store may be
    /// closed, too.
    ///
    /// - Throws: ``StoreError`` for the system error if what is in memory cannot be written. The events are on the disk
    ///   already.
    public func close() throws {
        maintenanceSchedule.stop()
        reusablePastView.close()
        if log.closeSuspended() { return commits.notify() }
        // Without this record of the heads, a later recovery only has less evidence of what was lost.
        try? writer?.noteHeads()
        try describing {
            views.close()
            try log.close()
        }
        mark.remove()
    }
}

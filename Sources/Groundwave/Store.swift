import EventLog
import Events
import Foundation
import LMDB
import Metering
import Projections
import Radio
import Records
import Recovery
import Settings

/// How a store is opened.
public struct Configuration: Sendable {
    /// Who writes: the operator's call, kept with every change. Empty where nobody is named.
    public var author: String
    /// The name of this device, as the first event of each replica says that this store writes as; used when the store is
    /// made, and when it goes on as a new replica and its former name is not known. One line of at most 64 characters; the
    /// host's name where none is given.
    public var deviceName: String
    /// The application's own kinds of record.
    public var kinds: [any RecordKind.Type]
    /// Open for reading only; a store on a read-only medium is opened so by itself.
    public var isReadOnly: Bool
    /// Files of archives whose events are read as if they had never left the log. The store can then only be read, and
    /// the log is copied to a temporary folder first.
    public var archives: [String]
    /// Where this device keeps what tells a store from its copies: a folder that stays, and that no backup of the store
    /// brings back with it.
    public var stateFolder: URL
    /// Where the present moment and chance come from.
    public var surroundings: Surroundings
    /// How long a write waits for another program that is writing. After that it throws ``StoreError`` with code `busy`, and
    /// nothing was written.
    public var patience = Duration.seconds(60)
    /// Called once for each write that has waited for two seconds, on the thread that waits.
    public var isWaiting: @Sendable (OtherWriter) -> Void = { _ in }

    /// A configuration of these parts.
    public init(
        author: String = "", deviceName: String? = nil,
        kinds: [any RecordKind.Type] = [], isReadOnly: Bool = false, archives: [String] = [],
        stateFolder: URL? = nil, surroundings: Surroundings = .system
    ) {
        self.author = author
        self.deviceName = deviceName ?? DeviceName.ofHost()
        self.kinds = kinds
        self.isReadOnly = isReadOnly
        self.archives = archives
        self.stateFolder = stateFolder ?? Incarnation.defaultStateFolder
        self.surroundings = surroundings
    }
}

/// What came of opening a store.
public enum Opening: Sendable {
    /// The store is whole.
    case ready(Store)
    /// The store is damaged: what can be used meanwhile, and what can be done.
    case recovering(Recovery)

    /// The store, where it is whole.
    ///
    /// - Throws: ``StoreError`` with code `recovering` where it is not; the store that is used meanwhile is closed.
    public var whole: Store {
        get throws {
            switch self {
            case .ready(let store): return store
            case .recovering(let recovery):
                try recovery.temporary.close()
                throw StoreError(
                    .recovering, "The store is waiting for recovery: \(recovery.failure.message).",
                    hint: "See groundwave recover status.")
            }
        }
    }
}

/// A logbook, meter log or whatever its kinds say: one folder, one log, and the views of it.
///
/// It may be used from any thread, and the same folder from several processes at once.
public final class Store: Reading {
    /// The folder.
    public var url: URL { files.folder }
    /// Who writes.
    public let author: String

    let files: StoreFiles
    let log: EventLog
    let views: Views
    /// `nil` where the store can only be read.
    let writer: Writer?
    let erasing: Erasing
    /// Does what follows a change of the log.
    let followUp: FollowUp
    /// Which samples travel.
    let samples: SamplePolicy
    /// Wakes whoever observes.
    let commits: CommitSignal
    /// The file of a past point that nobody reads any more, for the next one.
    let formerScratch = FormerScratch()
    /// Has due work done behind the writes.
    let dueWork = DueWorkSchedule()
    /// A copy of the log with what is archived, where that was asked for.
    private let filled: FilledLog?
    let surroundings: Surroundings
    let stateFolder: URL
    /// Says that this process has the store open, for the next one should this one end without closing it.
    private let mark: OpenMark?

    private init(
        files: StoreFiles, configuration: Configuration, log: EventLog, identity: Identity?, mayWrite: Bool,
        _ mark: OpenMark?, areViewsDamaged: Bool = false
    ) throws {
        self.files = files
        self.mark = mark
        filled = configuration.archives.isEmpty ? nil : try FilledLog(log, from: configuration.archives)
        let log = filled?.log ?? log
        self.log = log
        author = configuration.author
        surroundings = configuration.surroundings
        stateFolder = configuration.stateFolder
        readReplica = identity?.replica
        let commits = CommitSignal(of: log)
        self.commits = commits
        let kinds = Self.kinds(configuration)
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
            // The damaged file stays where it can only be read: the next opening has to look for itself.
            if rebuild.isRepair, !mayWrite { mark?.abandon() }
        }
        if mayWrite, identity != nil {
            followUp = FollowUp(log: log, views: views, commits, formerScratch, dueWork)
            erasing = Erasing(log: log, views: views, files: files, followUp)
            writer = try Writer(
                log: log, views: views, erasing, followUp,
                Incarnation(
                    files: files, log: log, surroundings: surroundings, stateFolder: configuration.stateFolder),
                deviceName: configuration.deviceName)
        } else {
            writer = nil
            if try areViewsDamaged || !views.isCurrent() { try views.moveAside() }
            followUp = FollowUp(log: log, views: views, commits, formerScratch, dueWork)
            erasing = Erasing(log: log, views: views, files: files, followUp)
        }
        samples = SamplePolicy(log: log, views: views)
    }

    /// Makes a new log with its first replica in a folder that holds no store.
    ///
    /// - Throws: ``StoreError`` with code `exists` where a store is there already; then nothing was changed.
    public static func create(at url: URL, _ configuration: Configuration = Configuration()) async throws -> Store {
        try Joining.refuse(StoreFiles(url))
        return try await create(at: url, log: nil, configuration)
    }

    /// Makes a store in a folder that holds none, as a new replica of `log`; of a new one where that is `nil`.
    ///
    /// The key takes its name last. Wherever this is interrupted, there is nothing, or an empty log without a key, which
    /// nobody has claimed: the next call goes on from there.
    ///
    /// - Parameter former: The replica that it goes on from, which is damaged.
    static func create(
        at url: URL, log id: LogID?, former: ReplicaID? = nil, _ configuration: Configuration
    ) async throws -> Store {
        let files = StoreFiles(url)
        return try await describing(files) {
            guard try !files.exists || files.isUnfinished() else {
                throw StoreError(
                    .exists, "There is a store in \(files.folder.path) already.",
                    hint: "Open it, or choose another folder with --store.")
            }
            var configuration = configuration
            configuration.deviceName = try DeviceName.checked(configuration.deviceName)
            try files.makeFolder()
            var generator = configuration.surroundings.generator
            let identity = Identity.random(using: &generator)
            let key = try KeyFile(identity, at: files.identity)
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
            try await store.introduce()
            store.dueWork.start(for: store)
            return store
        }
    }

    /// Opens a store whose files were looked at.
    ///
    /// - Parameter areViewsDamaged: Whether liblmdb must not see the views: others take their place.
    static func openWhole(
        _ files: StoreFiles, _ configuration: Configuration, _ mark: OpenMark?, areViewsDamaged: Bool
    ) throws -> Store {
        var options = configuration.logOptions
        options.isReadOnly = configuration.isReadOnly || !configuration.archives.isEmpty
        // What was acknowledged is shown after a power cut, also to who only reads; unless the medium is not written to.
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
        // To read, it is enough to know which events are this device's own; without a key none are.
        let identity =
            options.isReadOnly ? try? files.readIdentity() : try identityForWriting(files, log, configuration)
        if areViewsDamaged, !options.isReadOnly {
            for path in [files.views, files.views + "-lock"] { unlink(path) }
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
        store.dueWork.start(for: store)
        return store
    }

    /// The key; a new one, of a new replica, where it is gone or is no key. One that only cannot be read now stays.
    private static func identityForWriting(
        _ files: StoreFiles, _ log: EventLog, _ configuration: Configuration
    ) throws -> Identity {
        do { return try files.readIdentity() } catch let error as StoreError where error.code == .damaged {
            return try Incarnation(
                files: files, log: log, surroundings: configuration.surroundings, stateFolder: configuration.stateFolder
            ).replaceKey()
        }
    }

    static func kinds(_ configuration: Configuration) -> Kinds {
        Kinds(
            [
                ReplicaKind.schema, ImportKind.schema, MergeKind.schema, RevertKind.schema, ErasureKind.schema,
                ArchiveKind.schema, RecoveryKind.schema,
            ] + Radio.allKinds + Metering.allKinds + Settings.allKinds + configuration.kinds.map { $0.schema })
    }

    static func describing<Result>(
        _ files: StoreFiles, _ body: () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch {
            if error is CancellationError { throw error }
            throw StoreError.wrapping(error, file: files.log)
        }
    }

    private func passing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch {
            throw StoreError.translating(error, file: files.log) ?? error
        }
    }

    /// The replica that this device writes as; `nil` where the store is read without its key.
    ///
    /// Another one once the store was found to be a copy, or to have been put back to an earlier state.
    public var replica: ReplicaID? { writer?.replica ?? readReplica }

    private let readReplica: ReplicaID?

    /// Whether the store can only be read.
    public var isReadOnly: Bool { writer == nil }

    /// The kinds that are known.
    public var kinds: Kinds { views.kinds }

    /// Who did what when.
    public var audit: Audit { Audit(of: log, kinds: kinds) }

    /// Reads from one state of the views: all answers within `body` belong together.
    ///
    /// Synchronous, on any thread; never blocks a writer. What other processes wrote before the call is included. What
    /// `body` throws of its own comes back as it is.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        try passing {
            try catchUpForReading()
            return try views.read(body)
        }
    }

    /// Takes what other processes wrote into the views, where they may be written.
    func catchUpForReading() throws {
        try log.checkAfterFailedCommit()
        if !views.isReadOnly, try views.read({ $0.position }) < log.lastPosition() { try views.catchUp() }
    }

    /// Writes one batch, atomic here and on every replica.
    ///
    /// When it returns, the batch is on the disk and the next read of this process shows it. If it throws, nothing
    /// happened; what `body` throws of its own comes back as it is. A task that is cancelled before the commit gets
    /// `CancellationError`; after it, cancelling is ignored. `body` may run again when another writer came between; it must not do anything but fill the batch.
    ///
    /// - Parameters:
    ///   - note: Why, in the user's words; kept with the batch for ever.
    ///   - author: Who, where it is somebody else than the store was opened for.
    @discardableResult
    public func write<Value: Sendable>(
        note: String = "", author: String? = nil,
        _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
    ) async throws -> Written<Value> {
        guard let writer else {
            throw StoreError(
                .notPermitted, "The store \(files.folder.path) is read-only.",
                hint: "Copy it to a folder that can be written.")
        }
        return try await passing {
            try await writer.write(AuditNote(author: author ?? self.author, text: note), body)
        }
    }

    /// Writes what is still in memory and closes the files, after due work that has begun.
    public func close() throws {
        dueWork.stop()
        formerScratch.close()
        // A note that cannot be written is one witness less, should the log be damaged.
        try? writer?.noteHeads()
        try describing {
            views.close()
            try log.close()
        }
        mark?.remove()
    }
}

import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRecovery
import GroundwaveRemotes
import GroundwaveStore
import GroundwaveSyncing

/// Information about a store, gathered without changing it, however damaged it is.
public struct StoreInformation: Sendable {
    /// A problem of the store.
    public struct Trouble: Hashable, Sendable {
        /// The affected part: `log`, `views`, `identity`; `store` if it is being joined.
        public let part: String
        /// What is wrong, for people.
        public let message: String
        /// Whether it is damage; otherwise it resolves by itself.
        public let isDamage: Bool
    }

    /// The state of synchronisation, as recorded on this device.
    public struct Sync: Hashable, Sendable {
        /// The state of one remote.
        public struct Remote: Hashable, Sendable {
            /// Its name.
            public let name: String
            /// The time of the last successful sync pass in milliseconds since 1970; `nil` if there was none.
            public let lastSuccess: Int64?
            /// Why the last sync pass failed; `nil` if it did not.
            public let failure: String?
        }

        /// Whether the user has switched synchronisation off.
        public let isOff: Bool
        /// The remotes, by name.
        public let remotes: [Remote]

        init(_ file: SyncFile) {
            isOff = file.isOff
            remotes = file.remotes.keys.sorted().map { name in
                let standing = file.standings[name]
                return Remote(name: name, lastSuccess: standing?.lastSuccess, failure: standing?.failure)
            }
        }
    }

    /// The sizes of the files in bytes.
    public struct Sizes: Hashable, Sendable {
        /// The log.
        public var log = 0
        /// The views.
        public var views = 0
        /// The snapshots.
        public var snapshots = 0

        /// Creates empty sizes.
        public init() {}

        init(_ files: StoreFiles) {
            log = StoreFiles.byteCount(files.log)
            views = StoreFiles.byteCount(files.views)
            snapshots = files.snapshotBytes
        }
    }

    /// The sizes of the files in bytes.
    public internal(set) var bytes = Sizes()
    /// The ID of the log; `nil` if it cannot be read.
    public internal(set) var logID: LogID?
    /// This device's replica; `nil` if the key is missing, or in the keychain of another program.
    public internal(set) var replica: ReplicaID?
    /// The last event of every replica.
    public internal(set) var vector: VersionVector?
    /// The vector of the events whose values were moved to an archive; `nil` if there are none.
    public internal(set) var archived: VersionVector?
    /// The names of the replicas' devices, as far as they are known.
    public internal(set) var devices: [ReplicaID: String] = [:]
    /// The position of the last event.
    public internal(set) var position: Position?
    /// The position up to which the views have folded the log.
    public internal(set) var checkpoint: Position?
    /// The number of records of each kind: visible and hidden.
    public internal(set) var records: [String: (shown: Int, hidden: Int)] = [:]
    /// The events that are in the log and not in the views, because this version does not know their type or because
    /// their content is malformed.
    public internal(set) var unread: [UnreadEvent] = []
    /// The state of synchronisation; `nil` if its file cannot be read, and for a past moment.
    public internal(set) var sync: Sync?
    /// What the views have beside the records, for this program or another one, in the order in which it was made.
    public internal(set) var derived: [DerivedTable] = []
    /// The problems that were found.
    public internal(set) var troubles: [Trouble] = []
    /// When a check of every page of the log last found no damage, in milliseconds since 1970; `nil` if this device
    /// has no record of it.
    public internal(set) var lastChecked: Int64?
    /// The format of the log that this version writes.
    public let format = EventLog.format
    /// The version of liblmdb.
    public let lmdbVersion = LMDBLibrary.version

    /// Whether anything is damaged that cannot be rebuilt.
    public var isDamaged: Bool { troubles.contains(where: \.isDamage) }

    /// The number of events in the log.
    public var events: UInt64 { vector?.eventCount ?? 0 }
}

extension StoreInformation {
    /// Inspects the store in the folder at `url`. What cannot be read is missing here and named in ``troubles``.
    ///
    /// - Parameter stateFolder: The state folder of this device; the default one if not given.
    /// - Throws: ``StoreError`` with code `notFound` if there is neither a store nor the remains of one.
    public init(
        at url: URL, kinds: [any RecordKind.Type] = [], components: [StoreComponent] = [], stateFolder: URL? = nil
    ) throws {
        let files = StoreFiles(url)
        let stateFolder = stateFolder ?? Incarnation.defaultStateFolder
        guard files.exists || RecoveryFiles(files.folder).isWaiting else {
            try Joining.refuse(files)
            throw StoreFiles.noStore(in: files.folder)
        }
        bytes = Sizes(files)
        do {
            if let address = try Joining.address(in: files) {
                let message =
                    "It is incomplete: joining it from \(address) is not finished. To finish, join it from there again."
                troubles.append(Trouble(part: "store", message: message, isDamage: false))
            }
        } catch { note("store", error, files.folder.path) }
        do { replica = try files.readIdentity().replica } catch {
            note("identity", error, files.identity, isDamage: !files.isKeyOfAnotherProgram)
        }
        sync = (try? SyncFile.file(of: files).read()).map(Sync.init)
        let now = Surroundings.system.now().wallMilliseconds
        do {
            if let damage = try StoreCondition(of: files.folder, stateFolder: stateFolder, now: now).damage {
                troubles.append(Trouble(part: "log", message: damage, isDamage: true))
                return
            }
        } catch {
            note("log", error, files.log)
            return
        }
        lastChecked = FileCheckRecord("log.mdb", of: files.folder, in: stateFolder).lastFullCheck
        var options = Environment.Options()
        options.isReadOnly = true
        let log: EventLog
        do {
            log = try EventLog(opening: files.log, options: options)
            logID = log.id
            vector = try log.vector()
            position = try log.lastPosition()
            archived = try log.base()?.vector
        } catch {
            note("log", error, files.log)
            return
        }
        defer { try? log.close() }
        do {
            // Views that lack what this program derives are as good as any here.
            let kinds = try RegisteredKinds.kinds(Configuration(kinds: kinds, components: components))
                .withoutDerivations
            let views = Views(of: log, kinds: kinds, at: files.views)
            defer { views.close() }
            try views.read { try read($0) }
        } catch { note("views", error, files.views, isDamage: false) }
        if let checkpoint, let position, checkpoint < position {
            troubles.append(
                Trouble(
                    part: "views",
                    message:
                        "The views are \(position - checkpoint) events behind; the next write brings them up to date.",
                    isDamage: false))
        }
    }

    /// Gathers the information about a store at another moment; the sizes of its files are the present ones.
    ///
    /// - Throws: As ``Reading/read(_:)``.
    /// - Complexity: Reads every record, to count them.
    public init(of store: some Reading) throws {
        let files = StoreFiles(store.url)
        bytes = Sizes(files)
        replica = store.replica
        logID = store.logID
        archived = try store.describing { try store.log.base()?.vector }
        try store.read { view in
            try read(view)
            position = view.position
            vector = try store.audit.filter.vector ?? store.log.vector(through: view.position)
        }
    }

    private mutating func read(_ view: borrowing ViewReader) throws {
        checkpoint = view.position
        derived = view.derivedTables
        unread = try view.unreadEvents()
        for kind in try view.kindsWithRecords() {
            var (shown, hidden) = (0, 0)
            try view.forEachState(of: kind) { _, state in
                if state.isVisible { shown += 1 } else if !state.isEmpty { hidden += 1 }
                return true
            }
            records[kind] = (shown, hidden)
        }
        try view.forEachRecord(of: ReplicaKind.name) { record in
            let name = ReplicaKind.schema.value(of: "DEVICE", in: record).map { String(decoding: $0, as: UTF8.self) }
            devices[ReplicaID(high: record.id.high, low: record.id.low)] = name
            return true
        }
    }

    private mutating func note(_ part: String, _ error: any Error, _ file: String, isDamage: Bool = true) {
        let message =
            if let error = error as? ViewError {
                "The views are \(error.explanation): the next write rebuilds them from the log."
            } else { StoreError.wrapping(error, file: file).description }
        troubles.append(Trouble(part: part, message: message, isDamage: isDamage))
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

/// Whether all devices have the same events, and if not, what is missing where and why.
public struct SyncStatus: Hashable, Sendable {
    /// Another device, as known from its manifest at a remote.
    public struct Device: Hashable, Sendable {
        /// The replica that it writes as.
        public let replica: ReplicaID
        /// Its name; the start of its ID if its first event has not arrived.
        public let name: String
        /// The time of its last manifest, by its own clock: milliseconds since 1970.
        public let lastManifest: Int64
        /// Events that are here and that it does not have yet.
        public let missing: [EventRange]
        /// Events that it has and that are not here yet; none of a retired replica.
        public let has: [EventRange]
        /// Events that it has without their values, which it requests: samples that it was to get, for example. None of a
        /// retired replica.
        public let wanted: [EventRange]
        /// Replicas of which it has another history than this store.
        public let differs: [ReplicaID]
        /// Events that it had when it last said at the remote what it has, and left out, as its own events show: it shows less of
        /// the log there than elsewhere. Whoever reads only there cannot know of them.
        public let omitted: [EventRange]
        /// Whether another replica continues it: it will push no more manifests.
        public let isFormer: Bool
        /// Whether it was retired: see ``Store/retire(_:note:author:)``.
        public let isRetired: Bool
        /// Whether it was retired and has given a sign of life since.
        public let hasReturned: Bool

        /// Whether it still takes part, so that what it is missing makes the log incomplete.
        public var isLiving: Bool { !isRetired && (!isFormer || hasReturned) }

        /// Whether it has exactly what is here, and lacks no value.
        public var hasSame: Bool { missing.isEmpty && has.isEmpty && differs.isEmpty && wanted.isEmpty }
    }

    /// The state of one remote.
    public struct RemoteStatus: Hashable, Sendable {
        /// The remote.
        public let remote: Remote
        /// Whether it is a folder or a bucket, and whoever can read there can read the log.
        public let isOpen: Bool
        /// The time of the last successful sync pass: milliseconds since 1970.
        public let lastSuccess: Int64?
        /// The time of the last sync pass.
        public let lastTry: Int64?
        /// Why the last sync pass failed; `nil` if it did not.
        public let failure: String?
        /// What was rejected, by the store that pushed it.
        public let quarantined: [ReplicaID: String]
        /// The folders of stores of other logs, which are not read and do not count, each with a sentence.
        public let strangers: [ReplicaID: String]
        /// When the remote was found to have lost its contents.
        public let emptied: Int64?
        /// Events that are here and were not pushed there yet.
        public let unsent: [EventRange]
        /// The other devices that have pushed there.
        public let devices: [Device]
        /// What is missing here, whatever remote it would come from.
        public let here: Shortfall

        /// The devices that take part, other than this one.
        public var living: [Device] { devices.filter(\.isLiving) }

        /// Whether nothing that is known to exist is missing here, and nothing that is here is missing at the remote or on a
        /// device that uses it, values included.
        public var isComplete: Bool {
            here.isEmpty && lastSuccess != nil && failure == nil && quarantined.isEmpty && unsent.isEmpty
                && living.allSatisfy(\.hasSame)
        }
    }

    /// Whether the user has switched synchronisation off.
    public let isOff: Bool
    /// Whether the log is sealed.
    public let isSealed: Bool
    /// The remotes, by name.
    public let remotes: [RemoteStatus]
    /// Pending ranges: those that arrived before the ranges they follow, or in part.
    public let pending: [PendingRange]
    /// Replicas with unresolved forks: no history of them is lost, and all count.
    public let forked: [ReplicaID]
    /// The number of events here whose values are missing although they are wanted: the senders have archived or
    /// erased them. Samples that are not synchronised do not count, nor do those that this device has removed.
    public let valuesMissing: UInt64
    /// The number of events here that may be the target of an erasure made elsewhere. This is unclear until the
    /// events that the author of the erasure had seen have arrived.
    public let unclearErasures: UInt64
    /// The vector of the events here.
    public let vector: VersionVector

    /// What is missing here.
    public let here: Shortfall

    /// Whether nothing that is known to exist is missing here, and nothing that is here is missing at a remote or on a
    /// device that uses one, values included. Retired devices do not count.
    public var isComplete: Bool { !isOff && !remotes.isEmpty && here.isEmpty && remotes.allSatisfy(\.isComplete) }
}

extension Manifest {
    /// The requested events that the store has: it lacks their values. Those that it does not have are missing.
    fileprivate var wantedValues: [EventRange] {
        let vector = vector
        return wanted.compactMap { range in
            let last = min(range.last, vector[range.replica])
            return range.first <= last ? EventRange(range.replica, range.first, through: last) : nil
        }
    }
}

extension Store {
    /// Returns whether all devices have the same events, by their last manifests. No remote is contacted.
    ///
    /// - Throws: As ``read(_:)`` and ``remotes()``.
    /// - Complexity: Tree roots of each replica; O(devices).
    public func syncStatus() throws -> SyncStatus {
        let file = try syncFile.read()
        let names = try deviceNames()
        let former = Set(try formerReplicas().values)
        let isSealed = try isSealed()
        return try describing {
            // Events after a loss cannot be proven, so they were never offered to other stores.
            let (vector, streams) = (try log.wholeVector(), try log.streams())
            let caches = try remotes().map { (remote: $0, cache: files.readCache(of: $0.name)) }
            let manifests = caches.flatMap { $0.cache.manifests.values }
            let (retirements, values) = (try retirements(by: manifests), try wantedValues())
            let here = try shortfall(by: manifests, retirements, values: values)
            let remotes = try caches.map { remote, cache in
                let standing = file.standings[remote.name]
                let devices = try cache.manifests.values.filter { $0.store != replica }
                    .sorted { $0.store < $1.store }.map { manifest in
                        SyncStatus.Device(
                            replica: manifest.store, name: names[manifest.store] ?? manifest.store.short,
                            lastManifest: manifest.milliseconds,
                            missing: vector.ranges(missingFrom: manifest.vector),
                            has: retirements.living(streams.ranges(of: manifest.vector, missingFrom: vector), streams),
                            wanted: retirements.living(manifest.wantedValues, streams),
                            differs: try differing(manifest, vector),
                            omitted: cache.hasCatalog(of: manifest.store) ? try manifest.omissions(by: log) : [],
                            isFormer: former.contains(manifest.store),
                            isRetired: retirements.isRetired(manifest.store),
                            hasReturned: retirements.returned.contains(manifest.store))
                    }
                return SyncStatus.RemoteStatus(
                    remote: remote,
                    isOpen: remote.address.isPlace && (!isSealed || file.open?.contains(remote.name) ?? false),
                    lastSuccess: standing?.lastSuccess,
                    lastTry: standing.flatMap { $0.lastTry > 0 ? $0.lastTry : nil }, failure: standing?.failure,
                    quarantined: Self.byReplica(standing?.quarantined).filter { !retirements.isRetired($0.key) },
                    strangers: Self.byReplica(standing?.strangers),
                    emptied: standing?.emptied, unsent: vector.ranges(missingFrom: cache.vector), devices: devices,
                    here: here)
            }
            return SyncStatus(
                isOff: file.isOff, isSealed: isSealed, remotes: remotes, pending: try log.pendingRanges(),
                forked: Array(Set(try forks().filter { !$0.isResolved }.map(\.replica))).sorted(),
                valuesMissing: values.count, unclearErasures: here.unclearErasures,
                vector: try log.vector(), here: here)
        }
    }

    private static func byReplica(_ sentences: [String: String]?) -> [ReplicaID: String] {
        Dictionary(
            uniqueKeysWithValues: (sentences ?? [:]).compactMap { key, value in ReplicaID(text: key).map { ($0, value) }
            })
    }

    /// Returns the replicas of which `manifest` has another history than this store.
    private func differing(_ manifest: Manifest, _ vector: VersionVector) throws -> [ReplicaID] {
        try manifest.heads.filter { head in
            guard head.event.sequence <= vector[head.event.replica] else { return false }
            let root = try log.root(of: head.event.replica, through: head.event.sequence)
            return root?.prefix != head.rootPrefix
        }.map(\.event.replica)
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
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
        /// Events that it has and that are not here yet.
        public let has: [EventRange]
        /// Events that it has without their values, which it requests: samples that it was to get, for example.
        public let wanted: [EventRange]
        /// Replicas of which it has another history than this store.
        public let differs: [ReplicaID]
        /// Whether another replica continues it: it will push no more manifests.
        public let isFormer: Bool

        /// Whether it has exactly what is here, and lacks no value.
        public var hasSame: Bool { missing.isEmpty && has.isEmpty && differs.isEmpty && wanted.isEmpty }
    }

    /// The state of one remote.
    public struct RemoteStatus: Hashable, Sendable {
        /// The remote.
        public let remote: Remote
        /// The time of the last successful sync pass: milliseconds since 1970.
        public let lastSuccess: Int64?
        /// The time of the last sync pass.
        public let lastTry: Int64?
        /// Why the last sync pass failed; `nil` if it did not.
        public let failure: String?
        /// What was rejected, by the store that pushed it.
        public let quarantined: [ReplicaID: String]
        /// When the remote was found to have lost its contents.
        public let emptied: Int64?
        /// Events that are here and were not pushed there yet.
        public let unsent: [EventRange]
        /// The other devices that have pushed there.
        public let devices: [Device]

        /// Whether this device and all others that use the remote are known to have the same events, with their values.
        public var isComplete: Bool {
            lastSuccess != nil && failure == nil && quarantined.isEmpty && unsent.isEmpty
                && devices.allSatisfy { $0.isFormer || $0.hasSame }
        }
    }

    /// Whether the user has switched synchronisation off.
    public let isOff: Bool
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
    /// Events that were lost here with a damaged file, and that no store has brought back yet.
    public let lost: [EventRange]
    /// The vector of the events here.
    public let vector: VersionVector

    /// Whether every device that uses a remote is known to have exactly the events that are here, with the values that
    /// it wants, and nothing is pending, missing or lost.
    public var isComplete: Bool {
        !isOff && !remotes.isEmpty && pending.isEmpty && valuesMissing == 0 && unclearErasures == 0 && lost.isEmpty
            && remotes.allSatisfy(\.isComplete)
    }
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
        return try describing {
            // Events after a loss cannot be proven, so they were never offered to other stores.
            let (vector, streams) = (try log.wholeVector(), try log.streams())
            let remotes = try remotes().map { remote in
                let standing = file.standings[remote.name]
                let cache = files.readCache(of: remote.name)
                let devices = try cache.manifests.values.filter { $0.store != replica }
                    .sorted { $0.store < $1.store }.map { manifest in
                        SyncStatus.Device(
                            replica: manifest.store, name: names[manifest.store] ?? manifest.store.short,
                            lastManifest: manifest.milliseconds,
                            missing: vector.ranges(missingFrom: manifest.vector),
                            has: streams.ranges(of: manifest.vector, missingFrom: vector),
                            wanted: manifest.wantedValues,
                            differs: try differing(manifest, vector), isFormer: former.contains(manifest.store))
                    }
                return SyncStatus.RemoteStatus(
                    remote: remote, lastSuccess: standing?.lastSuccess,
                    lastTry: standing.flatMap { $0.lastTry > 0 ? $0.lastTry : nil }, failure: standing?.failure,
                    quarantined: Dictionary(
                        uniqueKeysWithValues: (standing?.quarantined ?? [:]).compactMap { key, value in
                            ReplicaID(text: key).map { ($0, value) }
                        }),
                    emptied: standing?.emptied, unsent: vector.ranges(missingFrom: cache.vector), devices: devices)
            }
            return SyncStatus(
                isOff: file.isOff, remotes: remotes, pending: try log.pendingRanges(),
                forked: Array(Set(try forks().filter { !$0.isResolved }.map(\.replica))).sorted(),
                valuesMissing: try wantedValues().count, unclearErasures: try erasing.unclearCount(),
                lost: try log.lostRanges(), vector: try log.vector())
        }
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

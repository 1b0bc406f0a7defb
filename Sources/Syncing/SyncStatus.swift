import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore

/// Whether all devices have the same, and if not, what is missing where and why.
public struct SyncStatus: Hashable, Sendable {
    /// Another device, as it is known from what it left at a remote.
    public struct Device: Hashable, Sendable {
        /// The replica that it writes as.
        public let replica: ReplicaID
        /// Its name, as its first event says; the start of its id where that has not come.
        public let name: String
        /// When it last said what it has, by its own clock: milliseconds since 1970.
        public let lastSaid: Int64
        /// Events that are here and that it does not have yet.
        public let lacks: [EventRange]
        /// Events that it has and that are not here yet.
        public let has: [EventRange]
        /// Replicas of which it has another history than the one that is here.
        public let differs: [ReplicaID]
        /// Whether it was replaced by another replica: it will say nothing more.
        public let isFormer: Bool

        /// Whether it has exactly what is here.
        public var hasSame: Bool { lacks.isEmpty && has.isEmpty && differs.isEmpty }
    }

    /// How it stands with one remote.
    public struct Place: Hashable, Sendable {
        /// Which.
        public let remote: Remote
        /// When it was last looked at with success; milliseconds since 1970.
        public let lastSuccess: Int64?
        /// When it was last tried.
        public let lastTry: Int64?
        /// Why the last try failed.
        public let failure: String?
        /// What could not be believed, by the store that left it.
        public let quarantined: [ReplicaID: String]
        /// When it was found to have lost what it had.
        public let emptied: Int64?
        /// Events that are here and were not left there yet.
        public let unsent: [EventRange]
        /// The other devices that have been there.
        public let devices: [Device]

        /// Whether this device and all others that use the place are known to have the same events.
        public var isComplete: Bool {
            lastSuccess != nil && failure == nil && quarantined.isEmpty && unsent.isEmpty
                && devices.allSatisfy { $0.isFormer || $0.hasSame }
        }
    }

    /// Whether the user has switched it off.
    public let isOff: Bool
    /// The remotes, by name.
    public let places: [Place]
    /// Ranges that came before the ones they follow, or in part, and wait.
    public let waiting: [WaitingRange]
    /// Replicas that have several histories of which nobody has chosen one: nothing of them is lost, and all count.
    public let parted: [ReplicaID]
    /// Events that are here without values that are wanted here: whoever sent them has archived or erased them. Samples
    /// that do not travel do not count, nor do those that this device has let go of.
    public let lacking: UInt64
    /// Events with the numbers of some that were erased elsewhere, until what the author of the erase had seen has come: only
    /// then it is known that these are the ones.
    public let unclearErasures: UInt64
    /// Events that were lost here with a damaged file, and that nobody has brought back yet.
    public let lost: [EventRange]
    /// What is here.
    public let vector: VersionVector

    /// Whether every device that uses a remote is known to have exactly the events that are here, nothing waits, and
    /// nothing is lost.
    public var isComplete: Bool {
        !isOff && !places.isEmpty && waiting.isEmpty && lacking == 0 && unclearErasures == 0 && lost.isEmpty
            && places.allSatisfy(\.isComplete)
    }
}

extension Store {
    /// Whether all devices have the same, by what each has said last. Nothing is asked of any remote.
    ///
    /// - Complexity: Tree roots of each replica; O(devices).
    public func syncStatus() throws -> SyncStatus {
        let file = try syncFile.read()
        let names = try deviceNames()
        let former = Set(try formerReplicas().values)
        return try describing {
            // Behind events that were lost here nothing can be proven, so nothing of that was told to anybody.
            let (vector, streams) = (try log.wholeVector(), try log.streams())
            let places = try remotes().map { remote in
                let standing = file.standings[remote.name]
                let notes = files.readNotes(of: remote.name)
                let devices = try notes.statements.values.filter { $0.store != replica }
                    .sorted { $0.store < $1.store }.map { statement in
                        SyncStatus.Device(
                            replica: statement.store, name: names[statement.store] ?? statement.store.short,
                            lastSaid: statement.milliseconds,
                            lacks: vector.ranges(missingFrom: statement.vector),
                            has: streams.ranges(of: statement.vector, missingFrom: vector),
                            differs: try differing(statement, vector), isFormer: former.contains(statement.store))
                    }
                return SyncStatus.Place(
                    remote: remote, lastSuccess: standing?.lastSuccess,
                    lastTry: standing.flatMap { $0.lastTry > 0 ? $0.lastTry : nil }, failure: standing?.failure,
                    quarantined: Dictionary(
                        uniqueKeysWithValues: (standing?.quarantined ?? [:]).compactMap { key, value in
                            ReplicaID(text: key).map { ($0, value) }
                        }),
                    emptied: standing?.emptied, unsent: vector.ranges(missingFrom: notes.vector), devices: devices)
            }
            return SyncStatus(
                isOff: file.isOff, places: places, waiting: try log.waiting(),
                parted: Array(Set(try forks().filter { !$0.isResolved }.map(\.replica))).sorted(),
                lacking: try wantedValues().count, unclearErasures: try erasing.unclearCount(),
                lost: try log.holes(), vector: try log.vector())
        }
    }

    /// The replicas of which `statement` tells another history than the one that is here.
    private func differing(_ statement: Statement, _ vector: VersionVector) throws -> [ReplicaID] {
        try statement.heads.filter { head in
            guard head.event.sequence <= vector[head.event.replica] else { return false }
            let root = try log.root(of: head.event.replica, through: head.event.sequence)
            return root?.prefix != head.rootPrefix
        }.map(\.event.replica)
    }
}

import GroundwaveEvents

/// The result of ``LogVerifier``.
public struct LogReport: Hashable, Sendable {
    /// The events of one replica.
    public struct Replica: Hashable, Sendable {
        /// The replica.
        public let replica: ReplicaID
        /// The number of its undamaged events.
        public let events: UInt64
        /// The root of the tree over all of them; `nil` if some are lost, since then it cannot be computed.
        public internal(set) var root: Hash256?
    }

    /// The id of the log, if it can be read.
    public internal(set) var log: LogID?
    /// The epoch of the log, if it can be read.
    public internal(set) var epoch: UInt64?
    /// The number of undamaged events.
    public internal(set) var events: UInt64 = 0
    /// The replicas that have events here, in order.
    public internal(set) var replicas: [Replica] = []
    /// The events that the log once had and that are lost, in order, as far as they can be identified.
    public internal(set) var missing: [EventRange] = []
    /// All damage; losses come first.
    public internal(set) var damage: [LogDamage] = []

    /// Whether one state was read completely: other processes may have written faster than it could be read.
    public internal(set) var isSettled = true

    /// Whether all events of the log are there and undamaged, and all rows that lead to them are right.
    public var ok: Bool { damage.isEmpty }
}

/// Damage of a log.
public struct LogDamage: Hashable, Sendable {
    /// The kinds of damage. The raw values are part of the output of `verify` and do not change.
    public enum What: String, Hashable, Sendable, CaseIterable {
        /// A page of the file is damaged.
        case page
        /// The bytes of an event are damaged.
        case frame
        /// An event does not follow the previous one in this log.
        case chain
        /// A position has no event.
        case position
        /// Events were lost with a damaged file, and have not been received again yet.
        case lostRange = "hole"
        /// Events of a replica are missing, or one occurs twice.
        case sequence
        /// A stamp of a replica goes down.
        case stamp
        /// A batch is incomplete.
        case batch
        /// The row of a replica's last event is wrong.
        case head
        /// The signed head of a replica is invalid, or covers other events.
        case signature
        /// A retained range is damaged.
        case range
        /// The row of a fork point is wrong, or contradicts the events.
        case stream
        /// The row of the positions of a replica's events is wrong.
        case run
        /// A row of arrival times is wrong.
        case arrival
        /// An event has values that were erased, or is missing its values without a stored reason; or a row of such
        /// events is wrong.
        case withheld
        /// A late event is damaged, or does not match the event that it replaces.
        case late
        /// The archive snapshot is damaged.
        case base
        /// A stored hash of the tree differs from the one computed.
        case tree
        /// The rows or pages that describe the log and its end are wrong.
        case meta
        /// The file as a whole is damaged.
        case file
    }

    /// The kind of damage.
    public let what: What
    /// The replica whose events are lost or doubtful, if known.
    public let replica: ReplicaID?
    /// The first of these events, if known.
    public let first: SequenceNumber?
    /// The last of these events.
    public internal(set) var last: SequenceNumber?
    /// The position at which it starts, if known.
    public let position: Position?
    /// What happened, in plain words.
    public let detail: String

    init(
        _ what: What, _ replica: ReplicaID?, first: SequenceNumber? = nil, last: SequenceNumber? = nil,
        position: Position? = nil, _ detail: String
    ) {
        self.what = what
        self.replica = replica
        self.first = first
        self.last = last ?? first
        self.position = position
        self.detail = detail
    }

    init(_ what: What, position: Position? = nil, _ detail: String) {
        self.init(what, nil, position: position, detail)
    }
}

/// A list of damage that merges neighbouring entries of one kind.
struct DamageList {
    /// The maximum number of entries; the report then states how many were omitted.
    static let limit = 10_000

    private(set) var entries: [LogDamage] = []
    private(set) var omitted = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ damage: LogDamage) {
        if let last = entries.last, last.what == damage.what, last.replica == damage.replica, last.replica != nil,
            let end = last.last, let first = damage.first, end < .max, first == end + 1
        {
            entries[entries.count - 1].last = damage.last
        } else if entries.count < Self.limit {
            entries.append(damage)
        } else {
            omitted += 1
        }
    }
}

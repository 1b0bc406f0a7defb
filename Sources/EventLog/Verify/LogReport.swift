import GroundwaveEvents

/// What ``LogVerifier`` found in a log file.
public struct LogReport: Hashable, Sendable {
    /// The events of one replica.
    public struct Replica: Hashable, Sendable {
        /// Whose events.
        public let replica: ReplicaID
        /// How many of them are there and whole.
        public let events: UInt64
        /// The root of the tree over all of them; `nil` where some are lost, since then nobody can compute it.
        public internal(set) var root: Hash256?
    }

    /// The name of the log, where it can be read.
    public internal(set) var log: LogID?
    /// The epoch of the log, where it can be read.
    public internal(set) var epoch: UInt64?
    /// How many events are there and whole.
    public internal(set) var events: UInt64 = 0
    /// The replicas that have events here, in order.
    public internal(set) var replicas: [Replica] = []
    /// The events that the log once had and that are lost, in order, as far as it can be told which these were.
    public internal(set) var missing: [EventRange] = []
    /// Everything that is not as it must be; what was lost first.
    public internal(set) var damage: [LogDamage] = []

    /// Whether what was read is one state: others may have written faster than it could be read.
    public internal(set) var isSettled = true

    /// Whether every event that the log says it has is there and whole, and everything that finds them is right.
    public var ok: Bool { damage.isEmpty }
}

/// Something in a log that is not as it must be.
public struct LogDamage: Hashable, Sendable {
    /// The sorts of damage. The words are part of the output of `verify` and do not change.
    public enum What: String, Hashable, Sendable, CaseIterable {
        /// A page of the file is damaged.
        case page
        /// The bytes of an event are damaged.
        case frame
        /// An event does not follow the one before it in this log.
        case chain
        /// A position has no event.
        case position
        /// Events were lost with a damaged file, and nobody has brought them back yet.
        case hole
        /// The events of a replica have a hole, or one comes twice.
        case sequence
        /// A stamp of a replica goes down.
        case stamp
        /// A batch is not whole.
        case batch
        /// The row that names the last event of a replica is wrong.
        case head
        /// The head that a replica has signed is not its, or is of other events.
        case signature
        /// A range that came, and waits, is not what came.
        case range
        /// The row that says how the histories of a replica part is wrong, or the events say otherwise.
        case stream
        /// The row that says where events of a replica stand is wrong.
        case run
        /// A row that says when events arrived is wrong.
        case arrival
        /// An event has values that were taken out of it, or lacks values and nothing says why; or a row that names such
        /// events is wrong.
        case withheld
        /// An event that came late is damaged, or is not the one in whose place it counts.
        case late
        /// The snapshot that stands for archived history is not what was written.
        case base
        /// A stored hash of the tree differs from the one computed.
        case tree
        /// The rows or pages that say what the log is and how far it goes are wrong.
        case meta
        /// The file as a whole is not as it must be.
        case file
    }

    /// The sort of damage.
    public let what: What
    /// Whose events are lost or doubtful, where that is known.
    public let replica: ReplicaID?
    /// The first of these events, where that is known.
    public let first: SequenceNumber?
    /// The last of these events.
    public internal(set) var last: SequenceNumber?
    /// Where in the log it starts, where that is known.
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

/// Damage as it is found, with neighbours of one sort made one.
struct DamageList {
    /// More than this is noise: the last entry then says how much was left out.
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

/// The events that a store has: for each replica the number of its last event, which implies all events before it.
///
/// A value, so it can be compared, joined and sent. Entries are in order of replica, so that equal vectors have equal
/// bytes and nothing depends on a hash seed.
public struct VersionVector: Hashable, Sendable {
    /// The entry of one replica.
    public struct Entry: Hashable, Sendable {
        /// The replica.
        public let replica: ReplicaID
        /// The number of its last event.
        public var sequence: SequenceNumber
    }

    /// The entries in order of replica; none has sequence 0.
    public private(set) var entries: [Entry] = []

    /// The vector of an empty store.
    public init() {}

    /// The number of the last event of `replica`, 0 if there is none.
    ///
    /// Cost: O(log replicas).
    public subscript(replica: ReplicaID) -> SequenceNumber {
        get {
            let index = firstIndex(notBefore: replica)
            return index < entries.count && entries[index].replica == replica ? entries[index].sequence : 0
        }
        set {
            let index = firstIndex(notBefore: replica)
            let isThere = index < entries.count && entries[index].replica == replica
            switch (isThere, newValue) {
            case (true, 0): entries.remove(at: index)
            case (true, _): entries[index].sequence = newValue
            case (false, 0): break
            case (false, _): entries.insert(Entry(replica: replica, sequence: newValue), at: index)
            }
        }
    }

    private func firstIndex(notBefore replica: ReplicaID) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether the vector includes `event`.
    public func contains(_ event: EventID) -> Bool { event.sequence <= self[event.replica] }

    /// Whether this vector includes all events of `other`.
    public func covers(_ other: VersionVector) -> Bool {
        other.entries.allSatisfy { $0.sequence <= self[$0.replica] }
    }

    /// Raises each entry to that of `other` if that is higher.
    public mutating func join(_ other: VersionVector) {
        for entry in other.entries where entry.sequence > self[entry.replica] { self[entry.replica] = entry.sequence }
    }

    /// The number of events in a store with this vector; clamped, since a vector from elsewhere may contain any
    /// numbers.
    public var eventCount: UInt64 {
        entries.reduce(0) { sum, entry in
            let (result, overflow) = sum.addingReportingOverflow(entry.sequence)
            return overflow ? .max : result
        }
    }
}

/// A run of one replica's events: `first` to `last`, both included.
public struct EventRange: Hashable, Sendable {
    /// The replica whose events these are.
    public let replica: ReplicaID
    /// The number of the first one.
    public let first: SequenceNumber
    /// The number of the last one; never below `first`.
    public let last: SequenceNumber

    /// The events `first` to `last` of `replica`; traps if the run is empty.
    public init(_ replica: ReplicaID, _ first: SequenceNumber, through last: SequenceNumber) {
        precondition(first >= 1 && first <= last, "a range of events has at least one event")
        self.replica = replica
        self.first = first
        self.last = last
    }

    /// The events `first` to `last` of `replica`, from untrusted input; `nil` if there cannot be such events.
    public init?(_ replica: ReplicaID, named first: SequenceNumber, through last: SequenceNumber) {
        guard first >= 1, first <= last, last <= EventLimits.sequenceNumber else { return nil }
        self.init(replica, first, through: last)
    }

    /// The number of events.
    public var count: UInt64 { last - first + 1 }
}

extension VersionVector {
    /// The ranges that this vector includes and `other` does not, in order of replica.
    public func ranges(missingFrom other: VersionVector) -> [EventRange] {
        entries.compactMap { entry in
            let known = other[entry.replica]
            return known < entry.sequence ? EventRange(entry.replica, known + 1, through: entry.sequence) : nil
        }
    }
}

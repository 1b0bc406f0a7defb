import GroundwaveEvents

/// Which events of a log a fold takes in, and with which stamps: what makes a replay travel in time or ask "what if".
///
/// The fold ends in the same state in every order, so any set of events has one; a filter just names the set.
public struct EventFilter: Hashable, Sendable {
    /// Only events that this vector has; `nil` for all.
    public var vector: VersionVector?
    /// Events that are left out.
    public var without = EventSet()
    /// Milliseconds that are added to the stamps of a replica whose clock was wrong.
    public var clockShifts: [ReplicaID: Int64] = [:]

    /// All events, as they are.
    public init() {}

    /// The events that `vector` has, as they are.
    public init(_ vector: VersionVector) { self.vector = vector }

    /// Whether it does more than stop somewhere.
    var altersHistory: Bool { !without.isEmpty || !clockShifts.isEmpty }

    /// Whether `event` is taken in.
    public func includes(_ event: EventID) -> Bool {
        if let vector, !vector.contains(event) { return false }
        return without.isEmpty || !without.contains(event)
    }

    /// The stamp that `event` counts with.
    public func stamp(of event: EventID, _ stamp: Stamp) -> Stamp {
        guard let shift = clockShifts[event.replica] else { return stamp }
        let (milliseconds, isOverflow) = stamp.milliseconds.addingReportingOverflow(shift)
        return Stamp(milliseconds: isOverflow ? (shift < 0 ? 0 : .max) : milliseconds, counter: stamp.counter)
    }

    /// The events of a log with the vector `all` that this filter leaves out or alters, as runs of single replicas that
    /// do not overlap.
    func altered(of all: VersionVector) -> [EventRange] {
        var ranges: [EventRange] = []
        for entry in all.entries {
            if clockShifts[entry.replica] != nil {
                ranges.append(EventRange(entry.replica, 1, through: entry.sequence))
                continue
            }
            let kept = Swift.min(vector?[entry.replica] ?? entry.sequence, entry.sequence)
            if kept < entry.sequence { ranges.append(EventRange(entry.replica, kept + 1, through: entry.sequence)) }
            for range in without.ranges where range.replica == entry.replica && range.first <= kept {
                ranges.append(EventRange(entry.replica, range.first, through: Swift.min(range.last, kept)))
            }
        }
        return ranges
    }

    /// The events of a log with the vector `all` that count under only one of this filter and `other`, or otherwise, as
    /// runs of single replicas.
    public func differing(from other: EventFilter, of all: VersionVector) -> [EventRange] {
        var ranges: [EventRange] = []
        for entry in all.entries {
            let ends = [self, other].map { Swift.min($0.vector?[entry.replica] ?? entry.sequence, entry.sequence) }
            let (low, high) = (Swift.min(ends[0], ends[1]), Swift.max(ends[0], ends[1]))
            if low < high { ranges.append(EventRange(entry.replica, low + 1, through: high)) }
            if low > 0, clockShifts[entry.replica] != other.clockShifts[entry.replica] {
                ranges.append(EventRange(entry.replica, 1, through: low))
            }
        }
        guard without != other.without else { return ranges }
        for range in without.ranges + other.without.ranges where range.first <= all[range.replica] {
            ranges.append(EventRange(range.replica, range.first, through: Swift.min(range.last, all[range.replica])))
        }
        return ranges
    }
}

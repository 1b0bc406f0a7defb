import Events

/// Which events of a log a fold takes in, and with which stamps: what makes a replay travel in time or ask "what if".
///
/// The fold ends in the same state in every order, so any set of events has one; a filter just names the set.
public struct EventFilter: Hashable, Sendable {
    /// Only events that this vector has; `nil` for all.
    public var vector: VersionVector?
    /// Runs of events that are left out.
    public var without: [EventRange] = []
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
        return !without.contains {
            $0.replica == event.replica && $0.first <= event.sequence && event.sequence <= $0.last
        }
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
            var next: SequenceNumber = 1
            for range in without.filter({ $0.replica == entry.replica }).sorted(by: { $0.first < $1.first }) {
                let (first, last) = (Swift.max(range.first, next), Swift.min(range.last, kept))
                guard first <= last else { continue }
                ranges.append(EventRange(entry.replica, first, through: last))
                next = last + 1
            }
        }
        return ranges
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

/// Which events of a log a fold includes, and with which stamps: the basis of time travel and what-if views.
///
/// The result of a fold does not depend on the order of the events, so every set of events has exactly one.
public struct EventFilter: Hashable, Sendable {
    /// The vector of the events to include; `nil` for all.
    public var vector: VersionVector?
    /// The events to leave out.
    public var without = EventSet()
    /// The milliseconds to add to the stamps of a replica whose clock was wrong.
    public var clockShifts: [ReplicaID: Int64] = [:]
    /// The declarations of wrong clocks that count: those among the events of the fold; `nil` before they were found.
    var declared: ClockDeclarations?

    /// Creates a filter that includes all events unchanged.
    public init() {}

    /// Creates a filter that includes the events of `vector` unchanged.
    public init(_ vector: VersionVector) { self.vector = vector }

    /// Whether the filter leaves out or alters events, other than by its vector.
    var altersHistory: Bool { !without.isEmpty || !clockShifts.isEmpty }

    /// Returns whether `event` is included.
    public func includes(_ event: EventID) -> Bool {
        if let vector, !vector.contains(event) { return false }
        return without.isEmpty || !without.contains(event)
    }

    /// Returns the stamp to use for `event`.
    public func stamp(of event: EventID, _ stamp: Stamp) -> Stamp {
        // What was declared goes by the stamp that the event has.
        let counted = declared?.stamp(stamp, of: event.replica) ?? stamp
        guard let shift = clockShifts[event.replica] else { return counted }
        let (milliseconds, isOverflow) = stamp.milliseconds.addingReportingOverflow(shift)
        let shifted = Stamp(milliseconds: isOverflow ? (shift < 0 ? 0 : .max) : milliseconds, counter: stamp.counter)
        return counted == stamp ? shifted : Swift.min(counted, shifted)
    }

    /// Returns the filter that includes the same events by their names after `renamings`.
    func renamed(by renamings: [EventRenaming]) -> EventFilter {
        if renamings.isEmpty { return self }
        var filter = self
        filter.vector = vector?.renamed(by: renamings)
        filter.without = without.renamed(by: renamings)
        for renaming in renamings { filter.clockShifts[renaming.branch] = filter.clockShifts[renaming.stream] }
        return filter
    }

    /// Returns the events of a log with the vector `all` that this filter leaves out or alters, as ranges of single
    /// replicas that do not overlap.
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

    /// Returns ranges that cover the events of a log with the vector `all` on whose inclusion or stamp this filter
    /// and `other` differ. They may overlap, and cover more: if the left-out events differ, all those of both
    /// filters.
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

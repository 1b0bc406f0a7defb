import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

// A store that shows less of the log to some devices than to others. What a store has only grows, and each of its events says
// what it had of others then. So no clock is needed to see that a manifest is later than an event, and has to include it: what
// two devices were shown is compared as soon as the events of one of them are with the other.
extension Manifest {
    /// Returns the events that its author had when it made this manifest, and left out, in order of replica.
    ///
    /// | left out | shown by |
    /// |---|---|
    /// | an event of the author that is here | the manifest has an event of somebody else which the author had not seen when it wrote that one: so the manifest is later |
    /// | an event of somebody else | the author had seen it when it wrote one of its own events in the manifest |
    ///
    /// Nothing is concluded where histories are forked, since their names change, or may be, since somebody is named of whom
    /// nothing is here; where events of the author were lost here; and from a manifest with as many entries as there can be.
    ///
    /// Only for manifests that their authors have signed: that of a connection is brought up to date here.
    ///
    /// - Throws: The errors of the log.
    /// - Complexity: O(log events of the author) look-ups, each of at most 256 events.
    func omissions(by log: EventLog) throws -> [EventRange] {
        let (streams, stated) = (try log.streams(), vector)
        guard heads.count < EventLimits.observedCount, kept.count < Self.rangeCount, !streams.isForked(store),
            try !log.lostRanges().contains(where: { $0.replica == store })
        else { return [] }
        let here = try log.vector()
        guard stated.isOf(here) else { return [] }
        var left = VersionVector()
        left[store] = try lastBefore(stated, in: log, here, streams)
        let own = Swift.min(stated[store], here[store])
        if own > 0, let seen = try log.context(of: EventID(store, own)), seen.isOf(here) { left.join(seen) }
        return EventSet(left.ranges(missingFrom: stated)).subtracting(EventSet(kept.map(\.range))).ranges.filter {
            !streams.isForked(streams.origin(of: $0.replica))
        }
    }

    /// Returns the number of the last event of the author here that it had written before it made this manifest.
    private func lastBefore(
        _ stated: VersionVector, in log: EventLog, _ here: VersionVector, _ streams: Streams
    ) throws -> SequenceNumber {
        let others = stated.entries.filter {
            $0.replica != store && !streams.isForked(streams.origin(of: $0.replica))
        }
        func isBefore(_ number: SequenceNumber) throws -> Bool {
            guard let seen = try log.context(of: EventID(store, number)), seen.isOf(here) else { return false }
            return others.contains { $0.sequence > seen[$0.replica] }
        }
        // The later an event, the more its author had seen.
        var (low, high) = (stated[store], here[store])
        guard low < high, try isBefore(low + 1) else { return low }
        while low < high {
            let middle = low + (high - low + 1) / 2
            if try isBefore(middle) { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension VersionVector {
    /// Whether it names only those of whom something is in `other`.
    fileprivate func isOf(_ other: VersionVector) -> Bool { entries.allSatisfy { other[$0.replica] > 0 } }
}

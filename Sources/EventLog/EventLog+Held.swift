import GroundwaveEvents
import GroundwaveLogFormat

// Compares a range read from elsewhere with this log: the proof that clearing needs before it deletes anything.
extension EventLog {
    /// Returns the events of this log that `frame` contains as completely as the log does: the same leaf, and values if
    /// the log has them. Events that were lost here are not included.
    ///
    /// - Parameter frame: A verified range.
    /// - Returns: An empty set if the range's observed heads contradict the events here: no store would accept it.
    /// - Complexity: O(events of the range).
    public func events(heldBy frame: RangeFrame) throws -> EventSet {
        let (vector, streams) = (try vector(), try streams())
        var (held, isHonest) = (EventSet(), false)
        for entry in vector.entries where streams.origin(of: entry.replica) == frame.range.replica {
            let base = streams.base(of: entry.replica)
            let (first, last) = (max(base + 1, frame.range.first), min(base + entry.sequence, frame.range.last))
            guard first <= last else { continue }
            if first == frame.range.first {
                isHonest = try observedHeads(before: EventID(entry.replica, first - base)) == frame.observed
            }
            var hasher = MerkleHasher()
            try scan(EventRange(entry.replica, first - base, through: last - base)) { _, event, bytes in
                let sequence = event.id.sequence + base
                guard !event.isLost,
                    hasher.leaf(of: event, in: bytes) == frame.leaves[Int(sequence - frame.range.first)],
                    try event.isWithheld || frame.withEvent(sequence, { other, _ in !other.isWithheld })
                else { return true }
                held.insert(event.id)
                return true
            }
        }
        return isHonest ? held : EventSet()
    }
}

extension RangeFrame {
    /// Returns the events of this retained range that `other` contains as completely.
    package func numbers(heldBy other: RangeFrame) throws -> EventSet {
        let (first, last) = (max(range.first, other.range.first), min(range.last, other.range.last))
        var held = EventSet()
        guard range.replica == other.range.replica, first <= last else { return held }
        for sequence in first...last
        where leaves[Int(sequence - range.first)] == other.leaves[Int(sequence - other.range.first)] {
            let isWithheld = try withEvent(sequence) { event, _ in event.isWithheld }
            guard try isWithheld || other.withEvent(sequence, { event, _ in !event.isWithheld }) else { continue }
            held.insert(EventRange(range.replica, sequence, through: sequence))
        }
        return held
    }
}

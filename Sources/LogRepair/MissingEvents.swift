import GroundwaveEvents

/// Events that a log once had and that are lost, as ranges in order, none of which touch.
struct MissingEvents {
    private(set) var ranges: [EventRange] = []

    /// Creates the set of the events of `ranges`, which must not overlap.
    init(_ ranges: [EventRange]) {
        for range in ranges.sorted(by: { ($0.replica, $0.first) < ($1.replica, $1.first) }) {
            if let last = self.ranges.last, last.replica == range.replica, last.last + 1 == range.first {
                self.ranges[self.ranges.count - 1] = EventRange(range.replica, last.first, through: range.last)
            } else {
                self.ranges.append(range)
            }
        }
    }

    /// Whether one of the events `first` to `last` of `replica` is missing.
    func intersects(_ replica: ReplicaID, _ first: SequenceNumber, through last: SequenceNumber) -> Bool {
        // The first range that does not end before `first`.
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if (ranges[middle].replica, ranges[middle].last) < (replica, first) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < ranges.count && ranges[low].replica == replica && ranges[low].first <= last
    }
}

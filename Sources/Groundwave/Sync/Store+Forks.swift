import EventLog
import Events

/// Two histories of one replica: two stores went on under one name, with nothing to tell them apart.
public struct Fork: Hashable, Sendable {
    /// Which replica.
    public let replica: ReplicaID
    /// The number of the first event that has two contents.
    public let split: SequenceNumber
    /// The hash of that event as it is here, and in the log; `nil` where it has not come.
    public let here: Hash256?
    /// The hash of that event in the other history; `nil` where only later ones of it have come.
    public let other: Hash256?
    /// How many events there are here from the split on.
    public let eventsHere: UInt64
    /// The events of the other history that are kept aside.
    public let kept: [EventRange]
    /// How many these are.
    public var keptCount: UInt64 { kept.reduce(0) { $0 + $1.count } }
}

extension Store {
    /// The replicas of which two histories have come, in order of replica: nothing of either is lost. The one that came
    /// first counts; the other is kept aside.
    ///
    /// - Complexity: A look-up and a hash for each event that is kept aside.
    public func forks() throws -> [Fork] {
        try describing {
            let vector = try log.vector()
            let frames = Dictionary(grouping: try log.forkedFrames(), by: \.range.replica)
            return try frames.keys.sorted().map { replica in
                let own = (frames[replica] ?? []).sorted { $0.range.first < $1.range.first }
                var (split, here, other) = (own[0].range.first, Hash256?.none, Hash256?.none)
                search: for frame in own {
                    for (index, leaf) in frame.leaves.enumerated() {
                        let sequence = frame.range.first + UInt64(index)
                        let present = try log.leaf(of: EventID(replica, sequence))
                        if present != leaf {
                            (split, here, other) = (sequence, present, leaf)
                            break search
                        }
                    }
                }
                var kept = EventSet()
                for frame in own where frame.range.last >= split {
                    kept.insert(EventRange(replica, max(split, frame.range.first), through: frame.range.last))
                }
                return Fork(
                    replica: replica, split: split, here: here, other: other,
                    eventsHere: vector[replica] >= split ? vector[replica] - split + 1 : 0, kept: kept.ranges)
            }
        }
    }
}

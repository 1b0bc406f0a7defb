import GroundwaveEvents
import GroundwaveLogFormat

/// Which of the events that an author has named are certainly the events that the log has under these names.
///
/// A name is a number. If an author had another history of a replica than the one here, and the fork is not known yet,
/// its numbers refer to other events. A fold that uses them is recomputed once the fork is known; an erasure cannot be
/// undone, so it needs certainty first.
package struct Meaning: Hashable, Sendable {
    /// The events that are certainly those the author meant.
    package private(set) var certain = EventSet()
    /// The undecided events: the log does not have what the author had observed after them.
    package private(set) var open = EventSet()

    /// - Parameters:
    ///   - events: The named events, already resolved.
    ///   - event: The event that names them.
    /// - Complexity: O(earlier events of the author), and a root for each head that it had observed.
    package init(of events: EventSet, namedBy event: EventID, in log: some RangeSource) throws {
        let streams = try log.streams()
        let own = Set(streams.path(to: event.replica))
        let others = Set(events.ranges.map(\.replica)).subtracting(own)
        let met = others.isEmpty ? [:] : try Self.met(until: event, others, streams, in: log)
        for range in events.ranges {
            guard others.contains(range.replica) else {
                certain.insert(range)
                continue
            }
            let heads = met[range.replica] ?? []
            let sure = heads.lazy.filter(\.isSame).map(\.sequence).max() ?? 0
            if range.first <= sure {
                certain.insert(EventRange(range.replica, range.first, through: Swift.min(range.last, sure)))
            }
            let isOther = heads.contains { !$0.isSame && $0.sequence > sure }
            if range.last > sure, !isOther {
                open.insert(EventRange(range.replica, Swift.max(range.first, sure + 1), through: range.last))
            }
        }
    }

    /// A head that an author had observed, compared with the history here.
    private struct Met {
        let sequence: SequenceNumber
        /// Whether its history equals the one here, up to that number.
        let isSame: Bool
    }

    /// Returns the heads of some branches that an author had observed when it wrote `event`, if their events are here.
    private static func met(
        until event: EventID, _ others: Set<ReplicaID>, _ streams: Streams, in log: some RangeSource
    ) throws -> [ReplicaID: [Met]] {
        let vector = try log.vector()
        var met: [ReplicaID: [Met]] = [:]
        var hasher = MerkleHasher()
        for stream in streams.path(to: event.replica) {
            let count = stream == event.replica ? event.sequence : vector[stream]
            guard count > 0 else { continue }
            try log.scan(EventRange(stream, 1, through: count)) { _, frame, bytes in
                let names = frame.names(in: bytes)
                for head in frame.observed(in: bytes) {
                    let meant = names(head.event)
                    let named = streams.heads(upTo: meant).filter { others.contains($0.replica) }
                    guard !named.isEmpty, meant.sequence <= vector[meant.replica] else { continue }
                    // The author counted, and computed the root, along the history that starts with the named branch.
                    let path = Array(streams.path(to: meant.replica).drop { $0 != head.event.replica })
                    let root = try log.edge(along: path, through: head.event.sequence)?.root(hasher: &hasher)
                    let isSame = root?.prefix == head.rootPrefix
                    for head in named where isSame || head.replica == meant.replica {
                        met[head.replica, default: []].append(Met(sequence: head.sequence, isSame: isSame))
                    }
                }
                return true
            }
        }
        return met
    }
}

import GroundwaveEvents

/// Of events that an author has named, which are surely those that a log has under these names.
///
/// A name is a number. Where an author had another history of a replica than the one that is here, and that is not known
/// yet, its numbers are those of other events. What a fold makes of that is made anew once the fork is known; what takes
/// values away for ever must be sure before.
package struct Meaning: Hashable, Sendable {
    /// The events that the author had, and no others.
    package private(set) var certain = EventSet()
    /// The events of which it cannot be told yet, since the log lacks what the author had observed behind them.
    package private(set) var open = EventSet()

    /// - Parameters:
    ///   - events: What was named, as the log reads it.
    ///   - event: The event that names them.
    /// - Complexity: O(events of the author until then), and a root for each head that it had observed.
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

    /// A head that an author had observed, compared with what is here.
    private struct Met {
        let sequence: SequenceNumber
        /// Whether its history is the one that is here, up to that number.
        let isSame: Bool
    }

    /// The heads of some streams that an author had observed when it wrote `event`, as far as their events are here.
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
                    // The number was counted, and the root made, over the history from the stream on that was named.
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

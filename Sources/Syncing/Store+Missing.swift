import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveStore

/// Events that are not here, and how their existence is known.
public struct MissingRange: Hashable, Sendable {
    /// The events.
    public let range: EventRange
    /// How it is known, in a few words.
    public let reason: String
}

extension Store {
    /// Returns the pending ranges: those that arrived before the ranges they follow, or in part.
    ///
    /// - Throws: ``StoreError`` if the log cannot be read.
    /// - Complexity: O(pending ranges).
    public func missing() throws -> [PendingRange] { try describing { try log.pendingRanges() } }

    /// Returns the events that are known to exist and are not here, each once, in order of replica and number: those that
    /// were lost here, that a pending range needs, that another device has by its manifest, or that their author has signed.
    ///
    /// - Throws: As ``syncStatus()``.
    /// - Complexity: As ``syncStatus()``.
    public func missingRanges() throws -> [MissingRange] {
        let status = try syncStatus()
        var (left, found) = (status.here.events.subtracting(status.here.pending), [MissingRange]())
        func take(_ events: EventSet, because reason: String) {
            let taken = left.intersection(events)
            left = left.subtracting(taken)
            found += taken.ranges.map { MissingRange(range: $0, reason: reason) }
        }
        take(status.here.lost, because: "lost here with a damaged file")
        for pending in status.pending {
            let (replica, first) = (pending.range.replica, pending.range.first)
            if pending.expected < first {
                let gap = EventRange(replica, pending.expected, through: first - 1)
                take(EventSet([gap]), because: "later events depend on them")
            } else {
                let rest = EventRange(replica, pending.expected, through: pending.expected)
                take(EventSet([rest]), because: "the rest of a batch")
            }
        }
        for device in status.remotes.flatMap(\.devices) {
            take(EventSet(device.has), because: "\(device.name) has them")
        }
        take(left, because: "their author has signed them")
        return found.sorted { ($0.range.replica, $0.range.first) < ($1.range.replica, $1.range.first) }
    }

    /// Parses `text` as a vector: `REPLICA=n,…`, each replica by its whole ID, or by what names it here.
    ///
    /// - Throws: ``StoreError`` with code `usage` if it is not a vector, `notFound` if it names an unknown replica.
    public func vector(_ text: String) throws -> VersionVector {
        var vector = VersionVector()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let number = SequenceNumber(sides[1]) else {
                throw StoreError(
                    .usage, "“\(text)” is not a vector.",
                    hint: "A vector is REPLICA=n,REPLICA=n. To see the replicas: \(.list(.devices))"
                )
            }
            let replica = try ReplicaID(text: sides[0]) ?? self.replica(named: String(sides[0]))
            vector[replica] = number
        }
        return vector
    }
}

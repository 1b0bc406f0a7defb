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

    /// Returns the events that a pending range here needs, that were lost here, or that another device has by its
    /// manifest, in order of replica and number.
    ///
    /// - Throws: As ``syncStatus()``.
    /// - Complexity: As ``syncStatus()``.
    public func missingRanges() throws -> [MissingRange] {
        let status = try syncStatus()
        return try describing {
            var found: [MissingRange] = []
            let vector = try log.vector()
            for pending in status.pending {
                let known = vector[pending.range.replica]
                if pending.range.first - 1 > known {
                    let gap = EventRange(pending.range.replica, known + 1, through: pending.range.first - 1)
                    found.append(MissingRange(range: gap, reason: "later events depend on them"))
                } else {
                    let rest = EventRange(pending.range.replica, pending.expected, through: pending.expected)
                    found.append(MissingRange(range: rest, reason: "the rest of a batch"))
                }
            }
            for range in status.lost {
                found.append(MissingRange(range: range, reason: "lost here with a damaged file"))
            }
            for remoteStatus in status.remotes {
                for device in remoteStatus.devices {
                    for range in device.has where !found.contains(where: { $0.range == range }) {
                        found.append(MissingRange(range: range, reason: "\(device.name) has them"))
                    }
                }
            }
            return found.sorted { ($0.range.replica, $0.range.first) < ($1.range.replica, $1.range.first) }
        }
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

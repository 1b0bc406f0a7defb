import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns the observed heads to store in the next event of `replica`: the heads of other replicas that moved
    /// since its previous event. Every 256th event stores all heads, so that finding what an author had observed
    /// never requires reading further back.
    ///
    /// Each head includes the root of the tree there, since a number alone does not tell two branches of a fork
    /// apart.
    ///
    /// - Parameters:
    ///   - head: The last event of `replica`.
    ///   - count: The number of events appended together.
    /// - Complexity: O(replicas), and at most 255 hashes for each head that is stored.
    static func observed(
        by replica: ReplicaID, after head: HeadRow?, appending count: Int,
        in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> (heads: [ObservedHead], areAll: Bool) {
        let last = head?.sequence ?? 0
        let isDue = last / contextCount != (last + UInt64(count)) / contextCount
        let since = isDue ? 0 : head?.position ?? 0
        var moved: [EventID] = []
        let limits = try knownNumbers(in: transaction, tables)
        try transaction.forEach(in: tables.heads) { key, value in
            guard key.byteCount == 16, let row = HeadRow(value) else {
                throw EventLogError.damaged("the last event of a replica")
            }
            let other = ReplicaID(at: 0, of: key)
            let last = Swift.min(row.sequence, limits[other] ?? .max)
            if other != replica, row.position > since, last > 0 { moved.append(EventID(other, last)) }
            return true
        }
        // More replicas than fit into one event never move at once in practice; if they do, the lowest ids are
        // stored.
        let heads = try moved.prefix(EventLimits.observedCount).map {
            ObservedHead(event: $0, rootPrefix: try root(through: $0, in: transaction, tables).prefix)
        }
        return (heads, isDue && moved.count == heads.count)
    }

    /// Returns what an author who has seen these events, each the last one of its history here, says that it has observed.
    ///
    /// - Parameter events: At most ``EventLimits/observedCount``; of more, the first ones.
    /// - Complexity: At most 255 hashes for each.
    package func heads(observing events: [EventID]) throws -> [ObservedHead] {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let limits = try Self.knownNumbers(in: transaction, tables)
            let known = events.map { EventID($0.replica, Swift.min($0.sequence, limits[$0.replica] ?? .max)) }
            return try known.filter { $0.sequence > 0 }.prefix(EventLimits.observedCount).map {
                ObservedHead(event: $0, rootPrefix: try Self.root(through: $0, in: transaction, tables).prefix)
            }
        }
    }

    /// Of replicas with lost events, the number of the last one before the first of these: the root behind it is unknown.
    private static func knownNumbers(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> [ReplicaID: SequenceNumber] {
        var limits: [ReplicaID: SequenceNumber] = [:]
        for lostRange in try lostRanges(in: transaction, tables).reversed() {
            limits[lostRange.replica] = lostRange.first - 1
        }
        return limits
    }

    /// One of every this many events of a replica stores all observed heads.
    package static let contextCount: UInt64 = 256

    /// Computes the root of the tree over a replica's events up to `last`, within a transaction.
    private static func root(
        through last: EventID, in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> Hash256 {
        var hasher = MerkleHasher()
        var edge =
            try transaction.withValue(ReplicaKey(last.replica), in: tables.trees) { try MerkleEdge(row: $0) }
            ?? MerkleEdge()
        while edge.count < last.sequence {
            let next = EventID(last.replica, edge.count + 1)
            guard let position = try position(of: next, in: transaction, tables) else {
                throw EventLogError.damaged("the runs of a replica")
            }
            let leaf = try withEvent(next, at: position, in: transaction, tables) { frame, bytes in
                hasher.leaf(of: frame, in: bytes)
            }
            edge.append(leaf: leaf, hasher: &hasher)
        }
        return edge.root(hasher: &hasher)
    }
}

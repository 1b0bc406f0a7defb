import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

extension EventLog {
    /// What the next event of `replica` says its author had seen: the heads of other replicas that moved since its event
    /// before. With every 256th event it says all of them, so that nobody has to read further back than that to know
    /// what an author knew.
    ///
    /// Each says the root of the tree there too, since a number alone would not tell two branches of a fork apart.
    ///
    /// - Parameters:
    ///   - head: The last event of `replica`.
    ///   - count: How many events are appended with the next one.
    /// - Complexity: O(replicas), and at most 255 hashes for each that is said.
    static func observed(
        by replica: ReplicaID, after head: HeadRow?, appending count: Int,
        in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> (heads: [ObservedHead], areAll: Bool) {
        let last = head?.sequence ?? 0
        let isDue = last / contextCount != (last + UInt64(count)) / contextCount
        let since = isDue ? 0 : head?.position ?? 0
        var moved: [EventID] = []
        // Of a replica of which events were lost here, nothing is known of the root behind these.
        var limits: [ReplicaID: SequenceNumber] = [:]
        for hole in try holes(in: transaction, tables).reversed() { limits[hole.replica] = hole.first - 1 }
        try transaction.forEach(in: tables.heads) { key, value in
            guard key.byteCount == 16, let row = HeadRow(value) else {
                throw EventLogError.damaged("the last event of a replica")
            }
            let other = ReplicaID(at: 0, of: key)
            let last = Swift.min(row.sequence, limits[other] ?? .max)
            if other != replica, row.position > since, last > 0 { moved.append(EventID(other, last)) }
            return true
        }
        // More replicas than an event can name have never moved at once; the least ids are named.
        let heads = try moved.prefix(EventLimits.observedCount).map {
            ObservedHead(event: $0, rootPrefix: try root(through: $0, in: transaction, tables).prefix)
        }
        return (heads, isDue && moved.count == heads.count)
    }

    /// Among so many events of a replica one says all that its author had.
    package static let contextCount: UInt64 = 256

    /// The root of the tree over a replica's events up to `last`, within a transaction.
    private static func root(
        through last: EventID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> Hash256 {
        var hasher = MerkleHasher()
        var edge =
            try transaction.withValue(ReplicaKey(last.replica), in: tables.trees) { try Self.edge($0) } ?? MerkleEdge()
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

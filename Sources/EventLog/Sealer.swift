import ByteCoding
import Events
import LMDB

/// Leaves hashed behind the commits, until the next commit writes them.
///
/// Appending stores checksums only. Tree hashes follow, off the writer's path, in blocks of 256 leaves; what is not
/// hashed yet is protected by the chain of checksums alone.
struct Sealer {
    /// How many leaves make a block, and so a stored node.
    static let blockCount: UInt64 = 256

    var edges: [ReplicaID: MerkleEdge] = [:]
    var nodes: [(key: ReplicaNumberKey, hash: Hash256)] = []
    /// How many of the nodes are in the transaction that is being committed.
    private var storingCount = 0

    /// Whether there is anything to write.
    var isDirty: Bool { !nodes.isEmpty }

    /// The transaction has all that is here now. What is hashed while it is being committed waits for the next one.
    mutating func willStore() { storingCount = nodes.count }

    /// The transaction was committed.
    mutating func didStore() {
        nodes.removeFirst(storingCount)
        storingCount = 0
    }
}

extension EventLog {
    /// Hashes all whole blocks of 256 events that were not hashed yet. The next commit, or closing, writes them.
    ///
    /// Cost: about 0.6 us an event; meant for another thread than the writer's. Calling it is never needed for a
    /// right answer, only for a fast one.
    public func sealPending() throws {
        for entry in try vector().entries { try seal(entry.replica, through: entry.sequence) }
    }

    private func seal(_ replica: ReplicaID, through last: SequenceNumber) throws {
        var edge = try storedEdge(of: replica)
        let wanted = last - last % Sealer.blockCount
        guard edge.count < wanted else { return }
        var hasher = MerkleHasher()
        var block = MerkleEdge()
        var nodes: [(key: ReplicaNumberKey, hash: Hash256)] = []
        try scan(EventRange(replica, edge.count + 1, through: wanted)) { _, frame, bytes in
            let leaf = hasher.leaf(of: frame, in: bytes)
            edge.append(leaf: leaf, hasher: &hasher)
            block.append(leaf: leaf, hasher: &hasher)
            if block.count == Sealer.blockCount {
                let key = ReplicaNumberKey(replica, frame.id.sequence / Sealer.blockCount - 1)
                nodes.append((key, block.root(hasher: &hasher)))
                block = MerkleEdge()
            }
            return true
        }
        sealer.withLock { sealer in
            guard (sealer.edges[replica]?.count ?? 0) < edge.count else { return }
            sealer.edges[replica] = edge
            sealer.nodes += nodes
        }
    }

    /// The right edge as far as it was hashed: in memory, else in the file, else that of no leaves.
    private func storedEdge(of replica: ReplicaID) throws -> MerkleEdge {
        if let edge = sealer.withLock({ $0.edges[replica] }) { return edge }
        return try environment.read { transaction in
            try transaction.withValue(ReplicaKey(replica), in: LogTables(in: transaction).trees) {
                try Self.edge($0)
            } ?? MerkleEdge()
        }
    }

    static func edge(_ bytes: RawSpan) throws -> MerkleEdge {
        guard bytes.byteCount >= 8, bytes.byteCount % 32 == 8,
            let edge = MerkleEdge(
                count: bytes.uint64(at: 0),
                subtrees: stride(from: 8, to: bytes.byteCount, by: 32).map { Hash256(at: $0, of: bytes) })
        else { throw EventLogError.damaged("the right edge of a tree") }
        return edge
    }

    /// The root of the tree over all events of `replica` up to `sequence`, the last one where that is not given.
    ///
    /// - Returns: `nil` where this log does not have that many.
    /// - Complexity: O(events since the last sealed block), at most 256 after ``sealPending()``.
    public func root(of replica: ReplicaID) throws -> Hash256? {
        let last = try vector()[replica]
        guard last > 0 else { return nil }
        var edge = try storedEdge(of: replica)
        var hasher = MerkleHasher()
        if edge.count < last {
            try scan(EventRange(replica, edge.count + 1, through: last)) { _, frame, bytes in
                edge.append(leaf: hasher.leaf(of: frame, in: bytes), hasher: &hasher)
                return true
            }
        }
        return edge.root(hasher: &hasher)
    }

    /// Puts what was hashed since the last commit into this one.
    func storeSeals(_ transaction: borrowing WriteTransaction, _ tables: LogTables) throws {
        try sealer.withLock { sealer in
            sealer.willStore()
            guard sealer.isDirty else { return }
            for (replica, edge) in sealer.edges.sorted(by: { $0.key < $1.key }) {
                var writer = ByteWriter()
                writer.append(littleEndian: edge.count)
                for subtree in edge.subtrees { writer.append(subtree) }
                try transaction.put(writer.bytes.span.bytes, for: ReplicaKey(replica), in: tables.trees)
            }
            for node in sealer.nodes {
                var writer = ByteWriter()
                writer.append(node.hash)
                try transaction.put(writer.bytes.span.bytes, for: node.key, in: tables.nodes)
            }
        }
    }

    /// A commit of its own for what was hashed and not written.
    func writeSeals() throws {
        guard sealer.withLock({ $0.isDirty }) else { return }
        try environment.write { transaction in try storeSeals(transaction, LogTables(in: transaction)) }
        sealer.withLock { $0.didStore() }
    }
}

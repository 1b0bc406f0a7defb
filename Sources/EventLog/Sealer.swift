import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// Tree hashes computed after the commits, kept in memory until the next commit writes them.
///
/// Appending stores checksums only. Tree hashes follow, off the writer's path, in blocks of 256 leaves; events that
/// are not hashed yet are protected by the chain of checksums alone.
struct Sealer {
    /// Increased when a branch is forked or the log is cleared: hashes computed for an earlier generation are
    /// discarded.
    let generation: Int
    private(set) var edges: [ReplicaID: MerkleEdge] = [:]
    private(set) var nodes: [(key: ReplicaNumberKey, hash: Hash256)] = []
    /// The number of nodes that were stored and dropped from ``nodes`` so far.
    private var storedNodes = 0
    /// The number of changes so far, and how many of them were stored.
    private var changes = 0
    private var storedChanges = 0

    init(generation: Int = 0) { self.generation = generation }

    /// The hashes that a commit stores. Hashes added before the commit is done wait for the next one.
    struct Mark {
        fileprivate let nodes: Int
        fileprivate let changes: Int
    }

    /// Whether some hashes are not stored yet.
    var isDirty: Bool { changes != storedChanges }

    /// Marks everything that was hashed so far.
    var mark: Mark { Mark(nodes: storedNodes + nodes.count, changes: changes) }

    /// Adds blocks of `replica`, unless another thread has already hashed at least as many.
    mutating func add(
        _ edge: MerkleEdge, _ nodes: [(key: ReplicaNumberKey, hash: Hash256)], of replica: ReplicaID, in generation: Int
    ) {
        guard generation == self.generation, (edges[replica]?.count ?? 0) < edge.count else { return }
        edges[replica] = edge
        self.nodes += nodes
        changes += 1
    }

    /// Drops everything up to `mark`, which a commit has stored.
    mutating func didStore(upTo mark: Mark) {
        // Another commit may have stored the same nodes and reported it first.
        let count = Swift.max(0, mark.nodes - storedNodes)
        nodes.removeFirst(count)
        storedNodes += count
        storedChanges = Swift.max(storedChanges, mark.changes)
    }
}

extension EventLog {
    /// Hashes all complete blocks of 256 events that were not hashed yet. The next commit, or closing, writes them.
    ///
    /// Cost: about 0.6 us an event; meant for a thread other than the writer's. Calling it never changes a result; it
    /// only makes later calls faster.
    public func sealPending() throws {
        for entry in try wholeVector().entries { try seal(entry.replica, through: entry.sequence) }
    }

    private func seal(_ replica: ReplicaID, through last: SequenceNumber) throws {
        let generation = sealer.withLock { $0.generation }
        var edge = try storedEdge(of: replica)
        let wanted = last - last % TreeBlock.leafCount
        guard edge.count < wanted else { return }
        var hasher = MerkleHasher()
        var block = MerkleEdge()
        var nodes: [(key: ReplicaNumberKey, hash: Hash256)] = []
        try scan(EventRange(replica, edge.count + 1, through: wanted)) { _, frame, bytes in
            let leaf = hasher.leaf(of: frame, in: bytes)
            edge.append(leaf: leaf, hasher: &hasher)
            block.append(leaf: leaf, hasher: &hasher)
            if block.count == TreeBlock.leafCount {
                let key = ReplicaNumberKey(replica, frame.id.sequence / TreeBlock.leafCount - 1)
                nodes.append((key, block.root(hasher: &hasher)))
                block = MerkleEdge()
            }
            return true
        }
        sealer.withLock { $0.add(edge, nodes, of: replica, in: generation) }
    }

    /// Returns the right edge up to the last hashed block: from memory, else from the file, else that of an empty
    /// tree.
    func storedEdge(of replica: ReplicaID) throws -> MerkleEdge {
        if let edge = sealer.withLock({ $0.edges[replica] }) { return edge }
        return try read { transaction in
            try transaction.withValue(ReplicaKey(replica), in: LogTables(in: transaction).trees) {
                try MerkleEdge(row: $0)
            } ?? MerkleEdge()
        }
    }

    /// Writes the hashes since the last commit in this transaction; returns a mark to report once it is committed.
    func storeSeals(_ transaction: borrowing WriteTransaction, _ tables: LogTables) throws -> Sealer.Mark? {
        try sealer.withLock { sealer in
            guard sealer.isDirty else { return nil }
            for (replica, edge) in sealer.edges.sorted(by: { $0.key < $1.key }) {
                try transaction.put(edge.row.span.bytes, for: ReplicaKey(replica), in: tables.trees)
            }
            for node in sealer.nodes {
                var writer = ByteWriter()
                writer.append(node.hash)
                try transaction.put(writer.bytes.span.bytes, for: node.key, in: tables.nodes)
            }
            return sealer.mark
        }
    }

    /// Commits the hashes that are not stored yet, if there are any.
    func writeSeals() throws {
        guard sealer.withLock({ $0.isDirty }) else { return }
        let seals = try write { transaction in try storeSeals(transaction, LogTables(in: transaction)) }
        if let seals { sealer.withLock { $0.didStore(upTo: seals) } }
    }
}

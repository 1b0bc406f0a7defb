import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// Leaves hashed behind the commits, until the next commit writes them.
///
/// Appending stores checksums only. Tree hashes follow, off the writer's path, in blocks of 256 leaves; what is not
/// hashed yet is protected by the chain of checksums alone.
struct Sealer {
    /// How many leaves make a block, and so a stored node.
    static let blockCount: UInt64 = 256

    /// Another one once a stream has parted: what was being hashed meanwhile is of no use then.
    let generation: Int
    private(set) var edges: [ReplicaID: MerkleEdge] = [:]
    private(set) var nodes: [(key: ReplicaNumberKey, hash: Hash256)] = []
    /// How many nodes were stored and forgotten so far.
    private var storedNodes = 0
    /// How often something was hashed, and how much of that was stored.
    private var changes = 0
    private var storedChanges = 0

    init(generation: Int = 0) { self.generation = generation }

    /// What a commit takes along. More may be hashed until the commit is done, and that waits for the next one.
    struct Mark {
        fileprivate let nodes: Int
        fileprivate let changes: Int
    }

    /// Whether something was hashed that is not stored.
    var isDirty: Bool { changes != storedChanges }

    /// All that was hashed so far.
    var mark: Mark { Mark(nodes: storedNodes + nodes.count, changes: changes) }

    /// Adds blocks of `replica`, unless another thread has hashed as many already.
    mutating func add(
        _ edge: MerkleEdge, _ nodes: [(key: ReplicaNumberKey, hash: Hash256)], of replica: ReplicaID, in generation: Int
    ) {
        guard generation == self.generation, (edges[replica]?.count ?? 0) < edge.count else { return }
        edges[replica] = edge
        self.nodes += nodes
        changes += 1
    }

    /// A commit has stored everything up to `mark`.
    mutating func didStore(upTo mark: Mark) {
        // Another commit may have stored the same and said so first.
        let count = Swift.max(0, mark.nodes - storedNodes)
        nodes.removeFirst(count)
        storedNodes += count
        storedChanges = Swift.max(storedChanges, mark.changes)
    }
}

extension EventLog {
    /// Hashes all whole blocks of 256 events that were not hashed yet. The next commit, or closing, writes them.
    ///
    /// Cost: about 0.6 us an event; meant for another thread than the writer's. Calling it is never needed for a
    /// right answer, only for a fast one.
    public func sealPending() throws {
        for entry in try wholeVector().entries { try seal(entry.replica, through: entry.sequence) }
    }

    private func seal(_ replica: ReplicaID, through last: SequenceNumber) throws {
        let generation = sealer.withLock { $0.generation }
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
        sealer.withLock { $0.add(edge, nodes, of: replica, in: generation) }
    }

    /// The right edge as far as it was hashed: in memory, else in the file, else that of no leaves.
    func storedEdge(of replica: ReplicaID) throws -> MerkleEdge {
        if let edge = sealer.withLock({ $0.edges[replica] }) { return edge }
        return try read { transaction in
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

    /// Puts what was hashed since the last commit into this one; returns what that is, for when the commit is done.
    func storeSeals(_ transaction: borrowing WriteTransaction, _ tables: LogTables) throws -> Sealer.Mark? {
        try sealer.withLock { sealer in
            guard sealer.isDirty else { return nil }
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
            return sealer.mark
        }
    }

    /// A commit of its own for what was hashed and not written.
    func writeSeals() throws {
        guard sealer.withLock({ $0.isDirty }) else { return }
        let seals = try write { transaction in try storeSeals(transaction, LogTables(in: transaction)) }
        if let seals { sealer.withLock { $0.didStore(upTo: seals) } }
    }
}

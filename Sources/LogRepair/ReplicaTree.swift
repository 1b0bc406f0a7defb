import GroundwaveEvents
import GroundwaveLogFormat

/// The tree over a replica's events, recomputed block by block and compared with the stored rows.
///
/// The roots of blocks of 256 leaves are the leaves of a second tree. Its edge, followed by that of the open block, is
/// the edge of the whole tree: each leaf is hashed once, and a missing event affects only its block.
struct ReplicaTree {
    private let replica: ReplicaID
    private var blocks = MerkleEdge()
    private var block = MerkleEdge()
    /// Whether all leaves from 1 on were present.
    private(set) var isWhole = true
    /// Whether all leaves of the open block were present.
    private var blockIsWhole = true
    /// The stored right edge, until it was compared.
    private var stored: MerkleEdge?
    /// The number of leaves of the stored edge.
    private let sealedCount: UInt64

    init(_ replica: ReplicaID, stored: MerkleEdge?) {
        self.replica = replica
        self.stored = stored
        sealedCount = stored?.count ?? 0
    }

    /// Adds the leaf of event `sequence`; the event before it was the last one added or skipped.
    mutating func append(
        _ leaf: Hash256, _ sequence: SequenceNumber, _ hasher: inout MerkleHasher,
        _ nodes: inout [ReplicaNumberKey: Hash256]
    ) -> [LogDamage] {
        guard blockIsWhole else {
            if sequence % TreeBlock.leafCount == 0 { startBlock() }
            return []
        }
        block.append(leaf: leaf, hasher: &hasher)
        var damage: [LogDamage] = []
        if sequence % TreeBlock.leafCount == 0 {
            let root = block.root(hasher: &hasher)
            damage += compare(root, block: sequence / TreeBlock.leafCount - 1, &nodes)
            if isWhole { blocks.append(leaf: root, hasher: &hasher) }
            startBlock()
        }
        if isWhole, sequence == sealedCount, let stored {
            self.stored = nil
            if stored.subtrees != blocks.subtrees + block.subtrees {
                damage.append(
                    LogDamage(
                        .tree, replica, first: 1, last: sequence, "the stored edge of the tree differs from the events")
                )
            }
        }
        return damage
    }

    private mutating func startBlock() {
        block = MerkleEdge()
        blockIsWhole = true
    }

    private func compare(
        _ root: Hash256, block: UInt64, _ nodes: inout [ReplicaNumberKey: Hash256]
    ) -> [LogDamage] {
        let node = nodes.removeValue(forKey: ReplicaNumberKey(replica, block))
        let first = block * TreeBlock.leafCount + 1
        let last = first + TreeBlock.leafCount - 1
        if node == nil, last > sealedCount { return [] }
        if node == root { return [] }
        let detail =
            node == nil ? "the hash of a block of events is missing" : "the hash of a block of events differs"
        return [LogDamage(.tree, replica, first: first, last: last, detail)]
    }

    /// Records that events are missing; the next one is `sequence`.
    mutating func skip(to sequence: SequenceNumber) {
        isWhole = false
        block = MerkleEdge()
        blockIsWhole = (sequence - 1) % TreeBlock.leafCount == 0
    }

    /// Returns the root over all leaves; `nil` if some are missing.
    func root(_ hasher: inout MerkleHasher) -> Hash256? {
        guard isWhole else { return nil }
        let count = blocks.count * TreeBlock.leafCount + block.count
        return MerkleEdge(count: count, subtrees: blocks.subtrees + block.subtrees)?.root(hasher: &hasher)
    }

    /// Returns the damage that is known only at the end, after the last event `last`.
    func finish(last: SequenceNumber) -> [LogDamage] {
        guard stored != nil, sealedCount > 0, isWhole, sealedCount > last else { return [] }
        return [LogDamage(.tree, replica, "the stored tree has \(sealedCount) events, but there are \(last)")]
    }
}

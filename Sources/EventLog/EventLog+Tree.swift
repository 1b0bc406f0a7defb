import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns the root of the tree over all events of `replica`.
    ///
    /// - Returns: `nil` if this log has no event of it; if events were lost, the root over those before the first lost
    ///   one.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(events since the last sealed block), at most 256 after ``sealPending()``.
    public func root(of replica: ReplicaID) throws -> Hash256? {
        let last = try wholeVector()[replica]
        return last > 0 ? try root(of: replica, through: last) : nil
    }

    /// Returns the root of the tree over the events of `replica` up to `sequence`, the last or any earlier one.
    ///
    /// - Returns: `nil` if this log does not have that many events, or has lost one of them.
    /// - Throws: As ``edge(of:through:)``, and at its cost.
    public func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        var hasher = MerkleHasher()
        return try edge(of: replica, through: sequence)?.root(hasher: &hasher)
    }

    /// Returns the right edge of the tree over the events of `replica` up to `sequence`, the last or any earlier one;
    /// for 0 that of an empty tree.
    ///
    /// - Returns: `nil` if this log does not have that many events, or has lost one of them.
    /// - Throws: ``EventLogError`` if an event to be hashed is damaged; `LMDBError` if the file cannot be read.
    /// - Complexity: O(sequence / 256 + 256) hashes if the blocks are sealed and stored, fewer near the last event.
    ///   Events of blocks that are not stored are hashed, at about 0.6 us each.
    public func edge(of replica: ReplicaID, through sequence: SequenceNumber) throws -> MerkleEdge? {
        guard sequence <= (try wholeVector()[replica]) else { return nil }
        var edge = try storedEdge(of: replica)
        guard edge.count <= sequence else { return try self.edge(of: replica, over: 0..<sequence) }
        try append(edge.count..<sequence, of: replica, to: &edge)
        return edge
    }

    /// Returns the right edge of the tree over some events of `replica`, all of which are here: leaf *i* is event *i* +
    /// 1.
    ///
    /// - Precondition: The leaves start a block, or lie within one. Those below any node of a larger tree do.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(leaves / 256 + 256) hashes if the blocks are stored.
    func edge(of replica: ReplicaID, over leaves: Range<UInt64>) throws -> MerkleEdge {
        let (firstBlock, offset) = leaves.lowerBound.quotientAndRemainder(dividingBy: TreeBlock.leafCount)
        var edge = MerkleEdge()
        if offset == 0 {
            edge = try self.edge(of: replica, overBlocks: firstBlock..<leaves.upperBound / TreeBlock.leafCount)
        } else {
            precondition(offset + UInt64(leaves.count) <= TreeBlock.leafCount, "the leaves lie within one block")
        }
        try append(leaves.lowerBound + edge.count..<leaves.upperBound, of: replica, to: &edge)
        return edge
    }

    /// As ``edge(of:over:)``, for whole blocks: uses stored roots, and hashes the events of the others.
    private func edge(of replica: ReplicaID, overBlocks blocks: Range<UInt64>) throws -> MerkleEdge {
        var hasher = MerkleHasher()
        var next = blocks.lowerBound
        var above = MerkleEdge()
        try read { transaction in
            try transaction.forEach(in: LogTables(in: transaction).nodes, from: ReplicaNumberKey(replica, next)) {
                key, value in
                guard next < blocks.upperBound, ReplicaNumberKey(keyBytes: key) == ReplicaNumberKey(replica, next)
                else { return false }
                guard value.byteCount == 32 else { throw EventLogError.damaged("a node of a tree") }
                above.append(leaf: Hash256(at: 0, of: value), hasher: &hasher)
                next += 1
                return true
            }
        }
        // The edge of a tree of blocks equals that of the tree of their leaves without its lowest eight levels.
        let leaves = MerkleEdge(count: above.count * TreeBlock.leafCount, subtrees: above.subtrees)
        guard var edge = leaves else { preconditionFailure("256 times a number has as many bits set.") }
        try append(next * TreeBlock.leafCount..<blocks.upperBound * TreeBlock.leafCount, of: replica, to: &edge)
        return edge
    }

    /// Hashes events and appends their leaves to `edge`.
    private func append(_ leaves: Range<UInt64>, of replica: ReplicaID, to edge: inout MerkleEdge) throws {
        if leaves.isEmpty { return }
        var hasher = MerkleHasher()
        var count: UInt64 = 0
        try scan(EventRange(replica, leaves.lowerBound + 1, through: leaves.upperBound)) { _, frame, bytes in
            edge.append(leaf: hasher.leaf(of: frame, in: bytes), hasher: &hasher)
            count += 1
            return true
        }
        guard count == leaves.upperBound - leaves.lowerBound else {
            throw EventLogError.damaged("the runs of a replica")
        }
    }
}

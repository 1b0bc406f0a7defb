import GroundwaveEvents
import GroundwaveLogFormat

/// The trees of a log computed from its present events, ignoring the stored nodes.
///
/// A stored node does not change when an event below it is altered. Proofs and peers may use it; a comparison of two
/// stores on one machine should not, since reading everything is fast there.
public struct HashedTrees: Sendable {
    /// The events that were hashed; later ones are not part of these trees.
    public let vector: VersionVector

    private let log: EventLog
    /// The roots of the complete blocks, by replica.
    private let blocks: [ReplicaID: [Hash256]]

    /// Hashes every event of `log`.
    ///
    /// - Throws: ``EventLogError`` if an event is damaged or out of sequence.
    /// - Complexity: About 0.6 us an event; keeps 32 bytes for 256 of them.
    public init(of log: EventLog) throws {
        var hasher = MerkleHasher()
        var vector = VersionVector()
        var started: [ReplicaID: MerkleEdge] = [:]
        var blocks: [ReplicaID: [Hash256]] = [:]
        try log.scanFrames(from: 1) { position, bytes in
            let frame = try Frame(verifying: bytes, at: position)
            let replica = frame.id.replica
            guard frame.id.sequence == vector[replica] + 1 else {
                throw EventLogError.outOfSequence(frame.id, expected: vector[replica] + 1)
            }
            vector[replica] = frame.id.sequence
            started[replica, default: MerkleEdge()].append(leaf: hasher.leaf(of: frame, in: bytes), hasher: &hasher)
            if frame.id.sequence % TreeBlock.leafCount == 0, let block = started.removeValue(forKey: replica) {
                blocks[replica, default: []].append(block.root(hasher: &hasher))
            }
            return true
        }
        self.log = log
        self.vector = vector
        self.blocks = blocks
    }

    /// Returns the subtree as ``EventLog/subtree(of:over:)`` does, over the events that were hashed.
    public func subtree(of replica: ReplicaID, over leaves: Range<UInt64>) throws -> Subtree {
        let last = vector[replica]
        guard leaves.upperBound <= last else { return leaves.lowerBound < last ? .partial : .absent }
        let whole = leaves.lowerBound / TreeBlock.leafCount..<leaves.upperBound / TreeBlock.leafCount
        guard leaves.lowerBound % TreeBlock.leafCount == 0, !whole.isEmpty else {
            return try log.subtree(of: replica, over: leaves)
        }
        var parts = (blocks[replica] ?? [])[Int(whole.lowerBound)..<Int(whole.upperBound)].map { Subtree.whole($0) }
        let rest = whole.upperBound * TreeBlock.leafCount..<leaves.upperBound
        if !rest.isEmpty { parts.append(try log.subtree(of: replica, over: rest)) }
        return Subtree(joining: parts)
    }
}

import GroundwaveEventLog
import GroundwaveEvents

extension MemoryLog {
    /// The events of one replica: where each stands, and the tree over them.
    struct Stream {
        private(set) var leaves: [Hash256] = []
        private(set) var positions: [Position] = []
        private(set) var lastStamp = Stamp(rawValue: 0)
        /// The right edge of the tree before the first event, after it, after the second…
        private(set) var edges = [MerkleEdge()]
        /// The roots that were asked for.
        private var roots: [SequenceNumber: Hash256] = [:]

        var count: SequenceNumber { SequenceNumber(leaves.count) }

        mutating func append(_ leaf: Hash256, _ position: Position, _ stamp: Stamp) {
            var hasher = MerkleHasher()
            var edge = edges[leaves.count]
            edge.append(leaf: leaf, hasher: &hasher)
            edges.append(edge)
            leaves.append(leaf)
            positions.append(position)
            lastStamp = stamp
        }

        mutating func root(through sequence: SequenceNumber) -> Hash256 {
            if let known = roots[sequence] { return known }
            var hasher = MerkleHasher()
            let root = edges[Int(sequence)].root(hasher: &hasher)
            roots[sequence] = root
            return root
        }
    }

    func edge(of replica: ReplicaID, through sequence: SequenceNumber) -> MerkleEdge? {
        guard let stream = trees[replica] else { return sequence == 0 ? MerkleEdge() : nil }
        return sequence <= stream.count ? stream.edges[Int(sequence)] : nil
    }

    func root(of replica: ReplicaID, through sequence: SequenceNumber) -> Hash256? {
        guard edge(of: replica, through: sequence) != nil else { return nil }
        return trees[replica, default: Stream()].root(through: sequence)
    }

    func consistencyProof(
        of replica: ReplicaID, from earlier: SequenceNumber, to later: SequenceNumber
    ) -> ConsistencyProof? {
        guard earlier >= 1, earlier <= later, let stream = trees[replica], later <= stream.count else { return nil }
        return ConsistencyProof(earlierSize: earlier, laterSize: later) { leaves in
            var hasher = MerkleHasher()
            var edge = MerkleEdge()
            for leaf in stream.leaves[Int(leaves.lowerBound)..<Int(leaves.upperBound)] {
                edge.append(leaf: leaf, hasher: &hasher)
            }
            return edge.root(hasher: &hasher)
        }
    }

    /// The leaf of the event at each position.
    func leaves() throws -> [Hash256] {
        var leaves = [Hash256?](repeating: nil, count: rows.events.count)
        for stream in trees.values {
            for (leaf, position) in zip(stream.leaves, stream.positions) { leaves[Int(position) - 1] = leaf }
        }
        return leaves.compactMap { $0 }
    }
}

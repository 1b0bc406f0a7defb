/// A proof that a tree begins with an earlier one, so that no leaf was altered or removed since: RFC 6962, section
/// 2.1.2.
///
/// The path holds the subtree roots from which both tree roots can be computed. As with ``InclusionProof``, sizes and
/// roots can be trusted only if they come from signed heads.
public struct ConsistencyProof: Hashable, Sendable {
    /// The number of leaves in the earlier tree.
    public let earlierSize: UInt64
    /// The number of leaves in the later tree.
    public let laterSize: UInt64
    /// The roots from which both roots follow, the lowest first; empty if both trees are the same.
    public let path: [Hash256]

    /// A proof of any origin; nothing is checked.
    public init(earlierSize: UInt64, laterSize: UInt64, path: [Hash256]) {
        self.earlierSize = earlierSize
        self.laterSize = laterSize
        self.path = path
    }

    /// The proof that the first `earlierSize` leaves of a tree are those of the earlier one.
    ///
    /// - Parameter subtree: As for ``InclusionProof``.
    /// - Precondition: Both trees have leaves, the later one no fewer.
    /// - Complexity: O(log laterSize) subtrees.
    public init(
        earlierSize: UInt64, laterSize: UInt64, subtree: (_ leaves: Range<UInt64>) throws -> Hash256
    ) rethrows {
        precondition(earlierSize >= 1 && earlierSize <= laterSize, "the later tree has no fewer leaves")
        var path: [Hash256] = []
        var leaves = 0..<laterSize
        while leaves.upperBound > earlierSize {
            let (left, right) = MerkleSplit.halves(of: leaves)
            let isLeft = earlierSize <= left.upperBound
            path.append(try subtree(isLeft ? right : left))
            leaves = isLeft ? left : right
        }
        // The remaining subtree ends where the earlier tree ends. If it is that whole tree, the verifier has its
        // root.
        if leaves.lowerBound > 0 { path.append(try subtree(leaves)) }
        self.init(earlierSize: earlierSize, laterSize: laterSize, path: path.reversed())
    }

    /// Whether the tree with the root `later` begins with the one with the root `earlier`.
    ///
    /// Source: RFC 9162, section 2.1.4.2.
    public func holds(from earlier: Hash256, to later: Hash256) -> Bool {
        guard earlierSize >= 1, earlierSize <= laterSize else { return false }
        if earlierSize == laterSize { return path.isEmpty && earlier == later }
        var nodeIndex = earlierSize - 1
        var last = laterSize - 1
        while nodeIndex & 1 == 1 {
            nodeIndex >>= 1
            last >>= 1
        }
        // If the earlier tree is a complete subtree of the later one, its root is the start, and the path does not
        // hold it.
        var siblings = path[...]
        guard let start = nodeIndex == 0 ? earlier : siblings.popFirst() else { return false }
        var hasher = MerkleHasher()
        var (earlierRoot, laterRoot) = (start, start)
        for sibling in siblings {
            if last == 0 { return false }
            if nodeIndex & 1 == 1 || nodeIndex == last {
                earlierRoot = hasher.node(sibling, earlierRoot)
                laterRoot = hasher.node(sibling, laterRoot)
                while nodeIndex & 1 == 0, nodeIndex > 0 {
                    nodeIndex >>= 1
                    last >>= 1
                }
            } else {
                laterRoot = hasher.node(laterRoot, sibling)
            }
            nodeIndex >>= 1
            last >>= 1
        }
        return last == 0 && earlierRoot == earlier && laterRoot == later
    }
}

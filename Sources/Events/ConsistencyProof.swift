/// That a tree begins with an earlier one, so that nothing was altered or taken out since: RFC 6962, section 2.1.2.
///
/// The path holds the roots of the subtrees from which both roots follow. As with ``InclusionProof``, sizes and roots
/// belong together only where they come from signed heads.
public struct ConsistencyProof: Hashable, Sendable {
    /// How many leaves the earlier tree has.
    public let earlierSize: UInt64
    /// How many leaves the later tree has.
    public let laterSize: UInt64
    /// The roots from which both follow, the lowest first; none for a tree and itself.
    public let path: [Hash256]

    /// A proof that came from somewhere; nothing is checked.
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
        // What is left ends with the earlier tree. Where it is that whole tree, whoever checks has its root.
        if leaves.lowerBound > 0 { path.append(try subtree(leaves)) }
        self.init(earlierSize: earlierSize, laterSize: laterSize, path: path.reversed())
    }

    /// Whether the tree with the root `later` begins with the one with the root `earlier`.
    ///
    /// Source: RFC 9162, section 2.1.4.2.
    public func holds(from earlier: Hash256, to later: Hash256) -> Bool {
        guard earlierSize >= 1, earlierSize <= laterSize else { return false }
        if earlierSize == laterSize { return path.isEmpty && earlier == later }
        var place = earlierSize - 1
        var last = laterSize - 1
        while place & 1 == 1 {
            place >>= 1
            last >>= 1
        }
        // An earlier tree that is a whole subtree of the later one stands for itself.
        var siblings = path[...]
        guard let start = place == 0 ? earlier : siblings.popFirst() else { return false }
        var hasher = MerkleHasher()
        var (earlierRoot, laterRoot) = (start, start)
        for sibling in siblings {
            if last == 0 { return false }
            if place & 1 == 1 || place == last {
                earlierRoot = hasher.node(sibling, earlierRoot)
                laterRoot = hasher.node(sibling, laterRoot)
                while place & 1 == 0, place > 0 {
                    place >>= 1
                    last >>= 1
                }
            } else {
                laterRoot = hasher.node(laterRoot, sibling)
            }
            place >>= 1
            last >>= 1
        }
        return last == 0 && earlierRoot == earlier && laterRoot == later
    }
}

/// A proof that one leaf is in a tree: the audit path of RFC 6962, section 2.1.1.
///
/// The path holds the roots of the sibling subtrees on the way from the leaf up to the root, the lowest first: at
/// most one for each level.
///
/// A path does not determine the size of the tree: it is the same for several sizes. Size and root can be trusted
/// only if both come from one ``SignedHead``.
public struct InclusionProof: Hashable, Sendable {
    /// The index of the leaf, from 0: the number of its event minus 1.
    public let leafIndex: UInt64
    /// The number of leaves in the tree.
    public let treeSize: UInt64
    /// The roots of the sibling subtrees, the lowest first.
    public let path: [Hash256]

    /// A proof of any origin; nothing is checked.
    public init(leafIndex: UInt64, treeSize: UInt64, path: [Hash256]) {
        self.leafIndex = leafIndex
        self.treeSize = treeSize
        self.path = path
    }

    /// The proof of a leaf in a tree.
    ///
    /// - Parameter subtree: Returns the root over some leaves of the tree. It is called for complete subtrees of 2ⁿ
    ///   leaves, and at most once for a subtree that ends with the tree.
    /// - Precondition: The leaf is in the tree.
    /// - Complexity: O(log treeSize) subtrees.
    public init(
        leafIndex: UInt64, treeSize: UInt64, subtree: (_ leaves: Range<UInt64>) throws -> Hash256
    ) rethrows {
        precondition(leafIndex < treeSize, "the leaf is in the tree")
        var path: [Hash256] = []
        var leaves = 0..<treeSize
        while leaves.upperBound - leaves.lowerBound > 1 {
            let (left, right) = MerkleSplit.halves(of: leaves)
            path.append(try subtree(left.contains(leafIndex) ? right : left))
            leaves = left.contains(leafIndex) ? left : right
        }
        self.init(leafIndex: leafIndex, treeSize: treeSize, path: path.reversed())
    }

    /// The root that follows from `leaf` and the path; `nil` if the path is too long or too short for the index and
    /// the size.
    ///
    /// The proof holds if this is the root of the tree. Source: RFC 9162, section 2.1.3.2.
    public func root(leaf: Hash256) -> Hash256? {
        guard leafIndex < treeSize else { return nil }
        var hasher = MerkleHasher()
        var nodeIndex = leafIndex
        var last = treeSize - 1
        var root = leaf
        for sibling in path {
            if last == 0 { return nil }
            if nodeIndex & 1 == 1 || nodeIndex == last {
                root = hasher.node(sibling, root)
                // On the right edge, skip levels without a sibling.
                while nodeIndex & 1 == 0, nodeIndex > 0 {
                    nodeIndex >>= 1
                    last >>= 1
                }
            } else {
                root = hasher.node(root, sibling)
            }
            nodeIndex >>= 1
            last >>= 1
        }
        return last == 0 ? root : nil
    }
}

/// How a tree is split.
enum MerkleSplit {
    /// The two subtrees below the root over `leaves`, at least two: the number of leaves on the left is the largest
    /// power of two that is smaller than their number (RFC 6962, section 2.1).
    static func halves(of leaves: Range<UInt64>) -> (left: Range<UInt64>, right: Range<UInt64>) {
        let last = leaves.upperBound - leaves.lowerBound - 1
        let middle = leaves.lowerBound + (1 << UInt64(63 - last.leadingZeroBitCount))
        return (leaves.lowerBound..<middle, middle..<leaves.upperBound)
    }
}

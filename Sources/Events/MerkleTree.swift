import ByteCoding

/// The tree over one replica's events, as RFC 6962 section 2.1 defines it, represented by its right edge.
///
/// The edge is the roots of the complete subtrees that make up `count` leaves, the largest first: one for each bit
/// set in `count`. Adding leaves needs the edge; a root alone cannot be extended.
public struct MerkleEdge: Hashable, Sendable {
    /// The number of leaves in the tree.
    public private(set) var count: UInt64
    /// The roots of the complete subtrees, the largest first.
    public private(set) var subtrees: [Hash256]

    /// The tree without leaves.
    public init() {
        count = 0
        subtrees = []
    }

    /// A tree of `count` leaves with these complete subtrees, or `nil` if their number does not fit.
    public init?(count: UInt64, subtrees: [Hash256]) {
        guard subtrees.count == count.nonzeroBitCount else { return nil }
        self.count = count
        self.subtrees = subtrees
    }

    /// Adds one leaf.
    ///
    /// Cost: one hash on average.
    public mutating func append(leaf: Hash256, hasher: inout MerkleHasher) {
        var node = leaf
        var carry = count
        while carry & 1 == 1 {
            node = hasher.node(subtrees.removeLast(), node)
            carry >>= 1
        }
        subtrees.append(node)
        count += 1
    }

    /// The root over all leaves; without leaves, the hash of no bytes, as the RFC defines.
    public func root(hasher: inout MerkleHasher) -> Hash256 {
        guard var root = subtrees.last else { return [UInt8]().withSpan { Hash256(hashing: $0) } }
        for subtree in subtrees.dropLast().reversed() { root = hasher.node(subtree, root) }
        return root
    }
}

/// Computes the hashes of the tree in one reused buffer: most of the cost of a small hash is its set-up.
public struct MerkleHasher: Sendable {
    private var buffer = ByteWriter(capacity: 256)

    /// A hasher with an empty buffer.
    public init() {}

    /// The hash of two subtrees: SHA-256 of 1, left, right.
    public mutating func node(_ left: Hash256, _ right: Hash256) -> Hash256 {
        buffer.removeAll()
        buffer.append(UInt8(1))
        buffer.append(left)
        buffer.append(right)
        return buffer.withSpan { Hash256(hashing: $0) }
    }

    /// The leaf of an event: SHA-256 of 0, its header, SHA-256 of its shape, SHA-256 of its values.
    ///
    /// Withheld values are replaced by exactly that last hash, so withholding changes no leaf and no root.
    public mutating func leaf(of frame: Frame, in bytes: RawSpan) -> Hash256 {
        buffer.removeAll()
        buffer.append(UInt8(0))
        buffer.append(contentsOf: bytes.extracting(frame.header))
        buffer.append(Hash256(hashing: bytes.extracting(frame.shape)))
        let values = bytes.extracting(frame.values)
        buffer.append(frame.isWithheld ? Hash256(at: 0, of: values) : Hash256(hashing: values))
        return buffer.withSpan { Hash256(hashing: $0) }
    }
}

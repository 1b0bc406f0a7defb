import ByteCoding

/// The state of a subtree of a replica's tree in one store.
///
/// On the wire: one byte, 0, 1 or 2, and after a 2 the 32 bytes of the root.
public enum Subtree: Hashable, Sendable {
    /// The store has none of its events.
    case absent
    /// The store has some of its events but not all, so there is no root over them.
    case partial
    /// The store has all of its events; this is the root over them.
    case whole(Hash256)

    /// A subtree from its parts, in order: all have the same power of two of leaves, except that the last may have
    /// fewer.
    ///
    /// Such a tree is split (RFC 6962, section 2.1) like a tree whose leaves are the parts, so the same hashing
    /// applies.
    public init(joining parts: [Subtree]) {
        var hasher = MerkleHasher()
        var edge = MerkleEdge()
        for case .whole(let root) in parts { edge.append(leaf: root, hasher: &hasher) }
        if edge.count == parts.count {
            self = .whole(edge.root(hasher: &hasher))
        } else {
            self = parts.allSatisfy { $0 == .absent } ? .absent : .partial
        }
    }
}

extension ByteWriter {
    mutating func append(_ subtree: Subtree) {
        switch subtree {
        case .absent: append(UInt8(0))
        case .partial: append(UInt8(1))
        case .whole(let root):
            append(UInt8(2))
            append(root)
        }
    }
}

extension ByteReader {
    /// Reads a subtree; `nil` if the first byte is not 0, 1 or 2.
    mutating func subtree(in bytes: RawSpan) throws(ByteCodingError) -> Subtree? {
        switch try byte(in: bytes) {
        case 0: return .absent
        case 1: return .partial
        case 2: return .whole(Hash256(at: try skip(32, in: bytes).lowerBound, of: bytes))
        default: return nil
        }
    }
}

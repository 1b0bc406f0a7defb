import GroundwaveByteCoding

/// What one store has of a subtree of a replica's tree.
///
/// On the wire one byte, 0, 1 or 2, and behind a 2 the 32 bytes of the root.
public enum Subtree: Hashable, Sendable {
    /// None of its events.
    case absent
    /// Some of its events and not all, so there is no root over them.
    case partial
    /// All of its events, and the root over them.
    case whole(Hash256)

    /// A subtree from its parts, in order: all of the same power of two of leaves, the last one perhaps of fewer.
    ///
    /// Such a tree divides (RFC 6962, section 2.1) as one whose leaves are the parts, so the same hashing serves.
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
    /// Reads a subtree; `nil` where the first byte is not one of the three.
    mutating func subtree(in bytes: RawSpan) throws(ByteCodingError) -> Subtree? {
        switch try byte(in: bytes) {
        case 0: return .absent
        case 1: return .partial
        case 2: return .whole(Hash256(at: try skip(32, in: bytes).lowerBound, of: bytes))
        default: return nil
        }
    }
}

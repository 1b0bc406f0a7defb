import ByteCoding

/// A subtree of at least two leaves that is compared part by part.
///
/// The tree over the first `size` events of a replica is cut into blocks of 16ⁿ leaves, of which the last may have
/// fewer. Each block is a subtree of RFC 6962, and its parts are the blocks of 16ⁿ⁻¹ leaves within it. Sixteen
/// balances exchanges against bytes: among 100,000 events, five questions of about 500 bytes locate one event.
///
/// On the wire: replica (16), size (varint), level (1: four times *n*), number of the block (varint).
public struct SubtreeID: Hashable, Sendable {
    /// The number of binary levels between a subtree and its parts.
    static let levelStep = 4

    /// The replica whose events these are.
    public let replica: ReplicaID
    /// The number of leaves in the tree.
    public let size: UInt64
    /// The leaves of the subtree: leaf *i* is the event of number *i* + 1.
    public let leaves: Range<UInt64>

    /// A block of the tree.
    ///
    /// - Precondition: The leaves are a block of at least two.
    init(_ replica: ReplicaID, size: UInt64, leaves: Range<UInt64>) {
        precondition(leaves.count > 1 && leaves.upperBound <= size, "A subtree with parts has at least two leaves.")
        self.replica = replica
        self.size = size
        self.leaves = leaves
    }

    /// The lowest level whose blocks hold this number of leaves.
    var level: Int {
        let bits = 64 - (leaves.upperBound - leaves.lowerBound - 1).leadingZeroBitCount
        return (bits + Self.levelStep - 1) / Self.levelStep * Self.levelStep
    }

    /// The leaves of the parts, in order: 2 to 16 runs.
    public var parts: [Range<UInt64>] {
        let step: UInt64 = 1 << UInt64(level - Self.levelStep)
        return stride(from: leaves.lowerBound, to: leaves.upperBound, by: Int(step)).map {
            $0..<Swift.min($0 + step, leaves.upperBound)
        }
    }
}

extension ByteWriter {
    mutating func append(_ subtree: SubtreeID) {
        append(subtree.replica)
        append(varint: subtree.size)
        append(UInt8(subtree.level))
        append(varint: subtree.leaves.lowerBound >> UInt64(subtree.level))
    }
}

extension SubtreeID {
    /// Reads a subtree; `nil` unless the bytes name a subtree with parts in a tree of at most 2⁴⁸ leaves.
    init?(_ reader: inout ByteReader, in bytes: RawSpan) throws(ByteCodingError) {
        let replica = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
        let size = try reader.varint(in: bytes)
        let level = UInt64(try reader.byte(in: bytes))
        let block = try reader.varint(in: bytes)
        guard size > 1, size <= ComparisonLimits.sequence, level <= 48, block <= (size - 1) >> level else { return nil }
        let first = block << level
        let last = Swift.min(first + (1 << level), size)
        guard last - first > 1 else { return nil }
        self.init(replica, size: size, leaves: first..<last)
        // Each subtree has exactly one encoding.
        guard self.level == level else { return nil }
    }
}

import GroundwaveByteCoding
import GroundwaveEvents

/// The blocks of a stored tree: each node of the table `nodes` is the root of one.
package enum TreeBlock {
    /// The number of leaves in a block.
    package static let leafCount: UInt64 = 256
}

// A row of `trees`: the number of leaves hashed (8), then the roots of the subtrees on the right edge (32 each).
extension MerkleEdge {
    /// Parses a row; throws ``EventLogError/damaged(_:)`` if it is malformed.
    package init(row: RawSpan) throws {
        guard row.byteCount >= 8, row.byteCount % 32 == 8,
            let edge = MerkleEdge(
                count: row.uint64(at: 0),
                subtrees: stride(from: 8, to: row.byteCount, by: 32).map { Hash256(at: $0, of: row) })
        else { throw EventLogError.damaged(LogTable.trees.row) }
        self = edge
    }

    package var row: [UInt8] {
        var writer = ByteWriter(capacity: 8 + 32 * subtrees.count)
        writer.append(littleEndian: count)
        for subtree in subtrees { writer.append(subtree) }
        return writer.bytes
    }
}

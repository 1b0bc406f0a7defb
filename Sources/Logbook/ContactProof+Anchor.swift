import GroundwaveEvents
import GroundwaveStore

/// How a proof's tree relates to signed heads that were obtained separately, such as by hand from their owner.
public enum ProofAnchor: Hashable, Sendable {
    /// No head is from this device: anybody could have made the tree.
    case none
    /// A head signs exactly this tree.
    case sameTree
    /// A head signs an earlier tree, with this number of events, and this tree extends it.
    case grownFrom(SequenceNumber)
    /// A head is from this device but covers another number of events, and the proof does not link the two.
    case otherSize(SequenceNumber)

    /// Whether a head confirms the tree.
    public var holds: Bool {
        switch self {
        case .sameTree, .grownFrom: true
        case .none, .otherSize: false
        }
    }
}

extension ContactProof {
    /// Returns how `heads` relate to `tree`, which must be a tree of this proof that has been checked.
    ///
    /// - Parameters:
    ///   - tree: A tree of this proof.
    ///   - heads: Heads with a valid signature, from a source that the caller trusts.
    /// - Throws: ``StoreError`` with code `damaged` if a head contradicts the tree: it is of another log, or has
    ///   another root for the same events.
    public func anchor(of tree: Tree, in heads: [SignedHead]) throws -> ProofAnchor {
        var anchor = ProofAnchor.none
        for head in heads {
            if let own = tree.head, own.log != head.log {
                throw StoreError(
                    .damaged,
                    "The proof is from the log \(own.log.short), but the head is from another one, \(head.log.short).",
                    hint: "Ask for a head of the same log.")
            }
            guard head.replica == tree.replica else { continue }
            // One head that confirms the tree is enough; all are compared, to find any that contradicts it.
            let found = try Self.anchor(of: tree, in: head)
            if !anchor.holds { anchor = found }
        }
        return anchor
    }

    private static func anchor(of tree: Tree, in head: SignedHead) throws -> ProofAnchor {
        if head.sequence == tree.events {
            try compare(tree.root, with: head)
            return .sameTree
        }
        if let since = tree.since, since.events == head.sequence {
            try compare(since.root, with: head)
            return .grownFrom(since.events)
        }
        return .otherSize(head.sequence)
    }

    private static func compare(_ root: Hash256, with head: SignedHead) throws {
        guard root == head.root else {
            throw StoreError(
                .damaged,
                "The proof contradicts the head: over \(head.sequence) events of \(head.replica.short) the head has the "
                    + "root \(head.root), the proof \(root).",
                hint: "The proof is from a different history than the one that was signed.")
        }
    }
}

import GroundwaveEvents

/// That one contact is in a log as it shows: all events that touched it, each with its way up to the root of its
/// device's tree.
///
/// It needs no store to be checked: see ``check()`` and `Docs/Proofs.md`. It holds earlier values of the contact too,
/// since what shows follows from all of them.
///
/// It proves that these events are in the tree with that root. It cannot prove that there is no later one; and whose
/// root it is follows only from a signed head that came another way: see ``anchor(of:in:)``.
public struct ContactProof: Hashable, Sendable {
    /// One event and its way up.
    public struct Item: Hashable, Sendable {
        /// The event. Its place in the tree is its number less one.
        public let event: DetachedEvent
        /// The path of its ``InclusionProof``.
        public let path: [Hash256]
    }

    /// The tree over one device's events.
    public struct Tree: Hashable, Sendable {
        /// Whose events.
        public let replica: ReplicaID
        /// How many.
        public let events: SequenceNumber
        /// The root over them.
        public let root: Hash256
        /// The same, signed by that device; `nil` where its key was not at hand.
        public let head: SignedHead?
        /// An earlier tree that this one begins with.
        public let since: Earlier?
    }

    /// An earlier tree of the same device, and that the later one begins with it.
    public struct Earlier: Hashable, Sendable {
        /// How many events it has.
        public let events: SequenceNumber
        /// The root over them.
        public let root: Hash256
        /// The path of the ``ConsistencyProof``.
        public let path: [Hash256]
    }

    /// The events, in the order in which they came to the store that made the proof.
    public let items: [Item]
    /// The trees they are in, in order of replica.
    public let trees: [Tree]

    /// How large a proof may be: what exceeds is refused before it is worked on.
    public enum Limits {
        /// The most events.
        public static let events = 256
        /// The most bytes of all shapes together.
        public static let shapeBytes = 256 << 10
        /// The most hashes of a path: one for each level of the largest tree.
        public static let pathCount = 64
    }
}

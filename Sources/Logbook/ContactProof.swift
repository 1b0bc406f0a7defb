import GroundwaveEvents

/// A proof that one contact is in a log as it shows: all events that touched it, each with its path to the root of
/// its device's tree.
///
/// It can be checked without a store: see ``check()`` and `Docs/Proofs.md`. It includes earlier values of the
/// contact, since the values that show follow from all of them.
///
/// It proves that these events are in the tree with that root. It cannot prove that no later event exists. Whose root
/// it is follows only from a signed head that was obtained separately: see ``anchor(of:in:)``.
public struct ContactProof: Hashable, Sendable {
    /// One event and its path to the root.
    public struct Item: Hashable, Sendable {
        /// The event. Its leaf index in the tree is its number minus one.
        public let event: DetachedEvent
        /// The path of its inclusion proof.
        public let path: [Hash256]
    }

    /// The tree over one device's events.
    public struct Tree: Hashable, Sendable {
        /// The replica whose events they are.
        public let replica: ReplicaID
        /// The number of events.
        public let events: SequenceNumber
        /// The root over them.
        public let root: Hash256
        /// The same root, signed by that device; `nil` if its key was not available.
        public let head: SignedHead?
        /// An earlier tree that this one extends.
        public let since: Earlier?
    }

    /// An earlier tree of the same device, with the proof that the later one extends it.
    public struct Earlier: Hashable, Sendable {
        /// The number of its events.
        public let events: SequenceNumber
        /// The root over them.
        public let root: Hash256
        /// The path of the consistency proof.
        public let path: [Hash256]
    }

    /// The events, in the order in which they came into the store that made the proof.
    public let items: [Item]
    /// The trees that contain them, in order of replica.
    public let trees: [Tree]

    /// The size limits of a proof. A larger one is refused before any work is done on it.
    public enum Limits {
        /// The maximum number of events.
        public static let events = 256
        /// The maximum size of all shapes together, in bytes.
        public static let shapeBytes = 256 << 10
        /// The maximum number of hashes in a path: one for each level of the largest tree.
        public static let pathCount = 64
    }
}

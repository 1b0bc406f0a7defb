/// The result of a comparison of two stores.
public struct TreeDifferences: Hashable, Sendable {
    /// An event whose content differs between the stores: the replica was forked, or one of the two stores was
    /// altered.
    public struct Event: Hashable, Sendable {
        /// The event.
        public let id: EventID
        /// Its leaf here.
        public let here: Hash256
        /// Its leaf there.
        public let there: Hash256
    }

    /// The version vector that the other store sent.
    public internal(set) var vectorThere = VersionVector()
    /// Events that only this store has.
    public internal(set) var onlyHere = EventSet()
    /// Events that only the other store has.
    public internal(set) var onlyThere = EventSet()
    /// Events that both have and that differ; in order once the comparison is done.
    public internal(set) var differing: [Event] = []
    /// Events of which some differ, but were not located because the limit of exchanges was reached.
    public internal(set) var undecided = EventSet()
    /// The number of questions that were asked and answered.
    public internal(set) var exchanges = 0
    /// The number of bytes of the questions and answers.
    public internal(set) var bytes = 0

    /// Whether both stores have exactly the same events.
    public var isSame: Bool { differing.isEmpty && onlyHere.isEmpty && onlyThere.isEmpty && undecided.isEmpty }
}

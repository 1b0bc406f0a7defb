/// What a comparison of two stores found.
public struct TreeDifferences: Hashable, Sendable {
    /// An event that says one thing here and another there: the replica was forked, or one of the two was altered.
    public struct Event: Hashable, Sendable {
        /// The event.
        public let id: EventID
        /// Its leaf here.
        public let here: Hash256
        /// Its leaf there.
        public let there: Hash256
    }

    /// What the other store says it has.
    public internal(set) var vectorThere = VersionVector()
    /// Events that only this store has.
    public internal(set) var onlyHere = EventSet()
    /// Events that only the other store has.
    public internal(set) var onlyThere = EventSet()
    /// Events that both have and that differ; in order once the comparison is done.
    public internal(set) var differing: [Event] = []
    /// Events among which something differs that was not looked for any more, since many differ.
    public internal(set) var undecided = EventSet()
    /// How many questions were asked and answered.
    public internal(set) var exchanges = 0
    /// How many bytes the questions and answers had.
    public internal(set) var bytes = 0

    /// Whether both have the very same events.
    public var isSame: Bool { differing.isEmpty && onlyHere.isEmpty && onlyThere.isEmpty && undecided.isEmpty }
}

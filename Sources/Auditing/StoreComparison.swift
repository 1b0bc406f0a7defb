import GroundwaveEvents
import GroundwaveRecords

/// What two stores of one log have in common, and what not.
public struct StoreComparison: Sendable {
    /// The events of one replica.
    public struct Replica: Hashable, Sendable {
        /// Whose events.
        public let id: ReplicaID
        /// What its device is called.
        public let device: String
        /// The number of its last event here.
        public let eventsHere: SequenceNumber
        /// The number of its last event there.
        public let eventsThere: SequenceNumber
        /// Events that only this store has.
        public let onlyHere: [EventRange]
        /// Events that only the other store has.
        public let onlyThere: [EventRange]
        /// Events that both have and that say different things: one number was given twice, or one of the two was altered.
        public let differing: [EventRange]
        /// Events among which more differs, that was not looked for one by one: too many do.
        public let undecided: [EventRange]

        /// Whether both stores have the same events of it.
        public var isSame: Bool {
            onlyHere.isEmpty && onlyThere.isEmpty && differing.isEmpty && undecided.isEmpty
        }
    }

    /// An event that is not the same in both stores.
    public struct Event: Hashable, Sendable {
        /// What it is in one store.
        public struct Side: Hashable, Sendable {
            /// Its leaf: the hash of all of it.
            public let leaf: Hash256
            /// The kind of the record that it touches; `nil` where this version does not know its type.
            public let kind: String?
            /// The record that it touches.
            public let record: RecordID?
            /// A word that names the record to a person, if its component has one: the call of a contact.
            public let label: String?
        }

        /// The event.
        public let id: EventID
        /// What it is here; `nil` where it is not here.
        public let here: Side?
        /// What it is there.
        public let there: Side?
    }

    /// How the views compare.
    public enum Views: Hashable, Sendable {
        /// They have the same digest.
        case same(Hash256)
        /// They differ though the events are the same. Says for each store whether its views are what its log says:
        /// where both are, one of the logs withholds values.
        case different(hereIsRight: Bool, thereIsRight: Bool)
        /// The events differ, so that the views must, or a store was written to meanwhile.
        case notCompared
    }

    /// All replicas, in order.
    public let replicas: [Replica]
    /// Events that are not the same, at most as many as asked for: those that differ, those only here, those only there.
    public let events: [Event]
    /// How the views compare.
    public let views: Views
    /// Whether both stores have learnt of the same forks; else they may name the same events differently.
    public let namesAlike: Bool
    /// How many questions one store had to answer.
    public let exchanges: Int
    /// How many bytes the questions and answers had.
    public let bytes: Int

    /// Whether both stores are the same, as far as was compared.
    public var isSame: Bool {
        if case .different = views { return false }
        return replicas.allSatisfy(\.isSame)
    }
}

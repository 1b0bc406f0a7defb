import Events
import Records

/// The differences between two stores of one log.
public struct StoreComparison: Sendable {
    /// The events of one replica.
    public struct Replica: Hashable, Sendable {
        /// The replica.
        public let id: ReplicaID
        /// The name of its device.
        public let device: String
        /// The number of its last event here.
        public let eventsHere: SequenceNumber
        /// The number of its last event there.
        public let eventsThere: SequenceNumber
        /// Events that only this store has.
        public let onlyHere: [EventRange]
        /// Events that only the other store has.
        public let onlyThere: [EventRange]
        /// Events that both have, with different content: one number was used twice, or one of the two was altered.
        public let differing: [EventRange]
        /// Ranges with further differences that were not examined one by one, because there are too many.
        public let undecided: [EventRange]

        /// Whether both stores have the same events of it.
        public var isSame: Bool {
            onlyHere.isEmpty && onlyThere.isEmpty && differing.isEmpty && undecided.isEmpty
        }
    }

    /// An event that is not the same in both stores.
    public struct Event: Hashable, Sendable {
        /// The event in one of the stores.
        public struct Side: Hashable, Sendable {
            /// Its leaf: the hash of the whole event.
            public let leaf: Hash256
            /// The kind of the record that it touches; `nil` if this version does not know its type.
            public let kind: String?
            /// The record that it touches.
            public let record: RecordID?
            /// The call that the record shows, if it is a contact.
            public let call: String?
        }

        /// The event.
        public let id: EventID
        /// The event here; `nil` if it is not here.
        public let here: Side?
        /// The event there; `nil` if it is not there.
        public let there: Side?
    }

    /// The result of comparing the views.
    public enum Views: Hashable, Sendable {
        /// They have the same digest.
        case same(Hash256)
        /// They differ although the events are the same. States for each store whether its views match its log; if
        /// both do, one of the logs withholds values.
        case different(hereIsRight: Bool, thereIsRight: Bool)
        /// They were not compared: the events differ, or a store was written to meanwhile.
        case notCompared
    }

    /// All replicas, in order.
    public let replicas: [Replica]
    /// Events that are not the same, at most as many as requested: first those that differ, then those only here,
    /// then those only there.
    public let events: [Event]
    /// The result of comparing the views.
    public let views: Views
    /// Whether both stores know the same forks; if not, they may name the same events differently.
    public let namesAlike: Bool
    /// The number of questions that one store had to answer.
    public let exchanges: Int
    /// The number of bytes in questions and answers.
    public let bytes: Int

    /// Whether both stores are the same, as far as they were compared.
    public var isSame: Bool {
        if case .different = views { return false }
        return replicas.allSatisfy(\.isSame)
    }
}

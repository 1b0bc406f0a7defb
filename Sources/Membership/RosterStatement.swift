import GroundwaveEvents

/// What one event says of the roster.
///
/// Events are named as this log names them: by branch and number.
package struct RosterStatement: Hashable, Sendable {
    /// What is said.
    package enum Word: Hashable, Sendable {
        /// The log is sealed from now on. `phrase` is the replica whose key the recovery phrase is; `before` is what the
        /// author had seen. `root` stands for the event: a device that joins is told it.
        case seal(phrase: ReplicaID, before: EventSet, root: Hash256)
        /// The device belongs to the log, and `ending`, revocations of it, no longer count.
        case approve(ReplicaID, ending: [EventID])
        /// The device belongs to the log no more. `seen` are the last events of it that the author had seen, one in each
        /// of its histories.
        case revoke(ReplicaID, seen: [EventID])
        /// These events, and those before them in their histories, count for records.
        case admit([EventID])
        /// What is written to sealed remotes from now on is sealed with another key: see ``RosterKind/epoch``.
        case epoch
    }

    /// The event that says it.
    package var event: EventID
    /// What it says.
    package var word: Word

    /// Creates a statement.
    package init(_ event: EventID, _ word: Word) { (self.event, self.word) = (event, word) }
}

import GroundwaveEvents

/// What one event says of the roster.
///
/// Events are named as this log names them: by branch and number.
package struct RosterStatement: Hashable, Sendable {
    /// What is said.
    package enum Word: Hashable, Sendable {
        /// The device belongs to the log, and `ending`, revocations of it, no longer count.
        case approve(ReplicaID, ending: [EventID])
        /// The device belongs to the log no more. `seen` are the last events of it that the author had seen, one in each
        /// of its histories.
        case revoke(ReplicaID, seen: [EventID])
        /// These events, and those before them in their histories, count for records.
        case admit([EventID])
    }

    /// The event that says it.
    package var event: EventID
    /// What it says.
    package var word: Word

    /// Creates a statement.
    package init(_ event: EventID, _ word: Word) { (self.event, self.word) = (event, word) }
}

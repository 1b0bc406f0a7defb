import GroundwaveEvents
import GroundwaveRecords

/// What became of a contact that another program has reported.
package struct ReceivedContact: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: String, Sendable {
        /// It was not here, and is now.
        case new
        /// It was here, and shows something new now.
        case changed
        /// It was here, with all that was reported.
        case known
        /// It is hidden here, and stays hidden.
        case hidden
        /// It was erased here, and stays so.
        case erased
    }

    /// What became of it.
    package let outcome: Outcome
    /// The contact, with the fields that were reported.
    package let contact: LoggedContact
    /// The fields in which the program says something else than what is still shown: a person or another program said that.
    package let contradicted: [String]
}

import GroundwaveEvents
import GroundwaveMembership
import GroundwaveProjections
import GroundwaveRecords

/// A part of the library that a store is opened with: kinds of records, and the work that comes with them.
///
/// An application names the parts that it uses in ``Configuration/components``. Records of a kind whose component is
/// not named are kept and synchronised like those of any unknown kind; the values of samples are kept, and stay here.
public struct StoreComponent: Sendable {
    /// The name of the component, for messages.
    public let name: String
    /// The kinds of its records.
    package var kinds: [KindSchema] = []
    /// Its regular work, in order: see ``Store/runMaintenance()``.
    package var maintenance: [MaintenanceTask] = []
    /// The author of what a replica writes without naming one; `nil` if the component knows of none.
    package var author: (@Sendable (borrowing ViewReader, ReplicaID) throws -> String?)?
    /// Called once for each store that was opened and can be written, before the application gets it. It throws
    /// nothing: what cannot be done now is left for the next opening.
    package var didOpen: (@Sendable (Store) async -> Void)?
    /// Called before a store is cleared: appends what the component keeps outside the log, or throws why the store
    /// cannot be cleared now.
    package var willClear: (@Sendable (Store) async throws -> Void)?
    /// Throws if records of a kind cannot be erased with a note, such as one that names what is erased.
    package var checkErase: (@Sendable (Store, _ kind: String, [RecordID], _ note: String) throws -> Void)?
    /// The ids by which a record of a kind would be known again if it came back, to be erased with it.
    ///
    /// - Parameters:
    ///   - roster: Who belongs to the log; `nil` if everybody does.
    ///   - changes: All changes of the record whose values are here, in order.
    package var relatedIDs:
        (@Sendable (borrowing ViewReader, _ roster: Roster?, _ kind: String, _ changes: [Change]) throws -> [RecordID])?
    /// Whether an event, which made these changes to a record of a kind, is routine: a history leaves it out unless it
    /// is asked for.
    package var isRoutine: (@Sendable (_ kind: String, [AuditEntry.FieldChange]) -> Bool)?
    /// The digest of what its records say, whoever wrote them and in whatever order, and the number of records in it.
    package var contentDigest: (@Sendable (borrowing ViewReader) throws -> (hash: Hash256, count: Int))?
    /// Whether the component wrote a change without being asked, such as rows of a recording: undo passes over it.
    package var isAutomatic: (@Sendable (Change) -> Bool)?
    /// A word that names a record to a person; `nil` if the component knows none.
    package var label: (@Sendable (Record) -> String?)?
    /// Whether the samples of a record of its kinds stay on this device when their events are synchronised.
    package var keepsSamples: (@Sendable (Store, RecordID) throws -> Bool)?
    /// The events of `missing`, whose values are not here, that this device asks others for.
    package var wanted: (@Sendable (Store, _ missing: EventSet) throws -> EventSet)?
    /// What the component does for another module, which declares its protocol.
    package var service: (any Sendable)?

    /// A component that does nothing yet.
    package init(name: String) { self.name = name }
}

/// A piece of regular work of a component.
package struct MaintenanceTask: Sendable {
    /// When a task is asked whether it is due.
    package enum Moment: Sendable {
        /// Each time that maintenance runs.
        case always
        /// Only when a snapshot is about to be written: for tasks that cost as much as one.
        case beforeSnapshot
    }

    /// The task in a log line: "NAME failed".
    package let name: String
    package let moment: Moment
    /// Whether the task may become due before the next snapshot does.
    package let isPending: @Sendable (Store) throws -> Bool
    /// Does the work if it is due; returns whether it was.
    package let run: @Sendable (Store) throws -> Bool

    package init(
        name: String, moment: Moment = .always, isPending: @escaping @Sendable (Store) throws -> Bool = { _ in false },
        run: @escaping @Sendable (Store) throws -> Bool
    ) {
        (self.name, self.moment) = (name, moment)
        (self.isPending, self.run) = (isPending, run)
    }
}

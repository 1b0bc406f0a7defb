import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// What an event that keeps the books says of other events.
public enum Bookkeeping: Hashable, Sendable {
    /// So many were taken back: an undo or a revert.
    case takesBack(UInt64)
    /// So many have no values any more.
    case erases(UInt64)
    /// The values of so many were moved to a file.
    case archives(UInt64)

    /// What `changes`, those of one event on a record of `kind`, say; `nil` where they say nothing of other events.
    public init?(_ kind: String, _ changes: [AuditEntry.FieldChange]) {
        func text(_ field: String) -> String? {
            changes.first { $0.field == field }?.after.map { String(decoding: $0, as: UTF8.self) }
        }
        switch kind {
        case RevertKind.name:
            guard let events = text("EVENTS") else { return nil }
            self = .takesBack(EventSet(text: events).count)
        case ErasureKind.name:
            guard let events = text("EVENTS") else { return nil }
            self = .erases(EventSet(text: events).count)
        case ArchiveKind.name:
            // Its EVENTS are all up to a point, and those of an earlier archive too.
            guard let count = text("COUNT").flatMap({ UInt64($0) }) else { return nil }
            self = .archives(count)
        default: return nil
        }
    }

    /// Whether the value of `field`, of a record of `kind`, is a set of events as text.
    package static func namesEvents(_ field: String, of kind: String) -> Bool {
        field == "EVENTS" && [RevertKind.name, ErasureKind.name, ArchiveKind.name].contains(kind)
    }
}

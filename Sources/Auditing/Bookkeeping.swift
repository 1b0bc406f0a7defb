import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The effect of a bookkeeping event on other events.
package enum Bookkeeping: Hashable, Sendable {
    /// It took this number of events back: an undo or a revert.
    case takesBack(UInt64)
    /// It erased this number of records.
    case erases(Int)
    /// It erased the values of this number of events of a record that stays.
    case erasesEvents(UInt64)
    /// It moved the values of this number of events to a file.
    case archives(UInt64)

    /// Derives the effect from `changes`, those of one event on a record of `kind`; `nil` if the event does not
    /// affect other events.
    package init?(_ kind: String, _ changes: [AuditEntry.FieldChange]) {
        func text(_ field: String) -> String? {
            changes.first { $0.field == field }?.after.map { String(decoding: $0, as: UTF8.self) }
        }
        switch kind {
        case RevertKind.name:
            guard let events = text("EVENTS") else { return nil }
            self = .takesBack(EventSet(text: events).count)
        case ErasureKind.name:
            if let records = text("RECORDS") {
                self = .erases(ErasureKind.records(records).count)
            } else {
                guard let events = text("EVENTS") else { return nil }
                self = .erasesEvents(EventSet(text: events).count)
            }
        case ArchiveKind.name:
            // EVENTS has everything up to a point, including the events of earlier archives; COUNT has only those of
            // this one.
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

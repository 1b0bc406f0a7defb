import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveMeters
import GroundwaveObserving
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// Changes in words: `FREQ: 14.04 → 14.05`.
package enum ChangeText {
    /// What an event changed, a line for each field; of a new record its main fields in one line, unless all are wanted.
    package static func lines(of entry: AuditEntry, isFull: Bool) -> [String] {
        var changes = entry.changes.map { change in
            (entry.kind == ReplicaKind.name ? ClockText.declaration(in: change) : nil) ?? text(change)
        }
        if entry.isNew, !isFull, entry.changes.allSatisfy({ $0.withheld == nil }) {
            let fields = entry.changes.filter { $0.after != nil }
            let first = ["CALL", "QSO_DATE", "TIME_ON", "BAND", "MODE"].compactMap { name in
                fields.first { $0.field == name }
            }
            let shown = (first.isEmpty ? Array(fields.prefix(4)) : first).map {
                "\($0.field) \(ShownValue.text($0.after, limit: 20))"
            }
            let rest = fields.count > shown.count ? ", \(fields.count - shown.count) more" : ""
            changes = ["new: \(shown.joined(separator: ", "))\(rest)"]
        }
        if let bookkeeping = Bookkeeping(entry.kind, entry.changes) { changes = [text(bookkeeping)] }
        if let handover = Handover(entry.kind, entry.changes) { changes = [text(handover)] }
        return changes
    }

    /// The change of one field.
    package static func text(_ change: AuditEntry.FieldChange) -> String {
        switch change.operation {
        case .delete: "removed"
        case .erase: "erased"
        case .revive: "shown"
        case .add: "\(change.field) + \(ShownValue.text(change.after, change.withheld))"
        case .assert, .assertElement: "\(change.field): asserted again"
        case .remove: "\(change.field) - \(ShownValue.text(change.before, change.withheldBefore))"
        case .set, .clear, .candidate:
            "\(change.field): \(ShownValue.text(change.before, change.withheldBefore)) → "
                + ShownValue.text(change.after, change.withheld)
        }
    }

    /// What keeps the books.
    package static func text(_ bookkeeping: Bookkeeping) -> String {
        switch bookkeeping {
        case .takesBack(let count): "reverts \(NumberText.count(count, "event"))"
        case .erases(let count): "erases \(NumberText.count(count, "record"))"
        case .erasesEvents(let count): "erases \(NumberText.count(count, "event"))"
        case .archives(let count): "archives \(NumberText.count(count, "event"))"
        }
    }

    /// Who holds a meter.
    package static func text(_ handover: Handover) -> String {
        switch handover {
        case .taken(let term): "took the meter, lease \(term)"
        case .renewed: "renewed the lease"
        case .letGo: "released the meter"
        }
    }
}

extension AuditEntry {
    /// Whether nothing of what it wrote replaced anything: a new record.
    package var isNew: Bool { changes.areOfNewRecord }
}

extension ChangeSet.RecordChange {
    /// Whether nothing of what it wrote replaced anything: a new record.
    package var isNew: Bool { fields.areOfNewRecord }
}

extension [AuditEntry.FieldChange] {
    fileprivate var areOfNewRecord: Bool {
        count > 1 && allSatisfy { $0.before == nil && $0.withheldBefore == nil && $0.operation.hasValue }
    }
}

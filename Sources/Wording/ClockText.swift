import GroundwaveEvents
import GroundwaveRecords
import GroundwaveStore

/// The words for a stamp that counts as an earlier one, since the clock of its device was wrong.
package enum ClockText {
    /// The stamp that counts, for JSON; `nil` if it is the one that was written.
    package static func counted(_ counted: Stamp, insteadOf stamp: Stamp) -> String? {
        counted == stamp ? nil : UTCText.milliseconds(counted.milliseconds)
    }

    /// A note, after which time the clock showed if that does not count.
    package static func note(_ note: String, _ counted: Stamp, insteadOf stamp: Stamp) -> String {
        if counted == stamp { return note }
        let words = "clock was wrong: \(TimeText.milliseconds(stamp.milliseconds))"
        return note.isEmpty ? words : "\(words); \(note)"
    }

    /// What a change of a replica's record declares or withdraws; `nil` if it does neither.
    package static func declaration(in change: AuditEntry.FieldChange) -> String? {
        guard change.field == "CLOCK",
            let declaration = (change.after ?? change.before).flatMap({ ClockDeclaration(reading: $0) })
        else { return nil }
        let from = TimeText.milliseconds(declaration.from)
        return change.operation == .remove
            ? "clock was right from \(from) on"
            : "clock was wrong: from \(from) on, written by \(TimeText.milliseconds(declaration.ceiling))"
    }
}

import GroundwaveMetering
import GroundwaveProjections

/// What one event did to the lease of a meter.
package enum Handover: Hashable, Sendable {
    /// A device took the meter; the term counts how often it has changed hands.
    case taken(term: UInt64)
    /// The holder renewed the lease.
    case renewed
    /// The holder released the meter.
    case letGo

    /// Derives this from `changes`, those of one event on a record of `kind`; `nil` if they do not concern a lease.
    package init?(_ kind: String, _ changes: [AuditEntry.FieldChange]) {
        guard kind == Metering.meter.name, changes.count == 1, changes[0].field == "LEASE",
            let claim = changes[0].after.flatMap({ MeterClaim($0) })
        else { return nil }
        let before = changes[0].before.flatMap { MeterClaim($0) }
        self =
            if !claim.isHeld {
                .letGo
            } else if let before, before.isHeld, before.term == claim.term {
                .renewed
            } else {
                .taken(term: claim.term)
            }
    }
}

import GroundwaveMetering
import GroundwaveProjections

/// What an event says of who has a meter.
public enum Handover: Hashable, Sendable {
    /// A device took it; how often it has changed hands.
    case taken(term: UInt64)
    /// Who has it still has it.
    case renewed
    /// Who had it let it go.
    case letGo

    /// What `changes`, those of one event on a record of `kind`, say; `nil` where they say nothing of that.
    public init?(_ kind: String, _ changes: [AuditEntry.FieldChange]) {
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

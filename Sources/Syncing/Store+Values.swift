import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveStore

extension Store {
    /// Whether the values of an event stay on this device, because a component says so.
    func staysHere(_ frame: Frame, _ bytes: RawSpan) throws -> Bool {
        for component in components {
            if let staysHere = component.staysHere, try staysHere(self, frame, bytes) { return true }
        }
        return false
    }

    /// The events whose values are missing here and are wanted: all, unless a component leaves some out.
    package func wantedValues() throws -> EventSet {
        var missing = try log.lackingValues()
        for component in components {
            if let wanted = component.wanted, !missing.isEmpty { missing = try wanted(self, missing) }
        }
        return missing
    }
}

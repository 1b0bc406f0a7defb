import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Whether the values of an event stay on this device: a block of samples does if its component says so, or if its
    /// kind is not known here, since whether it is to be shared is then not known either.
    func staysHere(_ frame: Frame, _ bytes: RawSpan) throws -> Bool {
        let shape = bytes.extracting(frame.shape)
        guard !frame.isLost,
            let change = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes)),
            change.block != nil
        else { return false }
        let name = shape.extracting(change.kind)
        func hasName(_ kind: KindSchema) -> Bool { Array(kind.name.utf8).withSpan { name.elementsEqual($0) } }
        if let component = components.first(where: { $0.kinds.contains(where: hasName) }) {
            return try component.keepsSamples?(self, change.record) ?? false
        }
        return !kinds.all.contains(where: hasName)
    }

    /// The events whose values are missing here and are wanted: all, unless a component leaves some out.
    package func wantedValues() throws -> EventSet {
        var missing = try log.missingValues()
        for component in components {
            if let wanted = component.wanted, !missing.isEmpty { missing = try wanted(self, missing) }
        }
        return missing
    }
}

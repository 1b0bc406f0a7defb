import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveStore

/// What is missing here of a log.
///
/// A log is *complete* if nothing that is known to exist is missing here, wanted values included, and nothing that is here
/// is missing elsewhere. This is the first half; ``SyncStatus/RemoteStatus/isComplete`` adds the second. Every answer about
/// completeness asks them: of the program, of a badge, in JSON, as an exit code.
///
/// An event is known to exist by a signed head of its author, by the manifest of a device, by a pending range that follows
/// it, or because it was here and is lost. Nothing of a retired replica counts.
public struct Shortfall: Hashable, Sendable {
    /// The events that are known to exist and that the log does not have.
    public let events: EventSet
    /// Those of ``events`` that have arrived, in ranges that are pending.
    public let pending: EventSet
    /// Those of ``events`` that were lost here with a damaged file.
    public let lost: EventSet
    /// The number of events that are here without their values, although these are wanted.
    public let values: UInt64
    /// The number of events here that may have been erased elsewhere, which is unclear until other events arrive.
    public let unclearErasures: UInt64

    /// Whether nothing is missing here.
    public var isEmpty: Bool { events.isEmpty && values == 0 && unclearErasures == 0 }
}

extension Store {
    /// Returns what is missing here, by what is known on this device.
    ///
    /// - Parameters:
    ///   - manifests: The manifests of the devices.
    ///   - retirements: Those of their replicas that are retired.
    ///   - values: The events here whose values are missing and wanted.
    /// - Complexity: O(devices + replicas + bytes of the pending ranges).
    func shortfall(by manifests: [Manifest], _ retirements: Retirements, values: EventSet) throws -> Shortfall {
        let (vector, streams, lost) = (try log.vector(), try log.streams(), EventSet(try log.lostRanges()))
        func counted(_ events: EventSet) -> EventSet {
            EventSet(retirements.living(events.ranges, streams))
        }
        var missing = lost
        for range in streams.ranges(of: try log.signedVector(), missingFrom: vector) { missing.insert(range) }
        for manifest in manifests where !retirements.isRetired(manifest.store) {
            for range in streams.ranges(of: manifest.vector, missingFrom: vector) { missing.insert(range) }
        }
        let pending = EventSet(try log.pendingRanges().map(\.range))
        // These are other events than those here, even where the numbers are the same: a second history of a replica.
        missing.formUnion(pending)
        missing = counted(missing)
        return Shortfall(
            events: missing, pending: pending.intersection(missing), lost: lost.intersection(missing),
            values: counted(values).count, unclearErasures: try erasing.unclearCount())
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

/// The events of a store that were found elsewhere, by reading them there and not from the remote cache.
struct Elsewhere: Sendable {
    private let log: EventLog
    /// The events of the log that were found.
    private(set) var events = EventSet()
    /// For each retained range of the log, by its key, the numbers of its events that were found.
    private var numbers: [[UInt8]: EventSet] = [:]
    private let kept: [RangeFrame]

    init(log: EventLog) throws {
        (self.log, kept) = (log, try log.retainedFrames())
    }

    /// Adds a range that was read and whose proof is valid.
    mutating func found(_ frame: RangeFrame) throws {
        events.formUnion(try log.events(heldBy: frame))
        for one in kept where one.range.replica == frame.range.replica {
            numbers[one.key, default: EventSet()].formUnion(try one.numbers(heldBy: frame))
        }
    }

    /// Reads everything in storage of the log.
    ///
    /// - Returns: A clause about what was missing or could not be read; `nil` if everything was read.
    /// - Throws: ``TransportError``, ``RemoteError``; then nothing of that storage counts.
    mutating func read(_ folder: any Transport) async throws -> String? {
        var found = self
        let unreadable = try await RemoteInventory.forEachRange(at: folder, of: log.id) { try found.found($0) }
        self = found
        guard let unreadable else { return "there is no log there" }
        return unreadable > 0 ? "some of the data there could not be read" : nil
    }

    /// Returns whether all of a retained range was found.
    func holds(_ frame: RangeFrame) -> Bool { numbers[frame.key]?.contains(frame.range) == true }

    /// Returns the events that the log has now and that were not found.
    func missing(signedBy identity: Identity) throws -> Missing {
        let kept = try log.retainedFrames().filter { !holds($0) }
        let pending = Set(try log.pendingFrames())
        let here = EventSet(try log.vector().ranges(missingFrom: VersionVector())).subtracting(
            EventSet(try log.lostRanges()))
        let missing = here.subtracting(events)
        let proven = EventSet(try log.provenVector(signedBy: identity).ranges(missingFrom: VersionVector()))
        var unprovable = missing.subtracting(proven)
        for frame in kept { unprovable = unprovable.subtracting(try log.events(heldBy: frame)) }
        return Missing(
            events: missing.subtracting(unprovable), kept: kept, unprovable: unprovable,
            pendingCount: kept.filter(pending.contains).reduce(0) { $0 + $1.range.count })
    }

    /// The events that were not found elsewhere.
    struct Missing {
        /// Events of the log that a bundle can hold.
        let events: EventSet
        /// Retained ranges.
        let kept: [RangeFrame]
        /// Events of the log that other stores would reject, because events before them were lost here.
        let unprovable: EventSet
        /// The number of events in the pending ranges among ``kept``.
        let pendingCount: UInt64

        var isEmpty: Bool { events.isEmpty && kept.isEmpty }
        var count: UInt64 { events.count + unprovable.count + pendingCount }
    }
}

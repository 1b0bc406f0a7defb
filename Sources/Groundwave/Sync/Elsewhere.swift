import EventLog
import Events
import Replication

/// Which events of a store were found elsewhere, by reading them there and not by notes about it.
struct Elsewhere: Sendable {
    private let log: EventLog
    /// The events of the log.
    private(set) var events = EventSet()
    /// Of the ranges that the log keeps as they came, by their keys: the numbers of their events.
    private var numbers: [[UInt8]: EventSet] = [:]
    private let kept: [RangeFrame]

    init(log: EventLog) throws {
        (self.log, kept) = (log, try log.keptFrames())
    }

    /// A range was read, and proves itself.
    mutating func found(_ frame: RangeFrame) throws {
        events.formUnion(try log.events(heldBy: frame))
        for one in kept where one.range.replica == frame.range.replica {
            numbers[one.key, default: EventSet()].formUnion(try one.numbers(heldBy: frame))
        }
    }

    /// Reads all that lies in a folder of the log.
    ///
    /// - Returns: A clause on what was not there or could not be read; `nil` where all could.
    /// - Throws: ``TransportError``, ``PlaceError``; then nothing of that folder counts.
    mutating func read(_ folder: FolderTransport) async throws -> String? {
        var found = self
        let unreadable = try await PlaceContents.forEachRange(at: folder, of: log.id) { try found.found($0) }
        self = found
        guard let unreadable else { return "there is no log there" }
        return unreadable > 0 ? "some of the data there could not be read" : nil
    }

    /// Whether a range that the log keeps as it came was found, all of it.
    func holds(_ frame: RangeFrame) -> Bool { numbers[frame.key]?.contains(frame.range) == true }

    /// What the log has and was not found, as the log is now.
    func missing(signedBy identity: Identity) throws -> Missing {
        let kept = try log.keptFrames().filter { !holds($0) }
        let waiting = Set(try log.waitingFrames())
        let here = EventSet(try log.vector().ranges(missingFrom: VersionVector())).subtracting(
            EventSet(try log.holes()))
        let missing = here.subtracting(events)
        let proven = EventSet(try log.provenVector(signedBy: identity).ranges(missingFrom: VersionVector()))
        var unprovable = missing.subtracting(proven)
        for frame in kept { unprovable = unprovable.subtracting(try log.events(heldBy: frame)) }
        return Missing(
            events: missing.subtracting(unprovable), kept: kept, unprovable: unprovable,
            waitingCount: kept.filter(waiting.contains).reduce(0) { $0 + $1.range.count })
    }

    /// What was not found elsewhere.
    struct Missing {
        /// Events of the log that a bundle can hold.
        let events: EventSet
        /// Ranges that are kept as they came.
        let kept: [RangeFrame]
        /// Events of the log that nobody else would believe, since others before them were lost here.
        let unprovable: EventSet
        /// How many events those of ``kept`` have that wait.
        let waitingCount: UInt64

        var isEmpty: Bool { events.isEmpty && kept.isEmpty }
        var count: UInt64 { events.count + unprovable.count + waitingCount }
    }
}

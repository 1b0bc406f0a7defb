import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// The operations that replication needs: reporting what the log has, reading ranges and storing ranges.
public protocol ReplicatedLog {
    /// The id of the log.
    var id: LogID { get }

    /// Returns the branches of the log.
    func streams() throws -> Streams

    /// Returns the events that may leave the log: of each branch, the number of the last provable event.
    func provenVector(signedBy identity: Identity?) throws -> VersionVector

    /// Returns the root of the tree over the events of `replica` through `sequence`; `nil` if the log has fewer.
    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256?

    /// Returns a frame with the first events of `range`, up to a good frame size; `nil` if the first event is missing
    /// or cannot be proved.
    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame?

    /// Returns the retained ranges, for stores that are missing them too.
    func retainedFrames() throws -> [RangeFrame]

    /// Returns the retained ranges whose events are not in the log.
    func pendingFrames() throws -> [RangeFrame]

    /// Returns the events whose values are missing here, and that other stores may still have.
    func missingValues() throws -> EventSet

    /// Returns the events whose values were erased, and are refused from every source.
    func erased() throws -> EventSet

    /// Returns the leaf of an event; `nil` if the log does not have it.
    func leaf(of event: EventID) throws -> Hash256?

    /// Stores ranges that were checked, all in one commit.
    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received
}

extension EventLog: ReplicatedLog {
    /// As ``frame(of:signedBy:preferredBytes:withholding:)``, with all values that are here.
    public func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try frame(of: range, signedBy: identity, preferredBytes: preferredBytes) { _, _ in false }
    }

    /// As ``receive(_:arrival:isFilling:)``; also stores missing values.
    public func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        try receive(frames, arrival: arrival, isFilling: true)
    }
}

extension Received {
    /// Adds the outcome of later ranges.
    package mutating func add(_ other: Received) {
        appendedCount += other.appendedCount
        repeatedCount += other.repeatedCount
        pending += other.pending
        apart += other.apart
        filledCount += other.filledCount
        returnedCount += other.returnedCount
        placedCount += other.placedCount
        refused += other.refused
        replicas.formUnion(other.replicas)
    }
}

import GroundwaveEventLog
import GroundwaveEvents

/// What replication needs of a log: what it has, ranges out of it, ranges into it.
public protocol ReplicatedLog {
    /// The name of the log.
    var id: LogID { get }

    /// Which histories have parted.
    func streams() throws -> Streams

    /// What can leave the log: of each replica the number of the last event that something proves.
    func provenVector(signedBy identity: Identity?) throws -> VersionVector

    /// The root of the tree over the events of `replica` up to `sequence`; `nil` where there are not that many.
    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256?

    /// As many events of `range` as one frame holds well; `nil` where the first is not here, or nothing proves it.
    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame?

    /// The ranges that are kept as they came, for whoever lacks them too.
    func keptFrames() throws -> [RangeFrame]

    /// Those of them whose events are not in the log.
    func waitingFrames() throws -> [RangeFrame]

    /// The events that are here without their values, which others may still have.
    func lackingValues() throws -> EventSet

    /// Takes in ranges that were checked; all of them in one commit.
    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received
}

extension EventLog: ReplicatedLog {
    /// As ``frame(of:signedBy:preferredBytes:withholding:)``, with all values that are here.
    public func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try frame(of: range, signedBy: identity, preferredBytes: preferredBytes) { _, _ in false }
    }

    /// As ``receive(_:arrival:isFilling:)``, with values that were lacking.
    public func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        try receive(frames, arrival: arrival, isFilling: true)
    }
}

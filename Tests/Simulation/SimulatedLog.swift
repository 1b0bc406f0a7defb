import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

/// What the simulation needs of a log: all that replication does, and what a device does with its own.
protocol SimulatedLog: AnyObject, ReplicatedLog {
    /// A new, empty log.
    static func empty(_ id: LogID) throws -> Self

    /// Appends one batch; on the disk when it returns.
    func append(_ batch: DraftBatch, as replica: ReplicaID, arrival: Arrival) throws -> Appended

    /// The last event of every replica.
    func vector() throws -> VersionVector

    /// The position of the last event.
    func lastPosition() throws -> Position

    /// Hands out the events from `position` on in the order in which they arrived.
    func forEach(from position: Position, _ body: (Position, Frame, RawSpan) throws -> Void) throws

    /// Hands out the event at `position`, where there is one.
    func withEvent(at position: Position, _ body: (Frame, RawSpan) throws -> Void) throws

    /// The checksum of the frame that was appended at `position`, whatever came late there.
    func checksum(at position: Position) throws -> UInt32?

    /// The leaves of all events in the log, in the order in which they arrived.
    func leaves() throws -> [Hash256]

    /// What all heads of others were before an event.
    func observedHeads(before event: EventID) throws -> [ObservedHead]

    /// The latest head that is signed of the history that ends with a stream.
    func signedHead(of stream: ReplicaID) throws -> SignedHead?

    /// Keeps a head that was checked.
    func keep(_ head: SignedHead, of stream: ReplicaID) throws

    /// The heads of all histories of an identity's own events, signed.
    func ownHeads(of identity: Identity) throws -> [(stream: ReplicaID, head: SignedHead)]

    /// How often names have come to be read otherwise than before.
    func resolutionsCount() throws -> UInt64

    /// Which of the events that one has named are surely those that are here.
    func meaning(of events: EventSet, namedBy event: EventID) throws -> Meaning

    /// Takes values out for ever.
    func erase(_ events: EventSet) throws

    /// What a copy of the disk holds.
    func copy() throws -> Self

    /// The power went: what is here now is what was on the disk.
    func loseMemory() throws
}

extension Arrival {
    /// An arrival at a time by the wall clock, which is all that the log looks at.
    init(milliseconds: Int64) {
        self.init(wallMilliseconds: milliseconds, monotonicMilliseconds: 0, boot: [UInt8](repeating: 0, count: 16))
    }
}

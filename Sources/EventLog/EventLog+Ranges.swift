import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns a range frame of `range` from its first event on, with as many events as fit well into one frame.
    ///
    /// - Parameters:
    ///   - identity: The key of the replica if it is this store's own: it signs the head that proves the range.
    ///     Events of other replicas are proven by the heads received with them.
    ///   - preferredBytes: The size at which the range ends; a frame has at least one event.
    ///   - isWithheld: Whether to leave out the values of an event.
    /// - Returns: `nil` if the first event is not here, or no head here proves it.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(events); the edges as ``edge(of:through:)``.
    public func frame(
        of range: EventRange, signedBy identity: Identity?, preferredBytes: Int = RangeLimits.preferredBytes,
        withholding isWithheld: (Frame, RawSpan) throws -> Bool = { _, _ in false }
    ) throws -> RangeFrame? {
        try makeFrame(of: range, signedBy: identity, preferredBytes: preferredBytes, withholding: isWithheld)
    }

    /// Returns the events that can be sent from this log: for each branch the number of the last event that a head
    /// proves.
    public func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try proven(signedBy: identity)
    }

    /// Returns all heads of other replicas that the author of `event` had observed before it, in order of replica, with
    /// the names that the author used.
    ///
    /// - Complexity: O(events back to the one that stores all heads), at most 256 and the length of a batch.
    public func observedHeads(before event: EventID) throws -> [ObservedHead] {
        let streams = try streams()
        return try read { transaction in
            let tables = try LogTables(in: transaction)
            var heads: [ReplicaID: ObservedHead] = [:]
            var next = streams.predecessor(of: event)
            while let id = next {
                let areAll = try Self.withFrame(of: id, in: transaction, tables) { frame, bytes in
                    for head in frame.observed(in: bytes)
                    where (heads[head.event.replica]?.event.sequence ?? 0) < head.event.sequence {
                        heads[head.event.replica] = head
                    }
                    return frame.observesAll
                }
                next = areAll ? nil : streams.predecessor(of: id)
            }
            return heads.values.sorted { $0.event.replica < $1.event.replica }
        }
    }
}

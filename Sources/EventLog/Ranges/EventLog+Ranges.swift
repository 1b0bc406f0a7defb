import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

extension EventLog {
    /// The range frame of as many events of `range` as one frame holds well, from the first one on.
    ///
    /// - Parameters:
    ///   - identity: The key of the replica, where it is this store's own: it signs what the range proves. Events of
    ///     others are proven by the head that came with them.
    ///   - preferredBytes: Where to end; a frame has at least one event.
    ///   - isWithheld: Whether the values of an event that has them stay here all the same.
    /// - Returns: `nil` where the first event is not here, or nothing here proves it.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(events); the edges as ``edge(of:through:)``.
    public func frame(
        of range: EventRange, signedBy identity: Identity?, preferredBytes: Int = RangeLimits.preferredBytes,
        withholding isWithheld: (Frame, RawSpan) throws -> Bool = { _, _ in false }
    ) throws -> RangeFrame? {
        try makeFrame(of: range, signedBy: identity, preferredBytes: preferredBytes, withholding: isWithheld)
    }

    /// What can leave this log: of each stream the number of the last event that something here proves.
    public func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try proven(signedBy: identity)
    }

    /// All heads of other replicas that the author of `event` had observed before it, in order of replica; by the names
    /// that they had for it.
    ///
    /// - Complexity: O(events back to the one that said all), 256 and the length of a batch at most.
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

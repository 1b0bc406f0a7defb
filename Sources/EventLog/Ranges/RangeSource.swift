import Events

/// What ranges are made from: a log, on a disk or in memory.
package protocol RangeSource {
    /// The name of the log.
    var id: LogID { get }

    /// Puts relaxed batches on the disk.
    func flush() throws

    /// The last event of every replica.
    func vector() throws -> VersionVector

    /// The latest head that `replica` is known to have signed.
    func signedHead(of replica: ReplicaID) throws -> SignedHead?

    /// The right edge of the tree over the events of `replica` up to `sequence`; `nil` where there are not that many.
    func edge(of replica: ReplicaID, through sequence: SequenceNumber) throws -> MerkleEdge?

    /// The proof that the first `later` events of `replica` begin with its first `earlier` ones.
    func consistencyProof(
        of replica: ReplicaID, from earlier: SequenceNumber, to later: SequenceNumber
    ) throws -> ConsistencyProof?

    /// All heads of other replicas that the author of `event` had observed before it, in order of replica.
    func observedHeads(before event: EventID) throws -> [ObservedHead]

    /// Hands out the events of `range` in order, until `body` says `false`.
    func scan(
        _ range: EventRange, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws
}

extension EventLog: RangeSource {}

extension RangeSource {
    /// See `EventLog.frame(of:signedBy:preferredBytes:)`.
    package func makeFrame(
        of range: EventRange, signedBy identity: Identity?, preferredBytes: Int
    ) throws -> RangeFrame? {
        // What a power cut may still take must not leave: its numbers would be given to other events.
        try flush()
        let isOwn = identity?.replica == range.replica
        let known = isOwn ? nil : try signedHead(of: range.replica)
        let last = Swift.min(range.last, isOwn ? range.last : known?.sequence ?? 0)
        guard range.first <= last, var end = try edge(of: range.replica, through: range.first - 1) else { return nil }
        let edge = end
        var builder = RangeBuilder()
        var hasher = MerkleHasher()
        var rest = 0
        try scan(EventRange(range.replica, range.first, through: last)) { _, frame, bytes in
            guard builder.hasRoom(for: frame.length, preferred: preferredBytes) else { return false }
            builder.append(bytes)
            end.append(leaf: hasher.leaf(of: frame, in: bytes), hasher: &hasher)
            rest = frame.rest
            return true
        }
        guard builder.count > 0 else { return nil }
        var head = known
        if let identity, isOwn {
            // What is signed ends with a batch, also where the range does not: nobody has half a batch.
            let signed = end.count + UInt64(rest)
            let root = try self.edge(of: range.replica, through: signed)?.root(hasher: &hasher)
            head = root.map { identity.sign(log: id, sequence: signed, root: $0) }
        }
        guard let head else { return nil }
        let path = try consistencyProof(of: range.replica, from: end.count, to: head.sequence)?.path ?? []
        let bytes = builder.frame(
            first: range.first, edge: edge, head: head, path: path,
            observed: try observedHeads(before: EventID(range.replica, range.first)))
        do throws(RangeError) { return try RangeFrame(checkedBefore: bytes) } catch {
            throw EventLogError.damaged("an event from \(EventID(range.replica, range.first)) on")
        }
    }

    /// See `EventLog.provenVector(signedBy:)`.
    package func proven(signedBy identity: Identity?) throws -> VersionVector {
        try flush()
        var vector = try vector()
        for entry in vector.entries where entry.replica != identity?.replica {
            vector[entry.replica] = Swift.min(entry.sequence, try signedHead(of: entry.replica)?.sequence ?? 0)
        }
        return vector
    }
}

import GroundwaveEvents
import GroundwaveLogFormat

/// A log that ranges are built from, on a disk or in memory.
package protocol RangeSource {
    /// The id of the log.
    var id: LogID { get }

    /// Returns the last event of every branch.
    func vector() throws -> VersionVector

    /// Returns the last event of every branch before its first lost range: see `EventLog.wholeVector()`.
    func wholeVector() throws -> VersionVector

    /// Returns the branches of the log.
    func streams() throws -> Streams

    /// Returns the latest signed head that is stored for the history that ends with `stream`.
    func signedHead(of stream: ReplicaID) throws -> SignedHead?

    /// Returns the right edge of the tree over the events of `stream` up to `sequence`; `nil` if there are not that
    /// many.
    func edge(of stream: ReplicaID, through sequence: SequenceNumber) throws -> MerkleEdge?

    /// Returns the proof that the first `later` events of `stream` begin with its first `earlier` ones.
    func consistencyProof(
        of stream: ReplicaID, from earlier: SequenceNumber, to later: SequenceNumber
    ) throws -> ConsistencyProof?

    /// Returns all heads of other replicas that the author of `event` had observed before it, in order of replica.
    func observedHeads(before event: EventID) throws -> [ObservedHead]

    /// Passes the events of `range` in order to `body`, until that returns `false`.
    func scan(
        _ range: EventRange, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws
}

extension EventLog: RangeSource {}

extension RangeSource {
    /// Returns ``vector()``: a log in memory loses no events.
    package func wholeVector() throws -> VersionVector { try vector() }

    /// See `EventLog.frame(of:signedBy:preferredBytes:)`.
    package func makeFrame(
        of range: EventRange, signedBy identity: Identity?, preferredBytes: Int,
        withholding isWithheld: (Frame, RawSpan) throws -> Bool = { _, _ in false }
    ) throws -> RangeFrame? {
        let streams = try streams()
        let (path, base) = (streams.path(to: range.replica), streams.base(of: range.replica))
        let isOwn = identity?.replica == path[0]
        let proof = isOwn ? nil : try proof(of: range.replica, streams)
        let proven = proof.map { $0.head.sequence - Swift.min(base, $0.head.sequence) } ?? 0
        let last = Swift.min(range.last, isOwn ? range.last : proven)
        guard range.first <= last, let edge = try edge(along: path, through: base + range.first - 1) else { return nil }
        var builder = RangeBuilder(after: edge)
        var rest = 0
        try scan(EventRange(range.replica, range.first, through: last)) { position, frame, bytes in
            let staysHere = try !frame.isWithheld && isWithheld(frame, bytes)
            let length = staysHere ? frame.length - frame.values.count + 32 : frame.length
            guard builder.hasRoom(for: length, preferred: preferredBytes) else { return false }
            // A damaged event must not be sent under a new checksum.
            let sound = try Frame(verifying: bytes, at: position)
            if staysHere { builder.append(withholding: sound, in: bytes) } else { builder.append(sound, in: bytes) }
            rest = frame.rest
            return true
        }
        guard builder.count > 0 else { return nil }
        var (head, provenPath) = (proof?.head, proof?.path ?? path)
        if let identity, isOwn {
            // The signed head is at the end of a batch, even if the range ends before: no store has half a batch.
            head = try self.head(along: path, through: builder.endEdge.count + UInt64(rest), signedBy: identity)
            provenPath = path
        }
        guard let head else { return nil }
        let hashes = try consistencyProof(along: provenPath, from: builder.endEdge.count, to: head.sequence)?.path ?? []
        return builder.frame(
            head: head, path: hashes, observed: try observedHeads(before: EventID(range.replica, range.first)))
    }

    /// See `EventLog.provenVector(signedBy:)`.
    package func proven(signedBy identity: Identity?) throws -> VersionVector {
        let streams = try streams()
        var vector = try wholeVector()
        for entry in vector.entries where streams.origin(of: entry.replica) != identity?.replica {
            let proven = try proof(of: entry.replica, streams)?.head.sequence ?? 0
            let base = streams.base(of: entry.replica)
            vector[entry.replica] = Swift.min(entry.sequence, proven - Swift.min(base, proven))
        }
        return vector
    }

    /// Returns the signed heads of all histories of `identity`'s own replica, and the branch that each history ends
    /// with.
    package func ownHeads(of identity: Identity) throws -> [(stream: ReplicaID, head: SignedHead)] {
        let (vector, streams) = (try wholeVector(), try streams())
        return try streams.histories(from: identity.replica).compactMap { path in
            let count = path.reduce(0) { $0 + vector[$1] }
            guard count > 0, let head = try head(along: path, through: count, signedBy: identity) else { return nil }
            return (path[path.count - 1], head)
        }
    }

    /// Whether the events of a retained range are in the log; if not, the range is pending.
    package func holdsEvents(of frame: RangeFrame) throws -> Bool {
        let (vector, streams) = (try wholeVector(), try streams())
        return try streams.histories(from: frame.range.replica).contains { path in
            var base: SequenceNumber = 0
            for stream in path {
                let number = frame.range.last - base
                base += vector[stream]
                guard number <= vector[stream] else { continue }
                var (isSame, hasher) = (false, MerkleHasher())
                try scan(EventRange(stream, number, through: number)) { _, event, bytes in
                    isSame = hasher.leaf(of: event, in: bytes) == frame.leaves[frame.leaves.count - 1]
                    return false
                }
                return isSame
            }
            return false
        }
    }

    private func head(
        along path: [ReplicaID], through sequence: SequenceNumber, signedBy identity: Identity
    ) throws -> SignedHead? {
        var hasher = MerkleHasher()
        let root = try edge(along: path, through: sequence)?.root(hasher: &hasher)
        return root.map { identity.sign(log: id, sequence: sequence, root: $0) }
    }

    /// Returns the head that proves the most events of `stream`, and its history: if the history forks after `stream`,
    /// the head may belong to a child branch.
    private func proof(of stream: ReplicaID, _ streams: Streams) throws -> (head: SignedHead, path: [ReplicaID])? {
        var best = try signedHead(of: stream).map { (head: $0, path: streams.path(to: stream)) }
        for child in streams.children(of: stream) {
            guard let proof = try proof(of: child, streams) else { continue }
            if proof.head.sequence > best?.head.sequence ?? 0 { best = proof }
        }
        return best
    }
}

// A history is the list of branches that it consists of, from the replica or a later branch on. Its events are numbered
// as those of the first branch in the list.
extension RangeSource {
    /// Returns the right edge of the tree over a history up to `sequence`; `nil` if there are not that many events.
    ///
    /// - Complexity: As of the first branch, and a hash for each event of the others.
    package func edge(along path: [ReplicaID], through sequence: SequenceNumber) throws -> MerkleEdge? {
        guard path.count > 1 else { return try edge(of: path[0], through: sequence) }
        let first = try Swift.min(sequence, wholeVector()[path[0]])
        guard var edge = try edge(of: path[0], through: first) else { return nil }
        var hasher = MerkleHasher()
        try forEachLeaf(along: path, first..<sequence) { edge.append(leaf: $0, hasher: &hasher) }
        return edge.count == sequence ? edge : nil
    }

    /// Returns the proof that the first `later` events of a history begin with its first `earlier` ones.
    ///
    /// - Complexity: As of one branch; if the history has several, a hash for each event.
    package func consistencyProof(
        along path: [ReplicaID], from earlier: SequenceNumber, to later: SequenceNumber
    ) throws -> ConsistencyProof? {
        guard path.count > 1 else { return try consistencyProof(of: path[0], from: earlier, to: later) }
        guard earlier >= 1, earlier <= later else { return nil }
        return try ConsistencyProof(earlierSize: earlier, laterSize: later) { leaves in
            var (edge, hasher) = (MerkleEdge(), MerkleHasher())
            try forEachLeaf(along: path, leaves) { edge.append(leaf: $0, hasher: &hasher) }
            return edge.root(hasher: &hasher)
        }
    }

    /// Returns the proof that event `sequence` is among the first `size` events of a history, which has that many.
    ///
    /// - Complexity: A hash for each of these events.
    package func inclusionProof(
        along path: [ReplicaID], of sequence: SequenceNumber, size: SequenceNumber
    ) throws -> InclusionProof {
        try InclusionProof(leafIndex: sequence - 1, treeSize: size) { leaves in
            var (edge, hasher) = (MerkleEdge(), MerkleHasher())
            try forEachLeaf(along: path, leaves) { edge.append(leaf: $0, hasher: &hasher) }
            return edge.root(hasher: &hasher)
        }
    }

    /// Passes the leaves of a history to `body`: leaf *i* is event *i* + 1.
    private func forEachLeaf(along path: [ReplicaID], _ leaves: Range<UInt64>, _ body: (Hash256) -> Void) throws {
        let vector = try wholeVector()
        var hasher = MerkleHasher()
        var before: UInt64 = 0
        for stream in path {
            let wanted = leaves.clamped(to: before..<before + vector[stream])
            if !wanted.isEmpty {
                let range = EventRange(stream, wanted.lowerBound - before + 1, through: wanted.upperBound - before)
                try scan(range) { _, frame, bytes in
                    body(hasher.leaf(of: frame, in: bytes))
                    return true
                }
            }
            before += vector[stream]
        }
    }
}

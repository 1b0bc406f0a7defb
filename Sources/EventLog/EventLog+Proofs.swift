import GroundwaveEvents

extension EventLog {
    /// Returns the proof that `event` is among the first `size` events of its replica; among all of them if `size` is
    /// `nil`.
    ///
    /// Events from the first lost one on cannot be proven, and count as not here.
    ///
    /// - Returns: `nil` if this log does not have the event or has fewer than `size` events, or if `size` is before the
    ///   event.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(size / 256 + 512) hashes if the blocks are sealed and stored.
    public func inclusionProof(of event: EventID, size: SequenceNumber? = nil) throws -> InclusionProof? {
        let last = try wholeVector()[event.replica]
        let size = size ?? last
        guard event.sequence >= 1, event.sequence <= size, size <= last else { return nil }
        return try InclusionProof(leafIndex: event.sequence - 1, treeSize: size) { leaves in
            try root(of: event.replica, over: leaves)
        }
    }

    /// Returns the proof that the first `later` events of `replica` begin with its first `earlier` ones.
    ///
    /// It proves something only to a verifier that has the root of the earlier events from another source.
    ///
    /// - Returns: `nil` if this log does not have that many events before the first lost one, or if `earlier` is 0 or
    ///   greater than `later`.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(later / 256 + 512) hashes if the blocks are sealed and stored.
    public func consistencyProof(
        of replica: ReplicaID, from earlier: SequenceNumber, to later: SequenceNumber
    ) throws -> ConsistencyProof? {
        guard earlier >= 1, earlier <= later, later <= (try wholeVector()[replica]) else { return nil }
        return try ConsistencyProof(earlierSize: earlier, laterSize: later) { leaves in
            try root(of: replica, over: leaves)
        }
    }

    /// Returns the leaf of `event`, the hash of its header, shape and values; `nil` if this log does not have it.
    ///
    /// - Throws: ``EventLogError`` if the event is damaged.
    public func leaf(of event: EventID) throws -> Hash256? {
        guard let position = try position(of: event) else { return nil }
        return try withEvent(at: position) { frame, bytes in
            var hasher = MerkleHasher()
            return hasher.leaf(of: frame, in: bytes)
        }
    }

    /// Returns the root of the subtree over `leaves`: see ``edge(of:over:)``.
    func root(of replica: ReplicaID, over leaves: Range<UInt64>) throws -> Hash256 {
        var hasher = MerkleHasher()
        return try edge(of: replica, over: leaves).root(hasher: &hasher)
    }
}

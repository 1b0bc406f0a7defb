import Events

extension EventLog {
    /// Returns the subtree over some leaves of `replica`: leaf *i* is event *i* + 1.
    ///
    /// Uses the stored roots of complete blocks; ``HashedTrees`` computes them from the events instead.
    ///
    /// - Precondition: `leaves` is not empty. It starts at a block of 256, or lies within one.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(leaves / 256 + 256) hashes if the blocks are stored.
    public func subtree(of replica: ReplicaID, over leaves: Range<UInt64>) throws -> Subtree {
        let last = try wholeVector()[replica]
        guard leaves.upperBound <= last else { return leaves.lowerBound < last ? .partial : .absent }
        return .whole(try root(of: replica, over: leaves))
    }
}

import GroundwaveEvents

extension EventLog {
    /// What this log has of the tree over some leaves of `replica`: leaf *i* is the event of number *i* + 1.
    ///
    /// Roots of whole blocks are taken as they are stored: see ``HashedTrees`` for who does not believe them.
    ///
    /// - Precondition: There is a leaf. They start a block of 256, or lie within one.
    /// - Throws: As ``edge(of:through:)``.
    /// - Complexity: O(leaves / 256 + 256) hashes where the blocks are stored.
    public func subtree(of replica: ReplicaID, over leaves: Range<UInt64>) throws -> Subtree {
        let last = try wholeVector()[replica]
        guard leaves.upperBound <= last else { return leaves.lowerBound < last ? .partial : .absent }
        return .whole(try root(of: replica, over: leaves))
    }
}

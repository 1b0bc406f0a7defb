/// Why a comparison failed: the other side sent an invalid message.
public enum ComparisonError: Error, Hashable, Sendable {
    /// The other store has another log, so its events have nothing in common with these.
    case otherLog(LogID)
    /// The bytes are not a question or an answer, or do not answer the question.
    case malformed
    /// The message is longer than ``ComparisonLimits/messageBytes``.
    case tooLong(Int)
    /// The hashes of the parts do not give the hash of the whole that was sent before.
    case contradictory(ReplicaID, leaves: Range<UInt64>)
}

/// The limits of a comparison, since the other side may be hostile.
public enum ComparisonLimits {
    /// The maximum size of a question or an answer, in bytes: room for about 20,000 replicas.
    public static let messageBytes = 1 << 20
    /// The maximum number of subtrees whose parts one question requests.
    ///
    /// An answer to it has at most 32 × 16 × 33 bytes.
    public static let subtrees = 32
    /// The maximum number of exchanges; differences that are not located by then are returned as ranges.
    ///
    /// With ``subtrees`` this limits the bytes to about 1 MiB beside the vectors.
    public static let exchanges = 64
    /// The highest event number that is accepted: 2⁴⁸.
    public static let sequence: SequenceNumber = 1 << 48
}

/// Why a comparison cannot go on: what the other side sent is not what it may send.
public enum ComparisonError: Error, Hashable, Sendable {
    /// The stores are of different logs, so their events have nothing to do with each other.
    case otherLog(LogID)
    /// The bytes are no question or answer, or not to what was asked.
    case malformed
    /// More than ``ComparisonLimits/messageBytes``.
    case tooLong(Int)
    /// The hashes of the parts do not make the hash of the whole that was sent before.
    case contradictory(ReplicaID, leaves: Range<UInt64>)
}

/// How large a comparison may become, since the other side may be hostile.
public enum ComparisonLimits {
    /// The most bytes of a question or an answer that are looked at: some 20,000 replicas.
    public static let messageBytes = 1 << 20
    /// The most subtrees that one question asks for the parts of.
    ///
    /// An answer to it has at most 32 × 16 × 33 bytes.
    public static let subtrees = 32
    /// The most exchanges: then what is not told apart yet is named as ranges.
    ///
    /// With ``subtrees`` this bounds the bytes to about 1 MiB beside the vectors.
    public static let exchanges = 64
    /// The greatest number of an event that is believed: 2⁴⁸.
    public static let sequence: SequenceNumber = 1 << 48
}

import GroundwaveEvents

/// Why a connection failed.
public enum ConnectionError: Error, Hashable, Sendable {
    /// Nobody answers at the address; with the reason from the system.
    case unreachable(String)
    /// The address cannot be listened on; with the reason from the system.
    case cannotListen(String)
    /// The descriptors are not pipes or sockets.
    case notAPipe(String)
    /// The connection ended without a close message: the peer, or the network between, is gone.
    case cut
    /// The peer keeps the connection open, but does not do what is expected.
    case silent(Expectation)
    /// The peer of a sealed log does not know the secret of the log, or its first bytes were changed on the way.
    case stranger
    /// The peer of a sealed log knows the secret, and does not prove who it is.
    case unproven
    /// The peer has proved to be this replica, which does not belong to the sealed log.
    case notMember(ReplicaID)
    /// The peer has closed the connection before it said anything about the sealed log: it takes this side for a stranger, or
    /// does not count it among the members; or the connection was cut.
    case turnedAway
    /// Bytes of an encrypted connection were changed, left out, repeated or moved on the way.
    case tampered

    /// What the peer was expected to do.
    public enum Expectation: Hashable, Sendable {
        /// Send its hello.
        case hello
        /// Answer, or continue what it has begun.
        case answer
        /// Read what was sent to it.
        case reading
    }
}

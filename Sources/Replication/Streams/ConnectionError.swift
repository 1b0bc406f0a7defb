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

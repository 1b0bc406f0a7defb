/// Why there is no connection, or no longer one.
public enum ConnectionError: Error, Hashable, Sendable {
    /// Nobody answers there: the reason, as the system gives it.
    case unreachable(String)
    /// Nobody can be waited for at this address: the reason, as the system gives it.
    case cannotListen(String)
    /// The descriptors are no pipes or sockets.
    case notAPipe(String)
    /// The connection ended without a goodbye: the other side, or what lies between, has gone.
    case cut
    /// The other side keeps the connection and does not do what is its turn.
    case silent(Expectation)

    /// What the other side was waited for.
    public enum Expectation: Hashable, Sendable {
        /// To say hello.
        case hello
        /// To answer, or to go on with what it has begun.
        case answer
        /// To read what it was sent.
        case reading
    }
}

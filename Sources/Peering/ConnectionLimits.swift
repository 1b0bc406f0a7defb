/// The timeouts and memory limits of a connection.
public struct ConnectionLimits: Hashable, Sendable {
    /// The timeout for connecting to an address.
    public var connect = Duration.seconds(10)
    /// The timeout for the peer's first message.
    public var hello = Duration.seconds(10)
    /// The timeout for a peer that must send or read, and does neither. When neither side must act, the connection
    /// lasts indefinitely; TCP keepalive then detects that the other machine is gone.
    public var silence = Duration.seconds(60)
    /// The timeout for the peer to close after a close message.
    public var farewell = Duration.seconds(2)
    /// The number of unsent bytes above which no range is made.
    public var unsentBytes = 1 << 20
    /// The number of unsent bytes above which nothing is read.
    ///
    /// Two correct sides never reach it, and so never wait for each other: beside ``unsentBytes``, each has at most
    /// one range already begun, of at most 4 MiB, and the acknowledgements of the few ranges in transit to it.
    public var unsentByteLimit = 6 << 20

    /// Creates the default limits.
    public init() {}
}

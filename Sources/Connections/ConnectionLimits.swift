/// How long a connection waits, and how much it holds.
public struct ConnectionLimits: Hashable, Sendable {
    /// How long an address may take to answer.
    public var connect = Duration.seconds(10)
    /// How long a peer has for its first message.
    public var hello = Duration.seconds(10)
    /// How long a peer may say nothing, or take nothing, while it is its turn. Where it is nobody's turn a connection
    /// lasts for ever; that the other machine has gone is then found by TCP.
    public var silence = Duration.seconds(60)
    /// How long a peer has to close after a goodbye.
    public var farewell = Duration.seconds(2)
    /// While more bytes than this wait to be sent, no range is made.
    public var unsentBytes = 1 << 20
    /// While more bytes than this wait to be sent, nothing is read.
    ///
    /// Two honest sides never come here, and so never wait for each other: beside ``unsentBytes`` each has at most one
    /// range that it had begun, of at most 4 MiB, and the confirmations of the few that may be on their way to it.
    public var unsentByteLimit = 6 << 20

    /// The usual limits.
    public init() {}
}

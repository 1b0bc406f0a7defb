import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication

/// The status of a connection.
public struct ConnectionStanding: Hashable, Sendable {
    /// The peer's manifest, kept up to date; `nil` before its hello.
    public internal(set) var remote: Manifest?
    /// The traffic of the connection.
    public internal(set) var traffic = Session.Traffic()
    /// The outcome of the received ranges.
    public internal(set) var received = Received()
    /// Whether neither side has anything left to do, or had at the end.
    public internal(set) var isDone = false
    /// Whether new events of this side's own replica were received: the store was restored from a backup.
    public internal(set) var wasPutBack = false
    /// How the connection ended; `nil` while it continues, and if it was cut.
    public internal(set) var ending: Session.Ending?

    /// Creates the initial status.
    public init() {}

    init(of runner: SessionRunner<some ReplicatedLog>) {
        remote = runner.session.remote
        traffic = runner.session.traffic
        received = runner.received
        isDone = runner.session.isDone
        wasPutBack = runner.wasPutBack
        ending = runner.ending
    }
}

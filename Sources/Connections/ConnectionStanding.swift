import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication

/// How a conversation stands.
public struct ConnectionStanding: Hashable, Sendable {
    /// What the other side has, by what it has said; `nil` before its hello.
    public internal(set) var remote: Statement?
    /// What went over the connection.
    public internal(set) var traffic = Session.Traffic()
    /// What became of the ranges that came.
    public internal(set) var received = Received()
    /// Whether nothing was left to do on either side, when it ended or now.
    public internal(set) var isDone = false
    /// Whether events of this side's own came that were not here: the store was put back to an earlier state.
    public internal(set) var wasPutBack = false
    /// How it ended; `nil` while it goes on, and where it was cut.
    public internal(set) var ending: Session.Ending?

    /// Before it has begun.
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

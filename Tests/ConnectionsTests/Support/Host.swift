import GroundwaveConnections
import GroundwaveEventLog
import GroundwavePeering
import GroundwaveReplication
import Synchronization

/// A store that waits for others, and remembers how each conversation ended.
final class Host: Sendable {
    struct Ending: Sendable {
        var standing: ConnectionStanding
        var error: (any Error)?
        var peakBytes: Int

        /// Whether the peer was not believed.
        var isQuarantine: Bool {
            if case .quarantine = standing.ending { true } else { false }
        }
    }

    let store: TestStore
    let listener: Listener
    private let noted: Noted

    private final class Noted: Sendable {
        let endings = Mutex<[Ending]>([])
        let connections = Mutex<[StreamConnection]>([])
    }

    /// How conversations ended so far, in order.
    var endings: [Ending] { noted.endings.withLock { $0 } }
    /// The connections that there were.
    var connections: [StreamConnection] { noted.connections.withLock { $0 } }

    init(_ store: TestStore, peerLimit: Int = 64, limits: ConnectionLimits = ConnectionLimits()) async throws {
        self.store = store
        let noted = Noted()
        listener = try await Listener.listen(
            host: "127.0.0.1", port: 0, peerLimit: peerLimit, limits: limits,
            refuse: { stream in
                try? await stream.write(Greeting.farewell("too many devices are connected: try again later"))
                await stream.close()
            }
        ) { stream in
            let connection = StreamConnection(stream, limits: limits)
            noted.connections.withLock { $0.append(connection) }
            var failure: (any Error)?
            do {
                try await connection.run(endsWhenDone: false) { standing in
                    if standing.remote != nil { stream.confirm() }
                } _: {
                    try store.runner()
                }
            } catch { failure = error }
            let ending = Ending(
                standing: connection.standing, error: failure, peakBytes: connection.peakBufferedBytes)
            noted.endings.withLock { $0.append(ending) }
        }
        self.noted = noted
    }
}

extension Host {
    /// Waits until a conversation has ended so.
    func ending(within limit: Duration = .seconds(60), _ isWanted: (Ending) -> Bool) async throws -> Ending {
        var found: Ending?
        try await eventually(within: limit) {
            found = endings.first(where: isWanted)
            return found != nil
        }
        guard let found else { throw NeverHappened() }
        return found
    }
}

/// Another store meets the one that waits at `port`: once, until both are done.
@discardableResult
func meet(_ store: TestStore, at port: Int, limits: ConnectionLimits = ConnectionLimits()) async throws
    -> ConnectionStanding
{
    try await connect(port, limits).run(endsWhenDone: true) { try store.runner() }
}

/// A connection with the one that waits at `port`.
func connect(_ port: Int, _ limits: ConnectionLimits = ConnectionLimits()) async throws -> StreamConnection {
    StreamConnection(try await ChannelStream.open(host: "127.0.0.1", port: port, limits: limits), limits: limits)
}

struct NeverHappened: Error {}

/// Returns once `condition` holds.
func eventually(within limit: Duration = .seconds(60), _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened() }
        try await Task.sleep(for: .milliseconds(5))
    }
}

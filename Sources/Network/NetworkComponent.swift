import GroundwaveConnections
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore
import GroundwaveSyncing

extension StoreComponent {
    /// Synchronising with devices over TCP: remotes whose address is `groundwave://host:port`, and ``Store/serve(at:peerLimit:)``.
    public static let network: StoreComponent = {
        var component = StoreComponent(name: "network")
        component.service = NetworkDialer()
        return component
    }()
}

private struct NetworkDialer: PeerDialer {
    func sync(_ store: Store, at host: String, _ port: Int, _ summary: inout SyncSummary) async throws {
        try await store.syncDirectly(host, port, &summary)
    }

    func stay(
        connectedTo remote: Remote, at host: String, _ port: Int, _ store: Store,
        _ report: @escaping @Sendable (SyncSummary) -> Void
    ) async throws { try await store.stayConnected(with: remote, at: host, port, report) }

    func open(_ host: String, _ port: Int) async throws -> any ByteStream {
        try await ChannelStream.open(host: host, port: port)
    }

    func greeting(
        of host: String, _ port: Int, over secure: (any ByteStream) async throws -> any ByteStream
    ) async throws -> (greeting: Greeting, duration: Duration) {
        do {
            let answer = try await Probe.ask(host: host, port: port, over: secure)
            return (answer.greeting, answer.duration)
        } catch {
            try Task.checkCancellation()
            throw StoreError(probing: RemoteAddress.host(name: host, port: port), error)
        }
    }
}

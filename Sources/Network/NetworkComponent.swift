import GroundwaveConnections
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

    func greeting(of host: String, _ port: Int) async throws -> (greeting: Greeting, duration: Duration) {
        do {
            let answer = try await Probe.ask(host: host, port: port)
            return (answer.greeting, answer.duration)
        } catch {
            try Task.checkCancellation()
            let address = RemoteAddress.host(name: host, port: port)
            switch error {
            case let error as ConnectionError: throw StoreError(error, at: address)
            case let error as Greeting.Refusal: throw StoreError(endedAt: address, reason: error.reason)
            case let error as ProtocolError:
                throw StoreError(
                    .damaged, "The program at \(address) is not groundwave. \(error.sentence)",
                    hint: "Check the host and port.", cause: error)
            default: throw error
            }
        }
    }
}

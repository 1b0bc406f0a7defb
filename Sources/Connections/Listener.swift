import NIOCore
import NIOPosix

/// Waits for others to connect, and has a conversation with each: many at once, up to a limit.
///
/// Nothing is encrypted, and nobody is asked who they are: only a network whose every member may read and write the log
/// should reach it.
public final class Listener: Sendable {
    /// Where it waits: an address of this machine.
    public let host: String
    /// The port.
    public let port: Int
    private let channel: any Channel
    private let peers: Peers

    private init(_ channel: any Channel, _ peers: Peers) {
        self.channel = channel
        self.peers = peers
        host = channel.localAddress?.ipAddress ?? ""
        port = channel.localAddress?.port ?? 0
    }

    /// How many are connected now.
    public var count: Int { peers.count }

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - host: An address of this machine, or a name for one.
    ///   - port: The port; 0 for any that is free.
    ///   - peerLimit: How many may be connected at once. Whoever comes beside them is told so and left.
    ///   - limits: How long each connection waits, and how much it holds.
    ///   - handle: What to do with each; it has ``Connection/run(endsWhenDone:tell:_:)`` run. Cancelled by ``stop()``.
    /// - Throws: ``ConnectionError`` `cannotListen`.
    public static func listen(
        host: String, port: Int, peerLimit: Int = 64, limits: ConnectionLimits = ConnectionLimits(),
        _ handle: @escaping @Sendable (Connection) async -> Void
    ) async throws(ConnectionError) -> Listener {
        let peers = Peers()
        let bootstrap = ServerBootstrap(group: Connection.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = try Connection(on: channel, limits: limits)
                    peers.welcome(connection, limit: peerLimit, handle)
                }
            }
        let listening = KeepingAlive.options.reduce(bootstrap) { $0.childChannelOption($1.option, value: $1.value) }
        do {
            return Listener(try await listening.bind(host: host, port: port).get(), peers)
        } catch {
            throw .cannotListen(SystemReason.text(error))
        }
    }

    /// Ends every conversation with a goodbye, and returns when all are closed. Nobody can connect any more.
    public func stop() async {
        try? await channel.close()
        await peers.stop()
    }

    deinit { channel.close(promise: nil) }
}

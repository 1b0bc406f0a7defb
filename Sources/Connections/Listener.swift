import GroundwaveReplication
import NIOCore
import NIOPosix

/// Listens for connections and handles each of them: many at once, up to a limit.
///
/// There is no encryption and no authentication: only a network whose every member may read and write the log should
/// reach it.
public final class Listener: Sendable {
    /// The local address on which it listens.
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

    /// The number of connected peers.
    public var count: Int { peers.count }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - host: A local address, or a name for it.
    ///   - port: The port; 0 for any free port.
    ///   - peerLimit: The maximum number of peers at once. For a further one, a peer that has not said hello is dropped;
    ///     if all have, it is refused.
    ///   - limits: The timeouts and memory limits of each connection.
    ///   - handle: Handles a connection by calling ``Connection/run(endsWhenDone:tell:_:)``. Cancelled by ``stop()``.
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

    /// Closes every connection with a close message, and returns when all are closed. Accepts no further ones.
    public func stop() async {
        try? await channel.close()
        await peers.stop()
    }

    deinit { channel.close(promise: nil) }
}

import GroundwavePeering
import GroundwaveReplication
import NIOCore
import NIOPosix

/// Listens for connections and handles each of them: many at once, up to a limit.
///
/// Nothing is encrypted or authenticated here: whoever handles a connection does that.
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
    ///   - peerLimit: The maximum number of peers at once. For a further one, a peer that is not confirmed
    ///     (``ChannelStream/confirm()``) is dropped; if all are, it is refused.
    ///   - limits: The timeouts of each connection.
    ///   - refuse: Says to a peer that too many are connected, if it may be told, and closes the connection.
    ///   - handle: Handles a connection, and closes it. Cancelled by ``stop()``.
    /// - Throws: ``ConnectionError`` `cannotListen`.
    public static func listen(
        host: String, port: Int, peerLimit: Int = 64, limits: ConnectionLimits = ConnectionLimits(),
        refuse: @escaping @Sendable (ChannelStream) async -> Void,
        _ handle: @escaping @Sendable (ChannelStream) async -> Void
    ) async throws(ConnectionError) -> Listener {
        let peers = Peers(limit: peerLimit, refuse: refuse, handle: handle)
        let bootstrap = ServerBootstrap(group: ChannelStream.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    peers.welcome(try ChannelStream(on: channel, limits: limits))
                }
            }
        let listening = KeepingAlive.options.reduce(bootstrap) { $0.childChannelOption($1.option, value: $1.value) }
        do {
            return Listener(try await listening.bind(host: host, port: port).get(), peers)
        } catch {
            throw .cannotListen(SystemReason.text(error))
        }
    }

    /// Cancels what handles the connections, and returns when all are closed. Accepts no further ones.
    public func stop() async {
        try? await channel.close()
        await peers.stop()
    }

    deinit { channel.close(promise: nil) }
}

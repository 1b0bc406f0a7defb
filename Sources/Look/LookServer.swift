import NIOCore
import NIOHTTP1
import NIOPosix

/// The server: it listens at the loopback alone, reads requests within limits, and hands them to the site.
package final class LookServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let connections: ConnectionCount

    /// The most connections at once: a browser opens six to one server, and one more for each page that listens.
    static let connectionLimit = 64
    /// A connection that is silent for so long is closed.
    static let patience = TimeAmount.seconds(60)

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for one that is free.
    ///   - site: Makes the site when the port is known.
    /// - Throws: The error of the system if the port cannot be had.
    package static func start(port: Int, site: @Sendable @escaping (Int) -> LookSite) async throws -> (
        LookServer, LookSite
    ) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let connections = ConnectionCount(limit: connectionLimit)
        let place = SitePlace()
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard connections.enter(channel), let site = place.site else {
                            return channel.close(promise: nil)
                        }
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(IdleStateHandler(readTimeout: patience))
                        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                        try pipeline.addHandler(RequestHandler(site))
                    }
                }
                // Nobody but this computer is listened to.
                .bind(host: "127.0.0.1", port: port).get()
            let bound = channel.localAddress?.port ?? port
            let site = site(bound)
            place.site = site
            return (LookServer(group, channel, connections), site)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private init(
        _ group: MultiThreadedEventLoopGroup, _ channel: any Channel, _ connections: ConnectionCount
    ) {
        (self.group, self.channel, self.connections) = (group, channel, connections)
    }

    /// Stops listening, and closes every connection.
    package func stop() async {
        try? await channel.close().get()
        connections.closeAll()
        try? await group.shutdownGracefully()
    }
}

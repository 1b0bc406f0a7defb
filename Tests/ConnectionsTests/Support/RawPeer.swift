import NIOCore
import NIOPosix

/// Somebody who speaks TCP and says what it likes.
struct RawPeer {
    private let channel: any Channel

    /// - Parameter reads: Whether it takes what it is sent.
    init(port: Int, reads: Bool = true) async throws {
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Sends, and returns when the system has taken it; throws once nobody listens any more.
    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Sends the same again and again, until nobody listens any more.
    func flood(_ bytes: [UInt8]) async {
        while (try? await send(bytes)) != nil {}
    }

    /// Returns once the other side has closed. Only for one that reads.
    func closed() async { try? await channel.closeFuture.get() }

    func close() async { try? await channel.close() }
}

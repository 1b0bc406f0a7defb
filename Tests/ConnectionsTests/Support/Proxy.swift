import NIOCore
import NIOPosix
import Synchronization

/// Stands between two sides and carries so many bytes, both ways together; then it drops the connection.
final class Proxy: Sendable {
    private typealias Side = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let budget: Budget
    private let server: any Channel
    let port: Int

    /// A proxy before the one that waits at `target`.
    init(to target: Int) async throws {
        let budget = Budget()
        self.budget = budget
        server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let side = try Side(wrappingChannelSynchronously: channel)
                    Task { try? await Self.carry(side, to: target, budget) }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = server.localAddress?.port ?? 0
    }

    /// How many bytes are still carried.
    func allow(_ bytes: Int) { budget.left.withLock { $0 = bytes } }

    func close() async { try? await server.close() }

    private final class Budget: Sendable {
        let left = Mutex(0)

        /// As much of `buffer` as may go.
        func take(_ buffer: inout ByteBuffer) -> ByteBuffer? {
            left.withLock { left in
                let count = min(left, buffer.readableBytes)
                left -= count
                return buffer.readSlice(length: count)
            }
        }
    }

    private static func carry(_ side: Side, to target: Int, _ budget: Budget) async throws {
        let other = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: target) { channel in
                channel.eventLoop.makeCompletedFuture { try Side(wrappingChannelSynchronously: channel) }
            }
        try await side.executeThenClose { fromSide, toSide in
            try await other.executeThenClose { fromOther, toOther in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await pass(fromSide, to: toOther, budget) }
                    group.addTask { await pass(fromOther, to: toSide, budget) }
                    // One way is over: so is the other.
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    private static func pass(
        _ input: NIOAsyncChannelInboundStream<ByteBuffer>, to output: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ budget: Budget
    ) async {
        do {
            for try await var buffer in input {
                guard let part = budget.take(&buffer) else { return }
                try await output.write(part)
                if buffer.readableBytes > 0 { return }
            }
        } catch { return }
    }
}

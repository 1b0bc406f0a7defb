import NIOCore
import NIOPosix
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Receives UDP datagrams that programs on this machine send to ports of 127.0.0.1.
///
/// A datagram is made into messages as soon as it has arrived. So what is no message takes no room while a consumer is slow,
/// and messages are lost only beyond ``messageLimit`` of them, and counted.
package final class DatagramReceiver<Message: Sendable>: Sendable {
    /// The messages, in the order in which they arrived; they end after ``stop()``.
    package let messages: AsyncStream<Message>
    /// The ports, in the order in which they were asked for.
    package let ports: [Int]
    private let channels: [any Channel]
    private let inbox: Inbox<Message>

    /// The number of messages that wait at most.
    package static var messageLimit: Int { 1024 }

    /// The number of messages that were lost because too many were waiting.
    package var lostCount: Int { inbox.lostCount.load(ordering: .relaxed) }

    private init(_ messages: AsyncStream<Message>, _ inbox: Inbox<Message>, _ channels: [any Channel]) {
        (self.messages, self.inbox, self.channels) = (messages, inbox, channels)
        ports = channels.map { $0.localAddress?.port ?? 0 }
    }

    /// Starts to receive.
    ///
    /// - Parameters:
    ///   - ports: The ports; 0 for any free one.
    ///   - read: Returns the messages in a datagram, which has at most 65,535 bytes. It must be brief: the next one waits for it.
    /// - Throws: ``DatagramError``; then nothing is received at any of the ports.
    package static func receive(
        at ports: [Int], _ read: @escaping @Sendable ([UInt8]) -> [Message]
    ) async throws(DatagramError) -> DatagramReceiver {
        let (messages, sink) = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingOldest(messageLimit))
        let inbox = Inbox(sink, read)
        let bootstrap = DatagramBootstrap(group: ChannelStream.group)
            // What is longer than the buffer would be cut off.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_535))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler { inbox.take($0) })
                }
            }
        var channels: [any Channel] = []
        for port in ports {
            do {
                channels.append(try await bootstrap.bind(host: "127.0.0.1", port: port).get())
            } catch {
                for channel in channels { try? await channel.close() }
                throw DatagramError(port: port, error)
            }
        }
        return DatagramReceiver(messages, inbox, channels)
    }

    /// Receives nothing more. What has arrived is still among the ``messages``.
    package func stop() async {
        for channel in channels { try? await channel.close() }
        inbox.sink.finish()
    }
}

/// Why datagrams cannot be received.
package struct DatagramError: Error, Hashable, Sendable {
    /// The port.
    package let port: Int
    /// Whether another program receives there.
    package let isInUse: Bool
    /// The reason of the system.
    package let reason: String

    init(port: Int, _ error: any Error) {
        self.port = port
        isInUse = (error as? IOError)?.errnoCode == EADDRINUSE
        reason = SystemReason.text(error)
    }
}

/// Where the datagrams of all ports go.
private final class Inbox<Message: Sendable>: Sendable {
    let sink: AsyncStream<Message>.Continuation
    let lostCount = Atomic(0)
    private let read: @Sendable ([UInt8]) -> [Message]

    init(_ sink: AsyncStream<Message>.Continuation, _ read: @escaping @Sendable ([UInt8]) -> [Message]) {
        (self.sink, self.read) = (sink, read)
    }

    func take(_ datagram: [UInt8]) {
        for message in read(datagram) {
            if case .dropped = sink.yield(message) { lostCount.add(1, ordering: .relaxed) }
        }
    }
}

/// Passes on the bytes of each datagram.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let take: ([UInt8]) -> Void

    init(_ take: @escaping ([UInt8]) -> Void) { self.take = take }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(Array(unwrapInboundIn(data).data.readableBytesView))
    }
}

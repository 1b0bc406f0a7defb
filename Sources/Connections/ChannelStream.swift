import GroundwavePeering
import GroundwaveReplication
import NIOCore
import Synchronization

/// The bytes of a connection over TCP or a pair of descriptors.
///
/// Nothing is read from the system before somebody reads here, so whoever sends faster than that has to wait.
public final class ChannelStream: ByteStream {
    private let channel: any Channel
    private let handler: NIOLoopBound<ReadingHandler>
    private let hasSpoken = Mutex(false)
    /// The address of the peer, as the system formats it; empty for descriptors.
    public let peerAddress: String

    /// Creates a stream of `channel`. Call on its event loop, before the channel is active.
    init(on channel: any Channel, limits: ConnectionLimits) throws {
        self.channel = channel
        let handler = ReadingHandler(on: channel.eventLoop, farewell: TimeAmount(limits.farewell))
        try channel.pipeline.syncOperations.addHandler(handler)
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        peerAddress =
            channel.remoteAddress.flatMap { address in
                address.ipAddress.map {
                    $0.contains(":") ? "[\($0)]:\(address.port ?? 0)" : "\($0):\(address.port ?? 0)"
                }
            } ?? ""
    }

    /// Whether the peer has said which store it is: see ``confirm()``.
    var isConfirmed: Bool { hasSpoken.withLock { $0 } }

    /// Records that the peer has said which store it is. Until then a ``Listener`` may close this for another one.
    public func confirm() { hasSpoken.withLock { $0 = true } }

    /// Returns bytes as soon as there are any; `nil` when the peer has closed the connection, or is gone.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled: then nobody reads this stream any more.
    public func read(upTo limit: Int) async throws -> [UInt8]? {
        let arrived = Awaited<[UInt8]?>()
        channel.eventLoop.execute { [handler] in handler.value.read(upTo: limit) { arrived.provide($0) } }
        guard let bytes = await arrived.value() else { throw CancellationError() }
        return bytes
    }

    /// Writes all of `bytes`, and returns when the system has taken them.
    ///
    /// - Throws: ``ConnectionError`` `cut` if the connection is closed; `CancellationError` as soon as the task is cancelled,
    ///   and then any part of the bytes may be written.
    public func write(_ bytes: [UInt8]) async throws {
        let written = Awaited<Bool>()
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { result in
            if case .success = result { written.provide(true) } else { written.provide(false) }
        }
        guard let isWritten = await written.value() else { throw CancellationError() }
        guard isWritten else { throw ConnectionError.cut }
    }

    /// Closes the connection, and returns when the peer has closed it too, after ``ConnectionLimits/farewell``, or at once if
    /// the task is cancelled. What was written before still arrives.
    public func close() async {
        channel.eventLoop.execute { [handler] in handler.value.close() }
        let closed = Awaited<Void>()
        channel.closeFuture.whenComplete { _ in closed.provide(()) }
        _ = await closed.value()
    }

    /// Closes the connection at once.
    func drop() { channel.close(promise: nil) }

    deinit { channel.close(promise: nil) }
}

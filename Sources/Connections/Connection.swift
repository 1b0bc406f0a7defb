import GroundwaveEventLog
import GroundwaveReplication
import NIOCore
import Synchronization

/// A connection with another store, over TCP or a pair of descriptors.
///
/// The log is read and written on the connection's own queue, never on an event loop thread. The memory used is
/// bounded, whatever the other side sends or does not read.
public final class Connection: PeerConnection, Sendable {
    private struct State {
        var standing = ConnectionStanding()
        var bufferedBytes = 0
        var peakBytes = 0
    }

    private let channel: any Channel
    private let handler: NIOLoopBound<ForwardingHandler>
    /// Succeeds when the session is over, with the error, if any.
    private let over: EventLoopFuture<(any Error)?>
    private let shared: Shared
    /// The address of the peer, as the system formats it; empty for descriptors.
    public let peerAddress: String

    /// The state that the handler reports after each work step, for readers on other threads.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    /// Creates a connection on `channel`. Call on its event loop, before the channel is active.
    init(on channel: any Channel, limits: ConnectionLimits) throws {
        self.channel = channel
        let promise = channel.eventLoop.makePromise(of: (any Error)?.self)
        over = promise.futureResult
        let shared = Shared()
        self.shared = shared
        let handler = ForwardingHandler(on: channel.eventLoop, limits: limits, over: promise) { standing, flow in
            shared.state.withLock {
                $0.standing = standing
                $0.bufferedBytes = flow.bufferedBytes
                $0.peakBytes = flow.peakBytes
            }
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        peerAddress =
            channel.remoteAddress.flatMap { address in
                address.ipAddress.map {
                    $0.contains(":") ? "[\($0)]:\(address.port ?? 0)" : "\($0):\(address.port ?? 0)"
                }
            } ?? ""
    }

    /// The status after the last work step.
    public var standing: ConnectionStanding { shared.state.withLock { $0.standing } }

    /// The bytes held in memory after the last work step: received and not processed, or waiting to be sent.
    public var bufferedBytes: Int { shared.state.withLock { $0.bufferedBytes } }

    /// The maximum of ``bufferedBytes`` so far.
    public var peakBufferedBytes: Int { shared.state.withLock { $0.peakBytes } }

    /// Runs the replication protocol until the connection is closed. Cancelling the task closes it with a close message;
    /// then this returns after the present work step, without waiting for the peer.
    ///
    /// - Parameters:
    ///   - endsWhenDone: Whether to close once neither side has anything left to send; otherwise the connection
    ///     continues until one side closes it.
    ///   - report: Called after each work step, in order, on the connection's queue. It must return quickly.
    ///   - makeRunner: Makes the session of this side; called once, on the connection's queue.
    /// - Returns: The final status: the ending tells whether one side closed the connection or the peer violated the
    ///   protocol. There is no ending if the connection was stopped before the session began.
    /// - Throws: ``ConnectionError``, or the error of reading or writing the log. Ranges received before that are in
    ///   the log, and in ``standing``.
    @discardableResult
    public func run<Log: ReplicatedLog & Sendable>(
        endsWhenDone: Bool, report: @escaping @Sendable (ConnectionStanding) -> Void = { _ in },
        _ makeRunner: @escaping @Sendable () throws -> SessionRunner<Log>
    ) async throws -> ConnectionStanding {
        let executor = SerialSessionExecutor(endsWhenDone: endsWhenDone, report: report, makeRunner: makeRunner)
        channel.eventLoop.execute { [handler] in handler.value.begin(executor) }
        let failure = try await withTaskCancellationHandler {
            try await over.get()
        } onCancel: {
            stop(reason: "")
        }
        if !Task.isCancelled { await closed() }
        if let failure { throw failure }
        return standing
    }

    /// Returns when the connection is closed, by both sides or after the timeout of the close message.
    func closed() async { try? await channel.closeFuture.get() }

    /// Handles a possible change of the log: sends events that are new to the peer.
    public func logChanged() { channel.eventLoop.execute { [handler] in handler.value.logChanged() } }

    /// Closes the connection with a close message, after the present work step and the bytes already received.
    ///
    /// - Parameter reason: A sentence for people; empty if there was no error.
    public func stop(reason: String = "") { channel.eventLoop.execute { [handler] in handler.value.stop(reason) } }

    /// Closes the connection at once, without a close message.
    func drop() { channel.close(promise: nil) }

    /// Refuses the connection with a close message, and returns when it is closed. Call instead of
    /// ``run(endsWhenDone:report:_:)``.
    ///
    /// - Parameter reason: A sentence for people.
    public func refuse(reason: String) async {
        let bytes = Greeting.farewell(reason)
        channel.eventLoop.execute { [handler] in handler.value.refuse(bytes) }
        await closed()
    }

    deinit { channel.close(promise: nil) }
}

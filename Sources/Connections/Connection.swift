import GroundwaveEventLog
import GroundwaveReplication
import NIOCore
import Synchronization

/// One conversation with another store, over TCP or a pair of descriptors.
///
/// The log is read and written on a queue of the connection's own, never on a thread that carries bytes. What is held in
/// memory has a bound, whatever the other side sends or does not read.
public final class Connection: Sendable {
    private struct State {
        var standing = ConnectionStanding()
        var bufferedBytes = 0
        var peakBytes = 0
    }

    private let channel: any Channel
    private let handler: NIOLoopBound<CarryingHandler>
    private let over: EventLoopFuture<(any Error)?>
    private let state: Shared
    /// Who is there, as the system names it; empty for descriptors.
    public let peerAddress: String

    /// What is told while it goes on.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    /// Puts a connection on `channel`; on its event loop, before it is active.
    init(on channel: any Channel, limits: ConnectionLimits) throws {
        self.channel = channel
        let promise = channel.eventLoop.makePromise(of: (any Error)?.self)
        over = promise.futureResult
        let shared = Shared()
        state = shared
        let handler = CarryingHandler(on: channel.eventLoop, limits: limits, over: promise) { standing, flow in
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

    /// How it stands, after the last piece of work.
    public var standing: ConnectionStanding { state.state.withLock { $0.standing } }

    /// Bytes that are held in memory after the last piece of work: what came and what waits to be sent.
    public var bufferedBytes: Int { state.state.withLock { $0.bufferedBytes } }

    /// The most bytes that were ever held.
    public var peakBufferedBytes: Int { state.state.withLock { $0.peakBytes } }

    /// Has the conversation, until it is over and the connection is closed. A task that is cancelled ends it with a
    /// goodbye.
    ///
    /// - Parameters:
    ///   - endsWhenDone: Whether to say goodbye once neither side has anything left to send; else it goes on until one
    ///     of both stops it.
    ///   - tell: Called after each piece of work, in order, on the connection's queue: it must be brief.
    ///   - makeRunner: Makes this side of the conversation; called once, on the connection's queue.
    /// - Returns: How it ended: with a goodbye, or because the other side is not to be believed; with no ending where it was
    ///   stopped before it had begun.
    /// - Throws: ``ConnectionError``, or the error of the log where that could not be read or written. What came until
    ///   then is in the log, and in ``standing``.
    @discardableResult
    public func run<Log: ReplicatedLog & Sendable>(
        endsWhenDone: Bool, tell: @escaping @Sendable (ConnectionStanding) -> Void = { _ in },
        _ makeRunner: @escaping @Sendable () throws -> SessionRunner<Log>
    ) async throws -> ConnectionStanding {
        let desk = RunnerDesk(endsWhenDone: endsWhenDone, tell: tell, makeRunner: makeRunner)
        channel.eventLoop.execute { [handler] in handler.value.begin(desk) }
        let failure = try await withTaskCancellationHandler {
            try await over.get()
        } onCancel: {
            stop(reason: "")
        }
        try? await channel.closeFuture.get()
        if let failure { throw failure }
        return standing
    }

    /// The log may have changed: what is new goes to the other side.
    public func logChanged() { channel.eventLoop.execute { [handler] in handler.value.logChanged() } }

    /// Ends the conversation with a goodbye: after what is being worked on now, and after what has come.
    ///
    /// - Parameter reason: Why, in a sentence for people; empty where all is well.
    public func stop(reason: String = "") { channel.eventLoop.execute { [handler] in handler.value.stop(reason) } }

    /// Says why there is no conversation, and returns when the connection is closed.
    public func refuse(reason: String) async {
        let bytes = Greeting.farewell(reason)
        channel.eventLoop.execute { [handler] in handler.value.refuse(bytes) }
        try? await channel.closeFuture.get()
    }

    deinit { channel.close(promise: nil) }
}

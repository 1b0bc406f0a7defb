import GroundwaveReplication
import NIOCore

/// Transfers bytes between a channel and a ``SessionExecutor``: reads when the executor is idle and there is room,
/// sends what the executor returns, and closes the connection if an expected answer of the peer times out. Bound to its
/// event loop.
final class ForwardingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The size of the pieces handed to the channel: each one written shows that a slow peer is alive.
    private static let pieceBytes = 16 << 10

    private let loop: any EventLoop
    private let limits: ConnectionLimits
    private let report: @Sendable (ConnectionStanding, Flow) -> Void
    private(set) var flow: Flow
    private var context: ChannelHandlerContext?
    private var executor: (any SessionExecutor)?
    /// Succeeds when the session is over, with the error, if any.
    private let over: EventLoopPromise<(any Error)?>
    private var isOver = false
    private var arrived: [UInt8] = []
    /// The reason to stop, if requested.
    private var stopReason: String?
    private var isLogChanged = false
    private var isPostponed = false
    private var isInputClosed = false
    private var timer: Scheduled<Void>?

    /// - Parameter report: Called after each work step.
    init(
        on loop: any EventLoop, limits: ConnectionLimits, over: EventLoopPromise<(any Error)?>,
        report: @escaping @Sendable (ConnectionStanding, Flow) -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.over = over
        self.report = report
        flow = Flow(limits: limits, now: .now)
    }

    private var handler: NIOLoopBound<ForwardingHandler> { NIOLoopBound(self, eventLoop: loop) }

    // Requests from outside, on the event loop.

    /// Starts the session.
    func begin(_ executor: any SessionExecutor) {
        precondition(self.executor == nil, "A connection runs once.")
        self.executor = executor
        guard !isOver else { return }
        perform(.start)
    }

    /// Handles a possible change of the log.
    func logChanged() {
        isLogChanged = true
        resume()
    }

    /// Stops the session after the present work step.
    func stop(_ reason: String) {
        stopReason = stopReason ?? reason
        if executor == nil { finish(nil) } else { resume() }
    }

    /// Refuses the connection with the bytes of a close message, and closes it.
    func refuse(_ reason: [UInt8]) {
        guard !isOver else { return }
        write(reason)
        finish(nil)
    }

    // Events of the channel.

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        isInputClosed = true
        // Before the session starts, no later work step would report the cut.
        if executor == nil { finish(ConnectionError.cut) } else { resume() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the end, incoming bytes are read and discarded, so that a reset does not destroy the close message.
        if isOver { return }
        let buffer = unwrapInboundIn(data)
        arrived += buffer.readableBytesView
        flow.arrived(buffer.readableBytes, now: .now)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isOver { context.read() } else { resume() }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            inputClosed()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputClosed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset is handled like any other end; the channel closes after it.
        inputClosed()
        context.close(promise: nil)
    }

    private func inputClosed() {
        isInputClosed = true
        if isOver { context?.close(promise: nil) } else { resume() }
    }

    // Work steps, one at a time.

    private func resume() {
        guard !isOver, executor != nil, !flow.isWorking else { return }
        if !arrived.isEmpty {
            let bytes = arrived
            arrived = []
            perform(.received(bytes))
        } else if isInputClosed {
            finish(ConnectionError.cut)
        } else if let stopReason {
            perform(.stop(stopReason))
        } else if isLogChanged {
            isLogChanged = false
            perform(.logChanged)
        } else if isPostponed, flow.room >= limits.unsentBytes / 2 {
            perform(.resume)
        } else {
            if flow.mayRead { context?.read() }
            setTimer()
        }
    }

    private func perform(_ work: Work) {
        guard let executor else { return }
        flow.began()
        executor.perform(work, room: flow.room) { [loop, handler] step in loop.execute { handler.value.performed(step) }
        }
    }

    private func performed(_ step: Step) {
        // Write first, while the step still counts as running: the bytes may be sent immediately, and their
        // completion must not start other work before an ending in this step is handled.
        if !isOver { write(step.bytes) }
        flow.worked(
            heldBytes: step.heldBytes, hasHello: step.standing.remote != nil, isDone: step.standing.isDone, now: .now)
        isPostponed = step.isPostponed
        report(step.standing, flow)
        if step.failure != nil || step.standing.ending != nil { finish(step.failure) } else { resume() }
    }

    private func write(_ bytes: [UInt8]) {
        guard let context, !bytes.isEmpty else { return }
        flow.queued(bytes.count, now: .now)
        var buffer = context.channel.allocator.buffer(bytes: bytes)
        while let piece = buffer.readSlice(length: min(Self.pieceBytes, buffer.readableBytes)), piece.readableBytes > 0
        {
            let count = piece.readableBytes
            context.write(wrapOutboundOut(piece)).whenComplete { [handler] _ in handler.value.sent(count) }
        }
        context.flush()
    }

    private func sent(_ count: Int) {
        flow.sent(count, now: .now)
        if isOver {
            if flow.unsentBytes == 0 { halfClose() }
        } else {
            resume()
        }
    }

    // The end.

    private func finish(_ failure: (any Error)?) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        arrived = []
        over.succeed(failure)
        guard let context, !isInputClosed else {
            context?.close(promise: nil)
            return
        }
        timer = loop.scheduleTask(in: TimeAmount(limits.farewell)) { [handler] in
            handler.value.context?.close(promise: nil)
        }
        if flow.unsentBytes == 0 { halfClose() }
        context.read()
    }

    /// Closes the output after the last bytes, and waits for the peer to close too. Closing fully while the peer
    /// still sends could destroy the close message.
    private func halfClose() { context?.close(mode: .output, promise: nil) }

    private func setTimer() {
        guard timer == nil, let wait = flow.wait else { return }
        timer = loop.scheduleTask(in: TimeAmount(SuspendingClock.now.duration(to: wait.until))) { [handler] in
            handler.value.checkDeadline()
        }
    }

    private func checkDeadline() {
        timer = nil
        guard !isOver else { return }
        if let wait = flow.wait, wait.until <= .now {
            finish(ConnectionError.silent(wait.expectation))
        } else {
            setTimer()
        }
    }
}

import NIOCore

/// Carries bytes between a channel and a ``Desk``: reads when the desk has done its work and there is room, sends what
/// the desk says, and leaves a peer that does not do what is its turn. Lives on its event loop.
final class CarryingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What is handed to the channel at once: a slow peer shows that it lives by taking one.
    private static let pieceBytes = 16 << 10

    private let loop: any EventLoop
    private let limits: ConnectionLimits
    private let report: @Sendable (ConnectionStanding, Flow) -> Void
    private(set) var flow: Flow
    private var context: ChannelHandlerContext?
    private var desk: (any Desk)?
    /// Completes when the conversation is over: how it failed, where it did.
    private let over: EventLoopPromise<(any Error)?>
    private var isOver = false
    private var arrived: [UInt8] = []
    /// Why to stop, where that was asked for.
    private var stopReason: String?
    private var isLogChanged = false
    private var isPostponed = false
    private var isInputClosed = false
    private var timer: Scheduled<Void>?

    /// - Parameter report: Called after each piece of work.
    init(
        on loop: any EventLoop, limits: ConnectionLimits, over: EventLoopPromise<(any Error)?>,
        report: @escaping @Sendable (ConnectionStanding, Flow) -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.over = over
        self.report = report
        flow = Flow(limits: limits, now: .now())
    }

    private var handler: NIOLoopBound<CarryingHandler> { NIOLoopBound(self, eventLoop: loop) }

    // What is asked for from outside, on the event loop.

    /// Begins the conversation.
    func begin(_ desk: any Desk) {
        precondition(self.desk == nil, "A connection runs once.")
        self.desk = desk
        guard !isOver else { return }
        perform(.start)
    }

    /// The log may have changed.
    func logChanged() {
        isLogChanged = true
        goOn()
    }

    /// Ends the conversation once what is being worked on is done.
    func stop(_ reason: String) {
        stopReason = stopReason ?? reason
        if desk == nil { finish(nil) } else { goOn() }
    }

    /// Says why there is no conversation, and closes.
    func refuse(_ reason: [UInt8]) {
        guard !isOver else { return }
        write(reason)
        finish(nil)
    }

    // What the channel tells.

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        isInputClosed = true
        // Where nobody has begun, nobody will find out later.
        if desk == nil { finish(ConnectionError.cut) } else { goOn() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the end nothing that comes is wanted: it is taken so that the goodbye is not lost by a reset.
        if isOver { return }
        let buffer = unwrapInboundIn(data)
        arrived += buffer.readableBytesView
        flow.arrived(buffer.readableBytes, now: .now())
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isOver { context.read() } else { goOn() }
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
        // A reset is an end like any other; the channel closes behind it.
        inputClosed()
        context.close(promise: nil)
    }

    private func inputClosed() {
        isInputClosed = true
        if isOver { context?.close(promise: nil) } else { goOn() }
    }

    // The work, one piece after the other.

    private func goOn() {
        guard !isOver, desk != nil, !flow.isWorking else { return }
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
            perform(.goOn)
        } else {
            if flow.mayRead { context?.read() }
            setTimer()
        }
    }

    private func perform(_ work: Work) {
        guard let desk else { return }
        flow.began()
        desk.perform(work, room: flow.room) { [loop, handler] step in loop.execute { handler.value.performed(step) } }
    }

    private func performed(_ step: Step) {
        // First of all, while it still counts as working: what is written may be gone at once, and what follows from that
        // must not come before the end that the step may have brought.
        if !isOver { write(step.bytes) }
        flow.worked(
            heldBytes: step.heldBytes, hasHello: step.standing.remote != nil, isDone: step.standing.isDone, now: .now())
        isPostponed = step.isPostponed
        report(step.standing, flow)
        if step.failure != nil || step.standing.ending != nil { finish(step.failure) } else { goOn() }
    }

    private func write(_ bytes: [UInt8]) {
        guard let context, !bytes.isEmpty else { return }
        flow.queued(bytes.count, now: .now())
        var buffer = context.channel.allocator.buffer(bytes: bytes)
        while let piece = buffer.readSlice(length: min(Self.pieceBytes, buffer.readableBytes)), piece.readableBytes > 0
        {
            let count = piece.readableBytes
            context.write(wrapOutboundOut(piece)).whenComplete { [handler] _ in handler.value.sent(count) }
        }
        context.flush()
    }

    private func sent(_ count: Int) {
        flow.sent(count, now: .now())
        if isOver {
            if flow.unsentBytes == 0 { halfClose() }
        } else {
            goOn()
        }
    }

    // Its end.

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

    /// The last bytes are out: waits for the other side to close too, since closing over what it still sends would take
    /// the goodbye from it.
    private func halfClose() { context?.close(mode: .output, promise: nil) }

    private func setTimer() {
        guard timer == nil, let wait = flow.wait else { return }
        timer = loop.scheduleTask(deadline: wait.until) { [handler] in handler.value.lookAtClock() }
    }

    private func lookAtClock() {
        timer = nil
        guard !isOver else { return }
        if let wait = flow.wait, wait.until <= .now() {
            finish(ConnectionError.silent(wait.expectation))
        } else {
            setTimer()
        }
    }
}

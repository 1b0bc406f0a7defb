import NIOCore

/// Reads from a channel what is asked for, and closes it so that what was written arrives. Bound to its event loop.
final class ReadingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let loop: any EventLoop
    private let farewell: TimeAmount
    private var context: ChannelHandlerContext?
    private var arrived = ByteBuffer()
    /// Who waits for bytes, and for how many at most.
    private var reader: (limit: Int, answer: @Sendable ([UInt8]?) -> Void)?
    private var isInputClosed = false
    private var isClosing = false

    init(on loop: any EventLoop, farewell: TimeAmount) {
        self.loop = loop
        self.farewell = farewell
    }

    /// Calls `answer` with the next bytes, or with `nil` if there are none any more. One at a time.
    func read(upTo limit: Int, _ answer: @escaping @Sendable ([UInt8]?) -> Void) {
        reader = (limit, answer)
        serve()
    }

    /// Closes the output, and waits for the peer to close too: closing fully while it still sends could destroy the last bytes
    /// on their way.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        serve()
        guard let context, !isInputClosed else {
            context?.close(promise: nil)
            return
        }
        let handler = NIOLoopBound(self, eventLoop: loop)
        let timer = loop.scheduleTask(in: farewell) { handler.value.context?.close(promise: nil) }
        context.channel.closeFuture.whenComplete { _ in timer.cancel() }
        context.close(mode: .output, promise: nil)
        context.read()
    }

    /// Gives the reader what there is, or reads more.
    private func serve() {
        guard let (limit, answer) = reader else { return }
        if isClosing {
            reader = nil
            answer(nil)
        } else if arrived.readableBytes > 0 {
            reader = nil
            let bytes = arrived.readBytes(length: min(limit, arrived.readableBytes))
            if arrived.readableBytes == 0 { arrived.clear() }
            answer(bytes)
        } else if isInputClosed {
            reader = nil
            answer(nil)
        } else {
            context?.read()
        }
    }

    // Events of the channel.

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        inputClosed()
    }

    func channelActive(context: ChannelHandlerContext) {
        serve()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the end, incoming bytes are discarded.
        if isClosing { return }
        var buffer = unwrapInboundIn(data)
        arrived.writeBuffer(&buffer)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isClosing { context.read() } else { serve() }
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
        // A reset is handled like any other end.
        inputClosed()
        context.close(promise: nil)
    }

    private func inputClosed() {
        isInputClosed = true
        if isClosing { context?.close(promise: nil) } else { serve() }
    }
}

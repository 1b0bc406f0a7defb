import NIOCore
import NIOHTTP1

/// The requests of one connection, one after the other.
///
/// Bounded by `NIOHTTP1`: a line and a header field of a request, by its parser; here: the target, the fields together, the
/// body. It belongs to its event loop; the site works elsewhere.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let site: LookSite
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLong = false
    private var live: Task<Void, Never>?

    init(_ site: LookSite) { self.site = site }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body, isTooLong) = (head, [], false)
        case .body(let bytes):
            isTooLong = isTooLong || body.count + bytes.readableBytes > PageRequest.formLimit
            if !isTooLong { body += bytes.readableBytesView }
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let (site, channel, loop) = (site, context.channel, context.eventLoop)
        let request: Result<PageRequest, Refusal> =
            isTooLong
            ? .failure(Refusal(413, "The form is too long."))
            : Result { () throws(Refusal) in
                try PageRequest(
                    method: head.method.rawValue, target: head.uri,
                    headers: head.headers.map { ($0.name, $0.value) }, body: body)
            }
        body = []
        let keepsAlive = head.isKeepAlive
        let isHead = head.method == .HEAD
        let handler = NIOLoopBound(self, eventLoop: loop)
        Task {
            let response =
                switch request {
                case .success(let request): await site.answer(request)
                case .failure(let refusal): LookSite.answer(to: refusal)
                }
            loop.execute {
                handler.value.write(response, to: channel, keepsAlive: keepsAlive && !response.isLive, isHead)
            }
        }
    }

    private func write(_ response: PageResponse, to channel: any Channel, keepsAlive: Bool, _ isHead: Bool) {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        if !response.isLive { headers.add(name: "Content-Length", value: "\(response.body.count)") }
        headers.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if response.isLive { return listen(on: channel) }
        if !isHead {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: response.body))), promise: nil)
        }
        let done = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if !keepsAlive { done.whenComplete { _ in channel.close(promise: nil) } }
    }

    /// Sends what changes until the browser goes, and a comment now and then, so that both notice if the other one is gone.
    private func listen(on channel: any Channel) {
        channel.flush()
        let feed = site.feed
        let beat = channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(15), delay: .seconds(15)) { _ in
            channel.writeAndFlush(Self.part(": still here\n\n"), promise: nil)
        }
        let task = Self.follow(feed, on: channel)
        live = task
        channel.closeFuture.whenComplete { _ in
            beat.cancel()
            task.cancel()
        }
    }

    private static func follow(_ feed: LiveFeed, on channel: any Channel) -> Task<Void, Never> {
        let send: @Sendable (LiveFeed.News) async -> Void = { news in
            _ = try? await channel.writeAndFlush(Self.part(news.line)).get()
        }
        return Task {
            await feed.run(send)
            channel.close(promise: nil)
        }
    }

    private static func part(_ text: String) -> HTTPServerResponsePart { .body(.byteBuffer(ByteBuffer(string: text))) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Who listens says nothing, and is not silent.
        if event is IdleStateHandler.IdleStateEvent, live == nil { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

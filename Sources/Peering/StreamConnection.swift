import GroundwaveReplication
import Synchronization

/// A connection with another store over a ``ByteStream``.
///
/// Two tasks of its own read and write, and the task that runs it does everything else, one event at a time. The memory
/// used is bounded, whatever the other side sends or does not read. The stream is closed at the end.
package final class StreamConnection: Sendable {
    /// The maximum number of bytes of one read.
    private static let readLimit = 64 << 10
    /// The size of the pieces that are written: each one written shows that a slow peer is alive.
    private static let pieceBytes = 16 << 10

    private let stream: any ByteStream
    private let limits: ConnectionLimits
    private let state = Mutex((standing: ConnectionStanding(), peakBytes: 0))
    private let events: AsyncStream<StreamEvent>
    private let sink: AsyncStream<StreamEvent>.Continuation

    /// Creates a connection over a stream that nobody else uses.
    package init(_ stream: any ByteStream, limits: ConnectionLimits = ConnectionLimits()) {
        self.stream = stream
        self.limits = limits
        (events, sink) = AsyncStream.makeStream(of: StreamEvent.self)
    }

    /// The status after the last work step.
    package var standing: ConnectionStanding { state.withLock { $0.standing } }

    /// The maximum number of bytes that were held in memory so far: received and not processed, or waiting to be sent.
    package var peakBufferedBytes: Int { state.withLock { $0.peakBytes } }

    /// Handles a possible change of the log: sends events that are new to the peer.
    package func logChanged() { sink.yield(.logChanged) }

    /// Closes the connection with a close message, after the present work step.
    ///
    /// - Parameter reason: A sentence for people; empty if there was no error.
    package func stop(reason: String = "") { sink.yield(.stop(reason)) }

    /// Runs the replication protocol until the connection is closed. Cancelling the task ends it after the present work
    /// step. To be called once.
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
    package func run<Log: ReplicatedLog & Sendable>(
        endsWhenDone: Bool, report: @escaping @Sendable (ConnectionStanding) -> Void = { _ in },
        _ makeRunner: @escaping @Sendable () throws -> SessionRunner<Log>
    ) async throws -> ConnectionStanding {
        let session = SessionQueue(endsWhenDone: endsWhenDone, report: report, makeRunner: makeRunner)
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let (pieces, piece) = AsyncStream.makeStream(of: [UInt8].self)
        let reading = Task { await read(for: permits) }
        let writing = Task { await write(pieces) }
        let result: Result<Void, any Error>
        do { result = .success(try await work(session, permit, piece)) } catch { result = .failure(error) }
        piece.finish()
        let ending = Task { [stream, limits] in
            await Self.wait(for: writing, atMost: limits.farewell)
            reading.cancel()
            writing.cancel()
            await stream.close()
        }
        // A cancelled task does not wait for the close message to be written.
        await Self.wait(for: ending, atMost: .seconds(3600))
        sink.finish()
        try result.get()
        return standing
    }

    /// Handles events until the session is over. A cancelled task has no further events, and stops the session.
    private func work(
        _ session: SessionQueue<some ReplicatedLog & Sendable>, _ permit: AsyncStream<Void>.Continuation,
        _ piece: AsyncStream<[UInt8]>.Continuation
    ) async throws {
        var flow = StreamFlow(limits: limits)
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        var iterator = events.makeAsyncIterator()
        var next: Work? = .start
        while true {
            while let work = next {
                flow.began()
                let step = await session.perform(work, room: flow.room)
                for part in step.bytes.pieces(of: Self.pieceBytes) { piece.yield(part) }
                flow.ended(step)
                state.withLock { $0 = (step.standing, flow.peakBytes) }
                if let failure = step.failure { throw failure }
                if step.standing.ending != nil { return }
                next = try flow.nextWork()
            }
            if flow.takesRead() { permit.yield() }
            if timer == nil, let wait = flow.wait {
                timer = Task { [sink] in
                    try? await Task.sleep(until: wait.until, clock: .suspending)
                    if !Task.isCancelled { sink.yield(.time) }
                }
            }
            let event = await iterator.next() ?? .stop("")
            if case .time = event { timer = nil }
            try flow.handle(event)
            next = try flow.nextWork()
        }
    }

    /// Reads once for each permit.
    private func read(for permits: AsyncStream<Void>) async {
        for await _ in permits {
            do {
                guard let bytes = try await stream.read(upTo: Self.readLimit), !bytes.isEmpty else {
                    sink.yield(.ended(.cut))
                    return
                }
                sink.yield(.arrived(bytes))
            } catch {
                // Any other error is an end like any other: what counts is whether a close message came before.
                sink.yield(.ended(error as? ConnectionError ?? .cut))
                return
            }
        }
    }

    private func write(_ pieces: AsyncStream<[UInt8]>) async {
        for await piece in pieces {
            do { try await stream.write(piece) } catch { return }
            sink.yield(.sent(piece.count))
        }
    }

    /// Returns when `task` has ended, after `duration`, or at once if this task is cancelled.
    private static func wait(for task: Task<Void, Never>, atMost duration: Duration) async {
        let awaited = Awaited<Void>()
        let timer = Task {
            try? await Task.sleep(for: duration)
            awaited.provide(())
        }
        Task {
            await task.value
            awaited.provide(())
        }
        _ = await awaited.value()
        timer.cancel()
    }
}

extension [UInt8] {
    fileprivate func pieces(of count: Int) -> some Sequence<[UInt8]> {
        stride(from: 0, to: self.count, by: count).lazy.map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

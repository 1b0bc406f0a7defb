import Synchronization

/// A stream from which a greeting has been read already, and can be read again.
package actor GreetedStream: ByteStream {
    private let stream: any ByteStream
    /// What was read and is to be read again.
    private var bytes: [UInt8] = []

    /// Creates it over a stream from which nothing was read.
    package init(_ stream: any ByteStream) { self.stream = stream }

    /// Returns the first message of the store at the other end.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; ``ConnectionError`` if there is no greeting within `limit`;
    ///   `Greeting.Refusal`; ``ProtocolError`` if something else arrives. Then the stream is closed.
    package func greeting(within limit: Duration = ConnectionLimits().hello) async throws -> Greeting {
        do {
            return try await stream.within(limit) {
                var reader = Greeting.Reader()
                while let part = try await stream.read(upTo: 64 << 10) {
                    bytes += part
                    if let greeting = try reader.read(part) { return greeting }
                }
                throw ConnectionError.cut
            }
        } catch {
            await stream.close()
            throw error
        }
    }

    /// Returns the greeting first, then what the stream has.
    package func read(upTo limit: Int) async throws -> [UInt8]? {
        if bytes.isEmpty { return try await stream.read(upTo: limit) }
        defer { bytes.removeFirst(min(limit, bytes.count)) }
        return Array(bytes.prefix(limit))
    }

    package func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }

    package func close() async { await stream.close() }
}

extension ByteStream {
    /// Returns what `body` returns, which uses this stream. After `limit` the stream is closed, which ends `body` soon.
    ///
    /// - Throws: What `body` throws; ``ConnectionError/silent(_:)`` `hello` if that was because of `limit`;
    ///   `CancellationError` if the task is cancelled.
    package func within<Outcome>(
        _ limit: Duration, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        let isLate = Mutex(false)
        let timer = Task {
            try await Task.sleep(for: limit)
            isLate.withLock { $0 = true }
            await close()
        }
        defer { timer.cancel() }
        do { return try await body() } catch {
            try Task.checkCancellation()
            throw isLate.withLock { $0 } ? ConnectionError.silent(.hello) : error
        }
    }
}

import GroundwaveTesting
import Synchronization

/// A place in memory that answers some requests, and then none until the task is cancelled.
final class BlockingTransport: Transport {
    private let place: MemoryTransport
    private let answers: Mutex<Int>
    private let block: AsyncStream<Void>.Continuation
    /// Yields when a request is not answered.
    let blocked: AsyncStream<Void>

    /// - Parameter answers: The number of requests that are answered.
    init(_ place: MemoryTransport, answers: Int) {
        self.place = place
        self.answers = Mutex(answers)
        (blocked, block) = AsyncStream.makeStream()
    }

    /// The number of requests so far.
    var requestCount: Int { requests.withLock { $0 } }
    private let requests = Mutex(0)

    private func request() async throws(TransportError) {
        requests.withLock { $0 += 1 }
        let isAnswered = answers.withLock { answers in
            defer { answers -= 1 }
            return answers > 0
        }
        if isAnswered { return }
        block.yield()
        try? await Task.sleep(for: .seconds(3600))
        throw .unreachable("The request was given up.")
    }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try await request()
        return try place.putIfAbsent(name, bytes)
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        try await request()
        try place.replace(name, bytes)
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try await request()
        return try place.get(name, range: range, limit: limit)
    }

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        try await request()
        return try place.list(prefix: prefix, startAfter: startAfter, limit: limit)
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try await request()
        return try place.folders(prefix: prefix, limit: limit)
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        try await request()
        try place.delete(name)
    }
}

import Synchronization

/// Who waits to be told of changes within this process.
final class Watchers: Sendable {
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    /// A new stream of hints; hints that nobody has taken yet are one.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            defer { state.next += 1 }
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    /// Tells everyone.
    func tell() {
        // A stream that ends takes the lock, so nobody is told while it is held.
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield() }
    }

    /// Ends all streams.
    func finish() {
        let continuations = state.withLock { state in
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}

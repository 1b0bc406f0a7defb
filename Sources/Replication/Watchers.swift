import Synchronization

/// The streams that are notified of changes within this process.
final class Watchers: Sendable {
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    /// Creates a stream of change hints; pending hints are merged into one.
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

    /// Notifies all streams.
    func notify() {
        // A stream that ends takes the lock, so it must not be held while yielding.
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

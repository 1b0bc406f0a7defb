import Synchronization

/// Wakes one task that waits for a change.
final class Wake: Sendable {
    private let state = Mutex(State())

    private struct State {
        var generation: UInt64 = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// A number that changes with every wake. Read it before checking for a change, then wait beyond it.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// Wakes the waiting task.
    func wake() {
        let waiter = state.withLock { state in
            state.generation &+= 1
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns once there was a wake after `seen`, or after `duration`, or when the task is cancelled.
    func wait(beyond seen: UInt64, for duration: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: duration)
            if !Task.isCancelled { wake() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.generation == seen, !Task.isCancelled else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        timer.cancel()
    }
}

import Synchronization

/// A value that one task waits for, at most until that task is cancelled.
///
/// It lets a task leave work that cannot be cancelled, such as a system call that hangs on a share.
package final class Awaited<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value?, Never>)
        case over(Value?)
    }

    private let state = Mutex(State.open)

    /// Creates a value that is not there yet.
    package init() {}

    /// Provides the value; does nothing if there is one, or if the waiting task was cancelled.
    package func provide(_ value: Value) { finish(value) }

    /// Returns the value when it is there; `nil` as soon as the task is cancelled. To be called once.
    package func value() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value: Value?? = state.withLock { state in
                    if case .over(let value) = state { return value }
                    state = .waiting(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            finish(nil)
        }
    }

    private func finish(_ value: Value?) {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            guard case .over = state else {
                defer { state = .over(value) }
                if case .waiting(let continuation) = state { return continuation }
                return nil
            }
            return nil
        }
        waiting?.resume(returning: value)
    }
}

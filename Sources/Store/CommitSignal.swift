import GroundwaveEventLog
import Synchronization

/// Wakes the observers of a store when events may have arrived.
///
/// Commits of this process wake observers at once. Commits of other processes are polled for ten times a second, by
/// one task, and only while an observer waits and the store is not suspended.
package final class CommitSignal: Sendable {
    private let log: EventLog
    private let state = Mutex(State())

    private struct State {
        var generation: UInt64 = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var isPolling = false
        /// The last change number seen; kept between polls, so that a change between two waits is not missed.
        var lastChange: UInt64?
    }

    /// The interval at which commits of other processes are polled for.
    static let interval = Duration.milliseconds(100)

    init(of log: EventLog) { self.log = log }

    /// A number that changes whenever events may have arrived. Read it before reading the log, then pass it to
    /// ``wait(beyond:)``.
    package var generation: UInt64 { state.withLock { $0.generation } }

    /// Wakes all waiting observers.
    func notify() {
        let waiters = state.withLock { state in
            state.generation &+= 1
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns when the generation differs from `seen`, or when the task is cancelled.
    package func wait(beyond seen: UInt64) async {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.generation == seen, !Task.isCancelled else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if mustWait { pollWhileSomebodyWaits() } else { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Returns when it would be polled again for commits of other processes, or when the task is cancelled.
    package func pause() async { try? await Task.sleep(for: Self.interval) }

    /// Returns after so many milliseconds, or when the task is cancelled.
    package func pause(milliseconds: Int) async { try? await Task.sleep(for: .milliseconds(milliseconds)) }

    private func pollWhileSomebodyWaits() {
        let mustStart = state.withLock { state in
            defer { state.isPolling = true }
            return !state.isPolling
        }
        guard mustStart else { return }
        Task { [self] in
            while poll() { try? await Task.sleep(for: Self.interval) }
        }
    }

    /// Polls once; returns `false` if no observer waits any more.
    private func poll() -> Bool {
        guard log.usage.followNow() else {
            // Suspended: whoever takes the store up again wakes every observer.
            state.withLock { $0.isPolling = false }
            return false
        }
        defer { log.usage.end() }
        // If the log is closed, every observer is woken and then gets its error.
        let change = try? log.changeNumber()
        let (continues, isNew) = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isPolling = false
                return (false, false)
            }
            defer { state.lastChange = change }
            return (true, change == nil || change != state.lastChange)
        }
        if isNew { notify() }
        return continues
    }
}

import GroundwaveEventLog
import Synchronization

/// Wakes whoever observes a store, when events may have come.
///
/// Commits of this process wake at once. Those of other processes are looked for ten times a second, by one task, and
/// only while somebody waits.
package final class CommitSignal: Sendable {
    private let log: EventLog
    private let state = Mutex(State())

    private struct State {
        var generation: UInt64 = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var isPolling = false
        /// The number of the change that was seen last; kept between polls, so that nothing between two waits is missed.
        var lastChange: UInt64?
    }

    /// How often other processes are looked for.
    static let interval = Duration.milliseconds(100)

    init(of log: EventLog) { self.log = log }

    /// A number that changes whenever events may have come. Take it before reading, and wait for the next one after.
    package var generation: UInt64 { state.withLock { $0.generation } }

    /// Wakes all who wait.
    func notify() {
        let waiters = state.withLock { state in
            state.generation &+= 1
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns when the generation is another than `seen`, or when the task is cancelled.
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

    /// Looks once; `false` when nobody waits any more.
    private func poll() -> Bool {
        // A closed log wakes everyone, who then meet its error.
        let change = try? log.changeNumber()
        let (goesOn, isNew) = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isPolling = false
                return (false, false)
            }
            defer { state.lastChange = change }
            return (true, change == nil || change != state.lastChange)
        }
        if isNew { notify() }
        return goesOn
    }
}

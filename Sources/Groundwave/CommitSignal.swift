import EventLog
import Synchronization

/// Wakes whoever observes a store, when events may have come.
///
/// Commits of this process wake at once. Those of other processes are looked for ten times a second, by one task, and
/// only while somebody waits.
final class CommitSignal: Sendable {
    private let log: EventLog
    private let state = Mutex(State())

    private struct State {
        var generation: UInt64 = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var isPolling = false
        /// What was seen last; kept between polls, so that nothing between two waits is missed.
        var seen: Seen?
    }

    /// What changes with every commit and rewrite of any process. A file that took the place of another one counts its
    /// transactions anew.
    private struct Seen: Equatable {
        var transaction: UInt64
        var generation: LogGeneration
    }

    /// How often other processes are looked for.
    static let interval = Duration.milliseconds(100)

    init(of log: EventLog) { self.log = log }

    /// A number that changes whenever events may have come. Take it before reading, and wait for the next one after.
    var generation: UInt64 { state.withLock { $0.generation } }

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
    func wait(beyond seen: UInt64) async {
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
        let seen = try? Seen(transaction: log.lastTransaction(), generation: log.generation())
        let (goesOn, isNew) = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isPolling = false
                return (false, false)
            }
            defer { state.seen = seen }
            return (true, seen == nil || seen != state.seen)
        }
        if isNew { notify() }
        return goesOn
    }
}

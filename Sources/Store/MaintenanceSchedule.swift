import Dispatch
import GroundwaveLogFormat
import Synchronization

/// Runs a store's maintenance after each write and at open, on its own queue, one run at a time.
///
/// ``Store/runMaintenance()`` decides what is due. This class only triggers it, and not before the time that it last
/// named.
final class MaintenanceSchedule: Sendable {
    private let queue = DispatchQueue(label: "groundwave.due-work", qos: .utility)
    private let state = Mutex(State())
    /// Held while maintenance runs.
    let running = Mutex(())

    private struct State {
        weak var store: Store?
        /// The time on the wall clock, in milliseconds, before which nothing can be due.
        var next: Int64 = 0
        var isWaiting = false
        var isStopped = false
    }

    /// Starts maintenance for `store`. Does nothing if the store is read-only.
    func start(for store: Store) {
        guard !store.isReadOnly else { return }
        state.withLock { $0.store = store }
        ask()
    }

    /// Whether a run in progress is to end: maintenance has been stopped, or the store is about to be suspended.
    var isStopped: Bool {
        let (isStopped, store) = state.withLock { ($0.isStopped, $0.store) }
        return isStopped || store?.log.usage.isWantedClosed == true
    }

    /// Stops maintenance, and waits for a run in progress to end.
    func stop() {
        state.withLock { $0.isStopped = true }
        running.withLock { _ in }
    }

    /// Skips runs before `milliseconds` on the wall clock, since nothing can be due earlier.
    func wait(until milliseconds: Int64) { state.withLock { $0.next = milliseconds } }

    /// Queues a run, unless nothing can be due yet or a run is queued already. Cost: next to nothing.
    func ask() {
        let store: Store? = state.withLock { state in
            guard let store = state.store, !state.isWaiting, !state.isStopped,
                store.surroundings.now().wallMilliseconds >= state.next
            else { return nil }
            state.isWaiting = true
            return store
        }
        guard let store else { return }
        queue.async { [weak store, self] in
            state.withLock { $0.isWaiting = false }
            // A suspended store asks again when it is used again.
            guard let store, store.log.usage.followNow() else { return }
            defer { store.log.usage.end() }
            do { _ = try store.runMaintenance() } catch {
                Subsystem.store.logger.warning(
                    "maintenance failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
            }
        }
    }
}

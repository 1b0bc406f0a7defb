import Dispatch
import Synchronization

/// Has a store's due work done after a write and at open, on a queue of its own, one at a time.
///
/// What is due, ``Store/runDueWork()`` decides; here is only who asks it, and that nobody asks before the time that it
/// named.
final class DueWorkSchedule: Sendable {
    private let queue = DispatchQueue(label: "groundwave.due-work", qos: .utility)
    private let state = Mutex(State())
    /// Held while the work is done.
    let running = Mutex(())

    private struct State {
        weak var store: Store?
        /// The wall clock, in milliseconds, before which nothing can be due.
        var next: Int64 = 0
        var isWaiting = false
        var isStopped = false
    }

    /// Begins to ask for `store`, which must be one that can be written.
    func start(for store: Store) {
        guard !store.isReadOnly else { return }
        state.withLock { $0.store = store }
        ask()
    }

    /// Whether nothing is done any more.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Asks no more, and waits for what is being done.
    func stop() {
        state.withLock { $0.isStopped = true }
        running.withLock { _ in }
    }

    /// Nothing can be due before `milliseconds`.
    func wait(until milliseconds: Int64) { state.withLock { $0.next = milliseconds } }

    /// Asks soon, unless nothing can be due yet or somebody is about to ask. Cost: next to nothing.
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
            do { _ = try store?.runDueWork() } catch {
                Subsystem.store.logger.warning(
                    "maintenance failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
            }
        }
    }
}

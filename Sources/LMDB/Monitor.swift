#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A value behind a lock, with one condition to wait for.
///
/// `Synchronization.Mutex` has no condition variable, and on Linux the thread sanitizer does not see it.
/// Nothing here is re-entrant: the closures must not call the same monitor again.
@safe
final class Monitor<State>: @unchecked Sendable {
    // Why @unchecked holds: `state` is only touched between lock and unlock of `mutex`, and the three pointers
    // are set once and freed when nobody holds the object any more.
    private let state: UnsafeMutablePointer<State>
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ state: State) {
        // Behind a pointer, since the mutex makes the run-time exclusivity check of a class property needless.
        unsafe self.state = .allocate(capacity: 1)
        unsafe self.state.initialize(to: state)
        // POSIX wants both at a fixed address for their whole life, hence the allocation.
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        let mutexStatus = unsafe pthread_mutex_init(mutex, nil)
        let conditionStatus = unsafe pthread_cond_init(condition, nil)
        precondition(mutexStatus == 0 && conditionStatus == 0, "The system has no resources for another lock.")
    }

    deinit {
        // No thread can be inside, since a thread inside holds a reference.
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the state.
    func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
        // The mutex was initialised above and lives as long as self.
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&state.pointee)
    }

    /// Waits until `condition` holds and then runs `body`, both under one lock.
    func wait<R>(until isReady: (State) -> Bool, then body: (inout State) throws -> R) rethrows -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while unsafe !isReady(state.pointee) {
            // This thread holds the mutex, as pthread_cond_wait demands.
            unsafe pthread_cond_wait(condition, mutex)
        }
        return try unsafe body(&state.pointee)
    }

    /// Runs `body`, again after each ``wakeAll()``, until it returns something.
    func wait<R>(for body: (inout State) -> R?) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = unsafe body(&state.pointee) { return result }
            // This thread holds the mutex, as pthread_cond_wait demands.
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Wakes every waiting thread, so that each checks the state again.
    func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }
}

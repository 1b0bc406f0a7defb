#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Takes the place of `Synchronization.Mutex` in builds with the thread sanitizer: a lock of the C library, which the
/// sanitizer sees.
///
/// Of the standard library's, on Linux, it sees a lock that is free when it is taken; one that is waited for is taken within
/// a library that is not instrumented, and each value behind it then looks like a race.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Why @unchecked holds: the value is touched by the holder of the lock alone.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// A lock that nobody holds, and what it guards.
    public init(_ initial: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` while nobody else has the value.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The identity of a running thread; it may be given to another thread once this one has ended.
struct ThreadIdentity: Equatable {
    private let value: UInt

    /// The current thread.
    static var current: ThreadIdentity {
        #if canImport(Darwin) || canImport(Musl)
        // The pointer is only compared, never followed.
        return unsafe ThreadIdentity(value: UInt(bitPattern: pthread_self()))
        #else
        return ThreadIdentity(value: UInt(pthread_self()))
        #endif
    }
}

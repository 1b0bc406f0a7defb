import Foundation

/// What a crash leaves.
enum CoreDump {
    /// Has a crash leave no copy of the memory on the disk: keys may be in it. Programs that this one starts inherit that.
    static func prevent() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        #else
        setrlimit(RLIMIT_CORE, &none)
        #endif
    }
}

import GroundwaveCZstd
import Synchronization

/// A context of libzstd: the working tables of its calls. Creating one costs more than compressing a short frame.
final class Context: @unchecked Sendable {
    // Why @unchecked holds: `Contexts` lends it to one caller at a time, and libzstd does not bind it to a thread.
    let pointer: OpaquePointer
    private let free: (OpaquePointer) -> Int

    init(_ pointer: OpaquePointer?, free: @escaping (OpaquePointer) -> Int) {
        guard let pointer else { preconditionFailure("There is no memory for the tables of zstd.") }
        self.pointer = pointer
        self.free = free
    }

    deinit { _ = free(pointer) }
}

/// A pool of contexts: it keeps idle ones, and lends them out again.
final class Contexts: Sendable {
    /// The maximum number of idle contexts.
    private static let mostIdle = 4
    /// The maximum size of an idle context in bytes. A larger one grew with a long input, and creating another costs
    /// little compared with such an input.
    private static let mostBytes = 1 << 20

    private let idle = Mutex<[Context]>([])
    private let make: @Sendable () -> Context
    private let byteCount: @Sendable (OpaquePointer) -> Int

    init(byteCount: @escaping @Sendable (OpaquePointer) -> Int, make: @escaping @Sendable () -> Context) {
        self.byteCount = byteCount
        self.make = make
    }

    /// Lends a context to `body`, exclusively.
    ///
    /// `body` may call only functions of libzstd that reset the context first, such as `ZSTD_compressCCtx`, so that
    /// earlier uses of the context have no effect on the result.
    func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        let context = idle.withLock { $0.popLast() } ?? make()
        defer {
            if byteCount(context.pointer) <= Self.mostBytes {
                idle.withLock { if $0.count < Self.mostIdle { $0.append(context) } }
            }
        }
        return body(context.pointer)
    }

    static let compressing = Contexts(byteCount: { ZSTD_sizeof_CCtx($0) }) {
        Context(ZSTD_createCCtx()) { ZSTD_freeCCtx($0) }
    }
    static let decompressing = Contexts(byteCount: { ZSTD_sizeof_DCtx($0) }) {
        Context(ZSTD_createDCtx()) { ZSTD_freeDCtx($0) }
    }
}

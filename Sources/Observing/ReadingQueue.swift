import Dispatch

/// A thread for reading on behalf of a task: never that of the caller's actor, and never one of Swift's pool, which must not
/// be blocked.
package final class ReadingQueue: Sendable {
    // A target that is shared limits the number of threads, however many queues there are.
    private let queue: DispatchQueue

    package init(_ label: String) { queue = DispatchQueue(label: label, target: .global(qos: .userInitiated)) }

    /// Runs `body` after what was asked for before, and returns its result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

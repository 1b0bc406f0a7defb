import Foundation

/// Runs every one of `bodies` on a thread of its own, waits for all, and throws what the first one threw.
func inParallel(_ bodies: [@Sendable () throws -> Void]) throws {
    let failures = Failures()
    let done = DispatchGroup()
    for body in bodies {
        done.enter()
        let thread = Thread {
            do { try body() } catch { failures.note(error) }
            done.leave()
        }
        thread.start()
    }
    done.wait()
    if let failure = failures.first { throw failure }
}

/// The first error of several threads.
///
/// A plain lock, since the thread sanitizer does not see the one of `Synchronization` on Linux.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var noted: (any Error)?

    func note(_ error: any Error) {
        lock.withLock { noted = noted ?? error }
    }

    var first: (any Error)? { lock.withLock { noted } }
}

import Foundation
import Synchronization

/// Runs every one of `bodies` on a thread of its own, waits for all, and throws what the first one threw.
func inParallel(_ bodies: [@Sendable () throws -> Void]) throws {
    let failures = Mutex<[any Error]>([])
    let done = DispatchGroup()
    for body in bodies {
        done.enter()
        let thread = Thread {
            do { try body() } catch { failures.withLock { $0.append(error) } }
            done.leave()
        }
        thread.start()
    }
    done.wait()
    if let failure = failures.withLock({ $0.first }) { throw failure }
}

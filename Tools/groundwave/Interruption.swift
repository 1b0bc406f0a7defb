import Dispatch
import Foundation

/// Waits until the user, or the system, asks the program to end: then there is time to say goodbye.
enum Interruption {
    /// Calls `end` at the first SIGINT or SIGTERM; the next one ends the program as ever.
    static func whenAsked(_ end: @escaping @Sendable () async -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            // What is to be done with it is told to the source alone.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                Task { await end() }
            }
            source.resume()
            return source
        }
    }
}

import Dispatch
import Foundation

/// Handles requests by the user or the system to end the program, so that it can close its connections first.
package enum Interruption {
    /// Calls `end` at the first SIGINT or SIGTERM; the next one ends the program as ever.
    package static func whenAsked(_ end: @escaping @Sendable () async -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            // The signal is delivered only to the source below.
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

extension Interruption {
    /// Returns when somebody asks for the end.
    package static func wait() async {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = whenAsked { continuation.finish() }
        for await _ in asked {}
        for source in sources { source.cancel() }
    }
}

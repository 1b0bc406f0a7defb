import Foundation
import Synchronization

/// A progress line on standard error: only on a terminal, and only after a second.
final class Progress: Sendable {
    private struct State {
        var words: String
        var isDone = false
    }

    private let state: Mutex<State>
    private let start = ContinuousClock.now

    /// Starts to show `words`, followed by the elapsed seconds.
    init(_ words: String) {
        let isWanted = isatty(STDERR_FILENO) == 1 && !Terminal.manner.withLock { $0.isQuiet }
        state = Mutex(State(words: words, isDone: !isWanted))
        if isWanted { Thread.detachNewThread { self.draw() } }
    }

    /// Shows `words` from now on.
    func update(_ words: String) { state.withLock { $0.words = words } }

    /// Removes the line.
    func finish() {
        state.withLock { $0.isDone = true }
        Terminal.clearStatus()
    }

    /// Runs `body` with the line, which is gone when this returns.
    static func during<Result>(_ words: String, _ body: (Progress) throws -> Result) rethrows -> Result {
        let progress = Progress(words)
        defer { progress.finish() }
        return try body(progress)
    }

    /// Runs `body` with the line, which is gone when this returns.
    static func during<Result>(_ words: String, _ body: (Progress) async throws -> Result) async rethrows -> Result {
        let progress = Progress(words)
        defer { progress.finish() }
        return try await body(progress)
    }

    private func draw() {
        while true {
            Thread.sleep(forTimeInterval: 0.1)
            let elapsed = ContinuousClock.now - start
            let isDone = state.withLock { state in
                guard !state.isDone, elapsed > .seconds(1) else { return state.isDone }
                Terminal.showStatus("\(state.words)  \(elapsed.components.seconds) s")
                return false
            }
            if isDone { return }
        }
    }
}

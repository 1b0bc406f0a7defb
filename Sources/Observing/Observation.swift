import GroundwaveEventLog
import GroundwaveProjections
import GroundwaveStore
import Synchronization

/// What an ``Observation`` reads, each time from the state that the last read left.
package protocol ObservedSource: Sendable {
    associatedtype Value: Sendable

    /// Reads the value; returns `nil` if it equals the last one.
    ///
    /// - Parameter touched: The records that may have changed since the last read; the first time any.
    mutating func read(_ view: borrowing ViewReader, touched: TouchedRecords) throws -> Value?
}

/// Waits for commits, and reads a source on a thread of its own: never on that of the caller, and never on one of
/// Swift's pool, which must not be blocked.
package final class Observation<Source: ObservedSource>: Sendable {
    private let store: Store
    private let queue = ReadingQueue("groundwave.observing")
    /// Used on the queue only; the lock is never waited for.
    private let state: Mutex<State>
    /// The commits that the last read has seen, and whether its views were behind the log.
    private let seen = Mutex<(generation: UInt64, isBehind: Bool)?>(nil)

    private struct State {
        var source: Source
        /// The state of the views at the last read.
        var mark: ViewsMark?
        /// The last two values. The caller lets go of the first when it takes the second; as it is held here too, its
        /// memory is freed on the queue, and not by the caller.
        var held: [Source.Value] = []
    }

    package init(_ store: Store, _ source: Source) {
        self.store = store
        state = Mutex(State(source: source))
    }

    /// Waits for the next value that differs and returns it; the first one at once. Returns `nil` if the task is
    /// cancelled.
    package func next() async throws -> Source.Value? {
        while !Task.isCancelled {
            if let seen = seen.withLock({ $0 }) {
                if seen.isBehind {
                    // Another process has written, and will bring the views up to date without a further commit.
                    await store.commits.pause()
                } else {
                    await store.commits.wait(beyond: seen.generation)
                }
                if Task.isCancelled { break }
            }
            // The first value is a call of the application, which takes a suspended store up again.
            let isFollowing = seen.withLock { $0 != nil }
            guard try await store.log.usage.begin(following: isFollowing) else { break }
            defer { store.log.usage.end() }
            if let value = try await queue.run({ try self.read() }) { return Task.isCancelled ? nil : value }
        }
        return nil
    }

    private func read() throws -> Source.Value? {
        try state.withLock { state in
            // Taken before reading, so that a commit during the read causes another read.
            let generation = store.commits.generation
            let mark = state.mark
            // If the read fails, the source may have changed in part: the next read is a whole one.
            state.mark = nil
            let (value, read, isBehind) = try store.passing { () throws -> (Source.Value?, ViewsMark, Bool) in
                try store.catchUpForReading()
                let (value, read) = try store.views.read(since: mark) { try state.source.read($0, touched: $1) }
                return (value, read, try areViewsBehind(read))
            }
            state.mark = read
            seen.withLock { $0 = (generation, isBehind) }
            guard let value else { return nil }
            state.held = state.held.suffix(1) + [value]
            return value
        }
    }

    /// Whether the views lack events of the log, because this process cannot bring them up to date.
    ///
    /// - Throws: If the log is closed: views that are only read do not need it.
    private func areViewsBehind(_ mark: ViewsMark) throws -> Bool {
        let (last, content) = (try store.log.lastPosition(), try store.log.content())
        return store.views.isReadOnly && (last > mark.position || content != mark.content)
    }
}

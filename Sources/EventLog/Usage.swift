import Dispatch
import Synchronization

/// Counts who is using the files of a log, so that they are closed only while nobody is.
///
/// While they are closed, a call of the application opens them again. A follower, whom nobody has called, waits for that:
/// observers, continuous synchronising, maintenance.
package final class Usage: Sendable {
    private static let closed: UInt64 = 1 << 63
    private static let closing: UInt64 = 1 << 62

    /// The number of users, and the two bits above.
    private let word = Atomic<UInt64>(0)
    /// Held while the files are closed or opened.
    private let turning = Mutex(())
    private let state = Mutex(State())
    /// The object whose files this thread is closing or opening: its calls pass.
    @TaskLocal private static var turned: ObjectIdentifier?

    private struct State {
        /// The number of calls that want the files closed, and wait for the users.
        var suspenders = 0
        var isClosed = false
        var open: (@Sendable () throws -> Void)?
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]

        /// Whether followers may use the files.
        var isOpen: Bool { suspenders == 0 && !isClosed }
    }

    /// Whether a call waits for the moment at which nobody uses the files.
    package var isWantedClosed: Bool { state.withLock { $0.suspenders > 0 } }

    /// Sets what runs before closed files are used again: if it throws, they stay closed, and the call gets the error.
    package func onReopening(_ open: @escaping @Sendable () throws -> Void) { state.withLock { $0.open = open } }

    // MARK: - Calls

    /// Runs `body` as a call of the application.
    package func using<Result>(_ body: () throws -> Result) throws -> Result {
        try begin()
        defer { end() }
        return try body()
    }

    /// Runs `body` as a call of the application.
    package func using<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try begin()
        defer { end() }
        return try await body()
    }

    /// Begins a call, and opens the files if they are closed. ``end()`` ends it, on any thread. Calls nest.
    package func begin() throws {
        while word.add(1, ordering: .sequentiallyConsistent).newValue & Self.closed != 0, Self.turned != id {
            end()
            try reopen()
        }
    }

    /// Ends a call, or the use by a follower.
    package func end() {
        if word.subtract(1, ordering: .sequentiallyConsistent).newValue == Self.closing { wakeAll() }
    }

    private func reopen() throws {
        try turning.withLock { _ in
            guard word.load(ordering: .sequentiallyConsistent) & Self.closed != 0 else { return }
            try Self.$turned.withValue(id) { try state.withLock { $0.open }?() }
            setOpen()
        }
        wakeAll()
    }

    private func setOpen() {
        word.bitwiseAnd(~Self.closed, ordering: .sequentiallyConsistent)
        state.withLock { $0.isClosed = false }
    }

    // MARK: - Followers

    /// Waits until the files are open and are not about to be closed, and begins to use them; ``end()`` ends that.
    ///
    /// - Returns: `false` if the task is cancelled; then there is nothing to end.
    package func follow() async -> Bool {
        while !Task.isCancelled {
            if followNow() { return true }
            await wait { $0.isOpen }
        }
        return false
    }

    /// As ``follow()``, but returns `false` instead of waiting.
    package func followNow() -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            // Not closed before the lock is released, since nobody has begun to close them.
            word.add(1, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// Begins to use the files as a call, or as a follower.
    ///
    /// - Returns: `false` if a follower's task is cancelled; then there is nothing to end.
    package func begin(following: Bool) async throws -> Bool {
        if following { return await follow() }
        try begin()
        return true
    }

    /// Returns when the files are about to be closed, or when the task is cancelled.
    package func untilSuspended() async { await wait { !$0.isOpen } }

    // MARK: - Closing

    /// Waits until nobody uses the files, runs `close` on a queue, and makes the next call open them again. Does nothing if
    /// they are closed. A call that begins while this waits is waited for, too.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; then the files stay open.
    package func suspend(_ close: @escaping @Sendable () -> Void) async throws {
        state.withLock { state in
            state.suspenders += 1
            word.bitwiseOr(Self.closing, ordering: .sequentiallyConsistent)
        }
        wakeAll()
        defer { endSuspending() }
        while true {
            try Task.checkCancellation()
            if await closeIfUnused(close) { return }
            // Also if another call has closed them meanwhile.
            let users = ~(Self.closing | Self.closed)
            await wait { [self] _ in word.load(ordering: .sequentiallyConsistent) & users == 0 }
        }
    }

    private func endSuspending() {
        state.withLock { state in
            state.suspenders -= 1
            if state.suspenders == 0 { word.bitwiseAnd(~Self.closing, ordering: .sequentiallyConsistent) }
        }
        wakeAll()
    }

    /// - Returns: Whether the files are closed now.
    private func closeIfUnused(_ close: @escaping @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            Self.queue.async { [self] in continuation.resume(returning: turning.withLock { _ in closeNow(close) }) }
        }
    }

    private func closeNow(_ close: () -> Void) -> Bool {
        let unused = Self.closing
        let closed = word.compareExchange(
            expected: unused, desired: unused | Self.closed, ordering: .sequentiallyConsistent)
        guard closed.exchanged else { return closed.original & Self.closed != 0 }
        state.withLock { $0.isClosed = true }
        Self.$turned.withValue(id) { close() }
        return true
    }

    // Closing blocks, and must not block a thread of Swift's pool.
    private static let queue = DispatchQueue(label: "groundwave.suspending", attributes: .concurrent)

    /// Ends the suspension for good, without opening the files: whoever uses them from now on gets the error that
    /// `forbid` has arranged for.
    ///
    /// - Returns: `false` if the files are open; then nothing was done.
    package func closeSuspended(_ forbid: () -> Void) -> Bool {
        let isDone = turning.withLock { _ in
            guard word.load(ordering: .sequentiallyConsistent) & Self.closed != 0 else { return false }
            forbid()
            setOpen()
            return true
        }
        if isDone { wakeAll() }
        return isDone
    }

    // MARK: - Waiting

    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    private func wait(until isTrue: @Sendable (State) -> Bool) async {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        while !Task.isCancelled, !state.withLock({ isTrue($0) }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let mustWait = state.withLock { state in
                        guard !isTrue(state), !Task.isCancelled else { return false }
                        state.waiters[number] = continuation
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
            }
        }
    }

    /// Has everyone who waits look again.
    private func wakeAll() {
        let waiters = state.withLock { state in
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }
}

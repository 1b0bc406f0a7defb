import GroundwaveStore

extension Store {
    /// Runs `body` as one use of the store. If the store is to be suspended meanwhile, `body` is cancelled, and runs again from
    /// its beginning when the store is used again.
    ///
    /// - Parameter isFollowing: Whether this waits for a suspended store, and does not take it up.
    /// - Throws: `CancellationError` if the task is cancelled; errors of `body`.
    func repeatingWhenSuspended<Value: Sendable>(
        isFollowing: Bool, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        var isFollowing = isFollowing
        while try await usage.begin(following: isFollowing) {
            defer { usage.end() }
            isFollowing = true
            if let value = try await valueUnlessSuspended(body) { return value }
        }
        throw CancellationError()
    }

    /// - Returns: `nil` if `body` was cut short.
    private func valueUnlessSuspended<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            // A group waits for all that is left in it.
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask { [usage] in
                await usage.untilSuspended()
                return nil
            }
            if let value = try await group.next() ?? nil { return value }
            group.cancelAll()
            do { return try await group.next() ?? nil } catch {
                // A transport says in its own way that it was cut short; any other error comes again.
                try Task.checkCancellation()
                return nil
            }
        }
    }
}

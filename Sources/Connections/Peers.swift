import Synchronization

/// The peers connected to a ``Listener``.
final class Peers: Sendable {
    private struct State {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var refusedCount = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    /// The number of peers.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Closes every connection, and returns when all are closed. Accepts no further ones.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
    }

    /// Accepts a connection and runs `handle` with it; refuses it if there are `limit` already.
    func welcome(
        _ connection: Connection, limit: Int, _ handle: @escaping @Sendable (Connection) async -> Void
    ) {
        let isWelcome = state.withLock { state in
            guard !state.isStopped, state.tasks.count < limit else { return false }
            let number = state.next
            state.next += 1
            state.tasks[number] = Task { [self] in
                await handle(connection)
                await connection.closed()
                self.state.withLock { $0.tasks[number] = nil }
            }
            return true
        }
        if !isWelcome { refuse(connection, limit: limit) }
    }

    /// Refuses a connection with a reason. If too many are being refused at once, closes it without one.
    private func refuse(_ connection: Connection, limit: Int) {
        let mayTalk = state.withLock { state in
            guard state.refusedCount < limit else { return false }
            state.refusedCount += 1
            return true
        }
        guard mayTalk else { return }
        Task { [self] in
            await connection.refuse(reason: "too many devices are connected: try again later")
            state.withLock { $0.refusedCount -= 1 }
        }
    }
}

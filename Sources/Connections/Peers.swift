import Synchronization

/// Those that are connected to a ``Listener``.
final class Peers: Sendable {
    private struct State {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var refusedCount = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    /// How many there are.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Ends every conversation, and returns when all are closed. Nobody is taken in any more.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
    }

    /// Takes one in, unless there are `limit` already.
    func welcome(
        _ connection: Connection, limit: Int, _ handle: @escaping @Sendable (Connection) async -> Void
    ) {
        let isWelcome = state.withLock { state in
            guard !state.isStopped, state.tasks.count < limit else { return false }
            let number = state.next
            state.next += 1
            state.tasks[number] = Task { [self] in
                await handle(connection)
                self.state.withLock { $0.tasks[number] = nil }
            }
            return true
        }
        if !isWelcome { refuse(connection, limit: limit) }
    }

    /// Says why, to a few at once; the others are closed without a word.
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

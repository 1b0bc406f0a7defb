import Synchronization

/// The peers connected to a ``Listener``.
final class Peers: Sendable {
    private struct State {
        var next = 0
        /// The peers, by their numbers in the order in which they connected.
        var peers: [Int: Peer] = [:]
        /// Those that were dropped for others and whose connections are not closed yet.
        var dropped: [Int: Peer] = [:]
        var refusedCount = 0
        var isStopped = false

        /// Returns the number of the peer that has been silent for longest without having said hello.
        var silent: Int? { peers.filter { $0.value.connection.standing.remote == nil }.keys.min() }
    }

    private struct Peer {
        let connection: Connection
        let task: Task<Void, Never>
    }

    private let state = Mutex(State())

    /// The number of peers.
    var count: Int { state.withLock { $0.peers.count } }

    /// Closes every connection, and returns when all are closed. Accepts no further ones.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return [state.peers.values, state.dropped.values].joined().map(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Accepts a connection and runs `handle` with it.
    ///
    /// If there are `limit` already, one that has not said hello is closed for it: whoever only opens connections shuts
    /// nobody out. If all have, it is refused.
    func welcome(
        _ connection: Connection, limit: Int, _ handle: @escaping @Sendable (Connection) async -> Void
    ) {
        let (isWelcome, dropped) = state.withLock { state -> (Bool, Connection?) in
            guard !state.isStopped else { return (false, nil) }
            var dropped: Connection?
            if state.peers.count >= limit {
                guard let silent = state.silent, let peer = state.peers.removeValue(forKey: silent) else {
                    return (false, nil)
                }
                state.dropped[silent] = peer
                dropped = peer.connection
            }
            let number = state.next
            state.next += 1
            let task = Task { [self] in
                await handle(connection)
                await connection.closed()
                self.state.withLock { state in
                    state.peers[number] = nil
                    state.dropped[number] = nil
                }
            }
            state.peers[number] = Peer(connection: connection, task: task)
            return (true, dropped)
        }
        dropped?.drop()
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

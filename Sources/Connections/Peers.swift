import GroundwaveReplication
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

        /// Returns the number of the peer that has been silent for longest without having said which store it is.
        var silent: Int? { peers.filter { !$0.value.stream.isConfirmed }.keys.min() }
    }

    private struct Peer {
        let stream: ChannelStream
        let task: Task<Void, Never>
    }

    private let limit: Int
    private let refuse: @Sendable (ChannelStream) async -> Void
    private let handle: @Sendable (ChannelStream) async -> Void
    private let state = Mutex(State())

    /// Creates it without peers, at most `limit` at once: for the others see ``Listener``.
    init(
        limit: Int, refuse: @escaping @Sendable (ChannelStream) async -> Void,
        handle: @escaping @Sendable (ChannelStream) async -> Void
    ) {
        (self.limit, self.refuse, self.handle) = (limit, refuse, handle)
    }

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

    /// Accepts a connection and has it handled.
    ///
    /// If there are as many as may be already, one that has not said which store it is is closed for it: whoever only opens
    /// connections shuts nobody out. If all have, it is refused.
    func welcome(_ stream: ChannelStream) {
        let (isWelcome, dropped) = state.withLock { state -> (Bool, ChannelStream?) in
            guard !state.isStopped else { return (false, nil) }
            var dropped: ChannelStream?
            if state.peers.count >= limit {
                guard let silent = state.silent, let peer = state.peers.removeValue(forKey: silent) else {
                    return (false, nil)
                }
                state.dropped[silent] = peer
                dropped = peer.stream
            }
            let number = state.next
            state.next += 1
            let task = Task { [self] in
                await handle(stream)
                // To the end, also if this task was cancelled.
                await Task { await stream.close() }.value
                self.state.withLock { state in
                    state.peers[number] = nil
                    state.dropped[number] = nil
                }
            }
            state.peers[number] = Peer(stream: stream, task: task)
            return (true, dropped)
        }
        dropped?.drop()
        if !isWelcome { turnAway(stream) }
    }

    /// Refuses a connection. If too many are being refused at once, closes it without a word.
    private func turnAway(_ stream: ChannelStream) {
        let mayTalk = state.withLock { state in
            guard state.refusedCount < limit else { return false }
            state.refusedCount += 1
            return true
        }
        guard mayTalk else { return stream.drop() }
        Task { [self] in
            await refuse(stream)
            state.withLock { $0.refusedCount -= 1 }
        }
    }
}

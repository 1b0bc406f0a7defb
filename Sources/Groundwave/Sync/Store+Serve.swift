import Connections
import EventLog
import Events
import Replication
import Synchronization

extension Store {
    /// Waits for other devices of the log, and talks with each: what is written here goes to all of them as it is written,
    /// and what one of them brings goes to the others.
    ///
    /// Nothing is encrypted yet, and nobody is asked who they are: whoever reaches the address can read the whole log and
    /// add to it. Only a network that is trusted should.
    ///
    /// - Parameters:
    ///   - place: Where to wait: an address of this machine, and a port, 0 for any that is free.
    ///   - peerLimit: How many may be connected at once.
    /// - Throws: ``StoreError`` with code `inputOutput` where the address cannot be had; `syncOff`; `notPermitted` where
    ///   the store can only be read.
    public func serve(at place: HostAndPort, peerLimit: Int = 64) async throws -> Serving {
        try requireWritable()
        try requireSyncOn()
        try await introduce()
        return try await Serving(self, at: place, peerLimit: peerLimit)
    }

    /// Talks once with whoever is at the other end of two descriptors, such as standard input and output, until both sides
    /// are done. They are closed afterwards.
    ///
    /// - Parameter stays: Whether to go on when both are done, until the other side ends it.
    /// - Returns: What has come and gone, how much of what came had been lost here, and with whom; `nil` where nobody said
    ///   hello.
    /// - Throws: ``StoreError`` with code `unreachable` where the conversation is cut, `exists` where the other side is a
    ///   store of another log, `damaged` where it is not to be believed; `usage` where the descriptors are no pipes.
    public func sync(
        input: Int32, output: Int32, stays: Bool = false
    ) async throws -> (peer: ReplicaID?, sentEvents: UInt64, receivedEvents: Int, returnedEvents: Int) {
        try requireWritable()
        try requireSyncOn()
        do {
            let connection = try await Connection.open(input: input, output: output)
            let talk = try await talk(over: connection, endsWhenDone: !stays)
            let standing = talk.standing
            switch standing.ending {
            case .quarantine(.otherLog(let log)):
                throw StoreError(.exists, "The other side is a store of another log, \(log.short).")
            case .quarantine(let error):
                throw StoreError(.damaged, "The other side sent invalid data. \(error.sentence)", cause: error)
            case .goodbye(let reason) where !standing.isDone:
                throw StoreError(
                    .unreachable,
                    "The connection ended before both sides were done\(reason.isEmpty ? "" : ": \(reason)").",
                    hint: "Nothing is lost: what has arrived is kept, and the next sync continues.")
            default:
                let received = standing.received
                return (
                    standing.remote?.store, standing.traffic.sentEvents, received.newCount, received.returnedCount
                )
            }
        } catch {
            switch error {
            case ConnectionError.notAPipe(let reason):
                throw StoreError(.usage, "There is no pipe to synchronise through: \(reason).", cause: error)
            case let error as ConnectionError:
                throw StoreError(
                    .unreachable, "The connection did not end properly: \(error.sentence).",
                    hint: "Nothing is lost: what has arrived is kept, and the next sync continues.", cause: error)
            default: throw error
            }
        }
    }

    /// Talks with one who has connected, and tells what happens.
    func serve(_ connection: Connection, number: Int, to sink: AsyncStream<Serving.Event>.Continuation) async {
        guard (try? isSyncOff()) != true else { return await connection.refuse(reason: switchedOff) }
        let telling = Mutex(Telling(peer: .init(number: number, address: connection.peerAddress)))
        var reason: String?
        do {
            let talk = try await talk(over: connection, endsWhenDone: false) { [weak self] standing in
                let name = { self?.name(of: $0) }
                for event in telling.withLock({ $0.events(of: standing, name) }) { sink.yield(event) }
            }
            if case .goodbye(let text) = talk.standing.ending, !text.isEmpty { reason = text }
        } catch {
            reason = (error as? ConnectionError)?.sentence ?? "\(error)"
            await connection.refuse(reason: "this store cannot be read or written now")
        }
        let peer = telling.withLock { $0.peer }
        // Who only asked what is here was never there.
        if peer.replica != nil || reason != nil { sink.yield(.gone(peer, reason)) }
    }

    private func name(of replica: ReplicaID) -> String? { (try? deviceNames())?[replica] }

    /// What was told of one who is connected.
    private struct Telling {
        var peer: Serving.Peer
        var told: ConnectionStanding?

        /// What is to be told now.
        mutating func events(of standing: ConnectionStanding, _ name: (ReplicaID) -> String?) -> [Serving.Event] {
            var events: [Serving.Event] = []
            if peer.replica == nil, let store = standing.remote?.store {
                peer.replica = store
                peer.device = name(store)
                events.append(.connected(peer))
            }
            if case .quarantine(let error) = standing.ending { events.append(.quarantined(peer, error.sentence)) }
            if standing.isDone, standing.isNews(after: told) {
                if peer.device == nil { peer.device = peer.replica.flatMap(name) }
                let sent = standing.traffic.sentEvents - (told?.traffic.sentEvents ?? 0)
                let received = standing.received.newCount - (told?.received.newCount ?? 0)
                let returned = standing.received.returnedCount - (told?.received.returnedCount ?? 0)
                events.append(.synced(peer, sentEvents: sent, receivedEvents: received, returnedEvents: returned))
                told = standing
            }
            return events
        }
    }
}

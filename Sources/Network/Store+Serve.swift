import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveStore
import GroundwaveSyncing
import Synchronization

extension Store {
    /// Listens for other devices of the log, and serves each: what is written here is sent to all of them at once,
    /// and what one of them sends is passed on to the others.
    ///
    /// If the log is sealed, both ends of a connection prove that they belong to the log before anything else is said, nobody
    /// between can read or change what is said, and a stranger gets no answer. If it is not, anybody who can reach the address
    /// can read the whole log and add to it: use it only in a trusted network.
    ///
    /// - Parameters:
    ///   - endpoint: The address to listen at: an address of this machine, and a port, 0 for any free one.
    ///   - peerLimit: The maximum number of devices that are connected at once.
    /// - Throws: ``StoreError`` with code `inputOutput` if it cannot listen at the address; `syncOff`; `notPermitted`
    ///   if the store is read-only.
    public func serve(at endpoint: HostAndPort, peerLimit: Int = 64) async throws -> Serving {
        try requireWritable()
        try requireSyncOn()
        try await introduce()
        return try await Serving(self, at: endpoint, peerLimit: peerLimit)
    }

    /// Synchronises once with the peer at the other end of two descriptors, such as standard input and output, until
    /// both sides are caught up. The descriptors are closed afterwards.
    ///
    /// - Parameters:
    ///   - input: The descriptor from which the peer is read.
    ///   - output: The descriptor to which is written.
    ///   - stays: Whether to stay connected when both are caught up, until the other side ends the connection.
    /// - Returns: The peer, `nil` if it sent no hello; what was sent and received; and how many of the received
    ///   events had been lost here.
    /// - Throws: ``StoreError`` with code `unreachable` if the connection is cut, `exists` if the other side is a
    ///   store of another log, `damaged` if it violates the protocol, `notPermitted` if the log is sealed and one of the two
    ///   devices does not belong to it; `usage` if the descriptors are not pipes.
    ///   `CancellationError` at once if the task is cancelled before both are caught up.
    public func sync(
        input: Int32, output: Int32, stays: Bool = false
    ) async throws -> (peer: ReplicaID?, sentEvents: UInt64, receivedEvents: Int, returnedEvents: Int) {
        try requireWritable()
        try requireSyncOn()
        do {
            let stream = try await ChannelStream.open(input: input, output: output)
            let result = try await runConnection(over: stream, as: nil, endsWhenDone: !stays)
            if let failure = result.failure { throw failure }
            let standing = result.standing
            if !standing.isDone { try Task.checkCancellation() }
            switch standing.ending {
            case .quarantine(.otherLog(let log)):
                throw StoreError(.exists, "The other side is a store of another log, \(log.short).")
            case .quarantine(let error):
                throw StoreError(.damaged, "The other side sent invalid data. \(error.sentence)", cause: error)
            case .close(let reason) where !standing.isDone:
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
            case let error as ConnectionError where error.isAboutTrust:
                throw StoreError(error, with: "the other side")
            case let error as ConnectionError:
                throw StoreError(
                    .unreachable, "The connection did not end properly: \(error.sentence).",
                    hint: "Nothing is lost: what has arrived is kept, and the next sync continues.", cause: error)
            default: throw error
            }
        }
    }

    /// Serves one connected device, and reports its events.
    func serve(_ stream: ChannelStream, number: Int, to sink: AsyncStream<Serving.Event>.Continuation) async {
        guard (try? isSyncOff()) != true else { return await refuse(stream, reason: switchedOff) }
        let peerReport = Mutex(PeerReport(peer: .init(number: number, address: stream.peerAddress)))
        var reason: String?
        do {
            let result = try await runConnection(over: stream, as: .responder, endsWhenDone: false) {
                [weak self, weak stream] standing in
                if standing.remote != nil { stream?.confirm() }
                let name = { self?.name(of: $0) }
                for event in peerReport.withLock({ $0.events(of: standing, name) }) { sink.yield(event) }
            }
            if !result.admitted.isEmpty || !result.refused.isEmpty {
                var peer = peerReport.withLock { $0.peer }
                peer.device = peer.device ?? peer.replica.flatMap(name)
                sink.yield(.joined(peer, isMember: result.refused.isEmpty))
            }
            if let failure = result.failure { throw failure }
            if case .close(let text) = result.standing.ending, !text.isEmpty { reason = text }
        } catch {
            reason = (error as? ConnectionError)?.sentence ?? "\(error)"
            await refuse(stream, reason: "this store cannot be read or written now")
        }
        let peer = peerReport.withLock { $0.peer }
        // A peer that only probed was never reported as connected.
        if peer.replica != nil || reason != nil { sink.yield(.disconnected(peer, reason)) }
    }

    /// Closes a connection before its session, with a close message unless the log is sealed: then strangers get no answer.
    func refuse(_ stream: ChannelStream, reason: String) async {
        if (try? isSealed()) == false { try? await stream.write(Greeting.farewell(reason)) }
        await stream.close()
    }

    private func name(of replica: ReplicaID) -> String? { (try? deviceNames())?[replica] }

    /// What was reported about one connected device.
    private struct PeerReport {
        var peer: Serving.Peer
        var previous: ConnectionStanding?

        /// Returns the events to report now.
        mutating func events(of standing: ConnectionStanding, _ name: (ReplicaID) -> String?) -> [Serving.Event] {
            var events: [Serving.Event] = []
            if peer.replica == nil, let store = standing.remote?.store {
                peer.replica = store
                peer.device = name(store)
                events.append(.connected(peer))
            }
            if case .quarantine(let error) = standing.ending { events.append(.quarantined(peer, error.sentence)) }
            if standing.isDone, standing.isNews(after: previous) {
                if peer.device == nil { peer.device = peer.replica.flatMap(name) }
                let sent = standing.traffic.sentEvents - (previous?.traffic.sentEvents ?? 0)
                let received = standing.received.newCount - (previous?.received.newCount ?? 0)
                let returned = standing.received.returnedCount - (previous?.received.returnedCount ?? 0)
                events.append(.synced(peer, sentEvents: sent, receivedEvents: received, returnedEvents: returned))
                previous = standing
            }
            return events
        }
    }
}

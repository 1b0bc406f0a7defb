import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveStore
import GroundwaveSyncing

extension Store {
    /// Synchronises with the device at a host until both sides are caught up. Connects again if one of them turns out
    /// to be another replica.
    func syncDirectly(_ host: String, _ port: Int, _ summary: inout SyncSummary) async throws {
        for attempt in 1...3 {
            let stream = try await ChannelStream.open(host: host, port: port)
            let result = try await converse(over: stream, as: .initiator, &summary)
            if result.hasNewName {
                try await introduce()
                summary.newReplica = replica
            } else if result.standing.ending != .close(Session.newName) || attempt == 3 {
                return try judge(result.standing, &summary)
            }
        }
    }

    /// Keeps a connection with the device at a host open, and reports each time that both sides are caught up.
    ///
    /// Returns when it is cancelled, when this store continues as a new replica, and when the peer is quarantined.
    ///
    /// - Throws: ``StoreError`` with the reason why there is no connection, or why it ended.
    func stayConnected(
        with remote: Remote, at host: String, _ port: Int, _ report: @escaping @Sendable (SyncSummary) -> Void
    ) async throws {
        do {
            try requireSyncOn()
            let stream = try await ChannelStream.open(host: host, port: port)
            let (standings, sink) = AsyncStream.makeStream(
                of: ConnectionStanding.self, bufferingPolicy: .bufferingNewest(1))
            let reporting = Task {
                var previous: ConnectionStanding?
                for await standing in standings where standing.isNews(after: previous) {
                    report(SyncSummary(remote, standing, since: previous))
                    previous = standing
                    try? remember(standing.remote, at: remote)
                    try? remember(SyncSummary(remote: remote), failure: nil)
                    // Many edits in a row are recorded once.
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            let result: ConnectionResult
            do {
                result = try await self.runConnection(over: stream, as: .initiator, endsWhenDone: false) { standing in
                    if standing.isDone, standing.ending == nil { sink.yield(standing) }
                }
            } catch {
                await Self.end(reporting, sink)
                throw error
            }
            await Self.end(reporting, sink)
            if let failure = result.failure { throw failure }
            try remember(result.standing.remote, at: remote)
            var summary = SyncSummary(remote: remote)
            if result.hasNewName {
                try await introduce()
                summary.newReplica = replica
                return report(summary)
            }
            if Task.isCancelled { return }
            try judge(result.standing, &summary)
            if !summary.quarantined.isEmpty {
                try remember(summary, failure: nil)
                return report(summary)
            }
            guard case .close(let reason) = result.standing.ending else { return }
            throw StoreError(endedAt: remote.address, reason: reason)
        } catch {
            if Task.isCancelled { return }
            let described = Self.describe(error, at: remote, file: files.log)
            try? remember(SyncSummary(remote: remote), failure: described)
            throw described
        }
    }

    /// Ends the reports and waits for the last one, so that it does not write at the same time as what follows.
    private static func end(
        _ reporting: Task<Void, Never>, _ sink: AsyncStream<ConnectionStanding>.Continuation
    ) async {
        sink.finish()
        reporting.cancel()
        await reporting.value
    }
}

extension ConnectionStanding {
    /// Returns whether there was any traffic, or another manifest of the peer, since `previous`.
    func isNews(after previous: ConnectionStanding?) -> Bool {
        guard let previous else { return true }
        return traffic.sentEvents != previous.traffic.sentEvents
            || traffic.receivedEvents != previous.traffic.receivedEvents
            || remote != previous.remote
    }
}

extension SyncSummary {
    /// The traffic since `previous`.
    init(_ remote: Remote, _ standing: ConnectionStanding, since previous: ConnectionStanding?) {
        self.init(remote: remote)
        add(standing)
        guard let previous else { return }
        sentEvents -= previous.traffic.sentEvents
        sentBytes -= previous.traffic.sentBytes
        receivedEvents -= previous.received.newCount
        returnedEvents -= previous.received.returnedCount
        receivedBytes -= previous.traffic.receivedBytes
        pending.removeFirst(previous.received.pending.count)
    }
}

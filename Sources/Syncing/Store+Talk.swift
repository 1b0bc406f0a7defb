import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore

/// The result of a peer connection.
package struct ConnectionResult: Sendable {
    /// What was sent and received.
    package var standing: ConnectionStanding
    /// Whether the store now continues as another replica than the one it connected as, and has to connect again.
    package var hasNewName = false
}

extension Store {
    /// Runs a peer connection: sends what is written here as it is written, and receives events.
    ///
    /// It ends when both sides are caught up, if `endsWhenDone` is `true`; when one side stops it; when
    /// synchronisation is switched off; when the store is suspended, for which it waits before it begins; and when this store turns out to be, or becomes, another replica than the one
    /// it connected as.
    ///
    /// - Parameter report: Called after each piece of work, on the connection's queue: it must be brief.
    /// - Throws: `ConnectionError`, or the errors of the log. What was received before is in the log.
    package func runConnection(
        over connection: some PeerConnection, endsWhenDone: Bool,
        report: @escaping @Sendable (ConnectionStanding) -> Void = { _ in }
    ) async throws -> ConnectionResult {
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        guard await usage.follow() else { throw CancellationError() }
        defer { usage.end() }
        try await introduce()
        let identity = writer.identity
        let seen = commits.generation
        let storeLog = StoreLog(store: self)
        let following = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.passOn(to: connection, as: identity.replica, beyond: seen) }
                group.addTask { await self.watchSwitch(of: connection) }
                group.addTask { await Self.fillNowAndThen(storeLog) }
                group.addTask { await self.endWhenSuspended(connection) }
            }
        }
        defer { following.cancel() }
        var result = ConnectionResult(standing: ConnectionStanding())
        do {
            result.standing = try await connection.run(endsWhenDone: endsWhenDone, report: report) { [surroundings] in
                try SessionRunner(storeLog, as: identity, now: surroundings.now)
            }
            result.hasNewName = result.standing.wasPutBack || !isClaimed(by: identity.replica)
            try storeLog.fill()
        } catch {
            // A log that is cleared during a connection may end it with any error.
            if isClaimed(by: identity.replica) { throw error }
            result.standing = connection.standing
            result.hasNewName = true
        }
        return result
    }

    private func isClaimed(by replica: ReplicaID) -> Bool { (try? log.claim()?.replica) == replica }

    /// Notifies the connection of every commit.
    private func passOn(to connection: some PeerConnection, as replica: ReplicaID, beyond first: UInt64) async {
        var seen = first
        while !Task.isCancelled {
            await commits.wait(beyond: seen)
            seen = commits.generation
            if Task.isCancelled { return }
            guard isClaimed(by: replica) else {
                return connection.stop(reason: Session.newName)
            }
            connection.logChanged()
        }
    }

    /// Stores received values in the pauses of a connection, which may last for days.
    private static func fillNowAndThen(_ storeLog: StoreLog) async {
        while (try? await Task.sleep(for: .seconds(2))) != nil {
            do { try storeLog.fillIfIdle() } catch {
                Subsystem.replication.logger.warning(
                    "received values could not be stored and are requested again",
                    metadata: ["reason": "\(Subsystem.reason(of: error))"])
            }
        }
    }

    private func endWhenSuspended(_ connection: some PeerConnection) async {
        await usage.untilSuspended()
        if !Task.isCancelled { connection.stop(reason: suspended) }
    }

    /// Ends the connection soon after synchronisation was switched off.
    private func watchSwitch(of connection: some PeerConnection) async {
        while !Task.isCancelled {
            if (try? isSyncOff()) == true { return connection.stop(reason: switchedOff) }
            try? await Task.sleep(for: .seconds(2))
        }
    }
}

/// The reason that a store gives when it ends a connection because synchronisation was switched off.
package let switchedOff = "synchronising is switched off there"

/// The reason that a store gives when it ends a connection because it is being suspended.
package let suspended = "the program there was put in the background"

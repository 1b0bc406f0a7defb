import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveStore

/// The result of a peer connection.
package struct ConnectionResult: Sendable {
    /// What was sent and received.
    package var standing = ConnectionStanding()
    /// Whether the store now continues as another replica than the one it connected as, and has to connect again.
    package var hasNewName = false
    /// Why the connection broke off: a `ConnectionError`, or an error of the log.
    package var failure: (any Error)?
}

extension Store {
    /// Runs a peer connection: sends what is written here as it is written, and receives events.
    ///
    /// It ends when both sides are caught up, if `endsWhenDone` is `true`; when one side stops it; when
    /// synchronisation is switched off; when the log is sealed, or the other side is excluded from it; when the store is
    /// suspended, for which it waits before it begins; and when this store turns out to be, or becomes, another replica than
    /// the one it connected as.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses. It is closed when this returns or throws.
    ///   - role: Whether this end has connected or was connected to; `nil` if neither.
    ///   - report: Called after each piece of work, on the connection's queue: it must be brief.
    /// - Returns: What was sent and received, also if the connection broke off. What was received is in the log.
    /// - Throws: As ``secured(_:as:_:within:)``; the errors of the log. Then nothing was said.
    package func runConnection(
        over stream: any ByteStream, as role: SecureStream.Role?, endsWhenDone: Bool,
        limits: ConnectionLimits = ConnectionLimits(),
        report: @escaping @Sendable (ConnectionStanding) -> Void = { _ in }
    ) async throws -> ConnectionResult {
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        guard await usage.follow() else {
            await stream.close()
            throw CancellationError()
        }
        defer { usage.end() }
        let (identity, seen): (Identity, UInt64)
        do {
            try await introduce()
            (identity, seen) = (writer.identity, commits.generation)
        } catch {
            await stream.close()
            throw error
        }
        let (secured, peer) = try await secured(stream, as: role, identity, within: limits.hello)
        let connection = StreamConnection(secured, limits: limits)
        let storeLog = StoreLog(store: self)
        let following = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.passOn(to: connection, as: identity.replica, beyond: seen) }
                group.addTask { await self.watchSwitch(of: connection) }
                group.addTask { await self.watchMembership(of: connection, peer, beyond: seen) }
                group.addTask { await Self.fillNowAndThen(storeLog) }
                group.addTask { await self.endWhenSuspended(connection) }
            }
        }
        defer { following.cancel() }
        var result = ConnectionResult()
        do {
            result.standing = try await connection.run(endsWhenDone: endsWhenDone, report: report) { [surroundings] in
                try SessionRunner(storeLog, as: identity, with: peer, now: surroundings.now)
            }
            result.hasNewName = result.standing.wasPutBack || !isClaimed(by: identity.replica)
            try storeLog.fill()
        } catch {
            result.standing = connection.standing
            // A log that is cleared during a connection may end it with any error.
            result.hasNewName = !isClaimed(by: identity.replica)
            if !result.hasNewName { result.failure = error }
        }
        return result
    }

    private func isClaimed(by replica: ReplicaID) -> Bool { (try? log.claim()?.replica) == replica }

    /// Notifies the connection of every commit.
    private func passOn(to connection: StreamConnection, as replica: ReplicaID, beyond first: UInt64) async {
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

    /// Ends the connection soon after the other side was excluded from the log, or after a log became sealed about which
    /// both sides talk openly: as soon as the other side knows that it is, since that stands in the log.
    private func watchMembership(of connection: StreamConnection, _ peer: ReplicaID?, beyond first: UInt64) async {
        var seen = first
        while !Task.isCancelled {
            if let peer {
                if (try? belongs(peer)) == false { return connection.stop(reason: excluded) }
            } else if (try? isSealed()) == true {
                connection.logChanged()
                for _ in 0..<100 {
                    try? await Task.sleep(for: .milliseconds(100))
                    if connection.standing.isDone { break }
                }
                return connection.stop(reason: becameSealed)
            }
            await commits.wait(beyond: seen)
            seen = commits.generation
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

    private func endWhenSuspended(_ connection: StreamConnection) async {
        await usage.untilSuspended()
        if !Task.isCancelled { connection.stop(reason: suspended) }
    }

    /// Ends the connection soon after synchronisation was switched off.
    private func watchSwitch(of connection: StreamConnection) async {
        while !Task.isCancelled {
            if (try? isSyncOff()) == true { return connection.stop(reason: switchedOff) }
            try? await Task.sleep(for: .seconds(2))
        }
    }
}

/// The reason that a store gives when it ends a connection because synchronisation was switched off.
package let switchedOff = "synchronising is switched off there"

/// The reason that a store gives when it ends a connection because the device at the other end no longer belongs to the log.
package let excluded = "this device does not belong to the log any more"

/// The reason that a store gives when it ends an open connection because the log was sealed.
package let becameSealed = "the log is sealed now"

/// The reason that a store gives when it ends a connection because it is being suspended.
package let suspended = "the program there was put in the background"

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
    /// The device that was let into the log, since it has connected with a code of this one and nobody else has used that.
    package var admitted: [ReplicaID] = []
    /// The devices that were not, since several have used one code.
    package var refused: [ReplicaID] = []
    /// Why the connection broke off: a `ConnectionError`, or an error of the log.
    package var failure: (any Error)?
}

extension Store {
    /// Runs a peer connection: sends what is written here as it is written, and receives events.
    ///
    /// It ends when both sides are caught up, if `endsWhenDone` is `true` and neither joins with a code; once a device that
    /// joins with one belongs to the log; when one side stops it; when synchronisation is switched off; when the log is sealed,
    /// or the other side is excluded from it; when the store is suspended, for which it waits before it begins; and when this
    /// store turns out to be, or becomes, another replica than the one it connected as.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses. It is closed when this returns or throws.
    ///   - role: Whether this end has connected or was connected to; `nil` if neither.
    ///   - code: The code with which this device has connected, and lets itself into the log.
    ///   - report: Called after each piece of work, on the connection's queue: it must be brief.
    /// - Returns: What was sent and received, also if the connection broke off. What was received is in the log.
    /// - Throws: As ``secured(_:as:_:within:)``; the errors of the log. Then nothing was said.
    package func runConnection(
        over stream: any ByteStream, as role: SecureStream.Role?, endsWhenDone: Bool, entering code: KnownCode? = nil,
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
        let secured = try await secured(stream, as: role, identity, within: limits.hello)
        let connection = StreamConnection(secured.stream, limits: limits)
        let storeLog = StoreLog(store: self)
        let following = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.passOn(to: connection, as: identity.replica, beyond: seen) }
                group.addTask { await self.watchTime(of: connection, secured) }
                group.addTask { await Self.fillNowAndThen(storeLog) }
                group.addTask { await self.endWhenSuspended(connection) }
                // Who joins knows only at the end who belongs.
                if code == nil {
                    group.addTask { await self.watchMembership(of: connection, secured, beyond: seen) }
                }
            }
        }
        let entering = code.map { code in Task { await self.enter(by: code, connection) } }
        defer { following.cancel() }
        var result = ConnectionResult()
        do {
            let endsWhenDone = endsWhenDone && code == nil && secured.invitation == nil
            result.standing = try await connection.run(endsWhenDone: endsWhenDone, report: report) { [surroundings] in
                try SessionRunner(storeLog, as: identity, with: secured.peer, now: surroundings.now)
            }
            result.hasNewName = result.standing.wasPutBack || !isClaimed(by: identity.replica)
            try storeLog.fill()
        } catch {
            result.standing = connection.standing
            // A log that is cleared during a connection may end it with any error.
            result.hasNewName = !isClaimed(by: identity.replica)
            if !result.hasNewName { result.failure = error }
        }
        entering?.cancel()
        if let error = await entering?.value { result.failure = error }
        if secured.invitation != nil { (result.admitted, result.refused) = try await endInvitations() }
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

    /// Lets this device into the log once everything is here, and ends the connection once the other side has what says so.
    ///
    /// - Returns: The error of the log; then the connection was ended, too.
    private func enter(by code: KnownCode, _ connection: StreamConnection) async -> (any Error)? {
        var hasEntered = false
        defer { connection.stop() }
        do {
            while !Task.isCancelled {
                let standing = connection.standing
                if standing.isDone, !hasEntered {
                    _ = try await enter(by: code)
                    hasEntered = true
                }
                if hasEntered, let there = standing.remote?.vector, try there.covers(log.vector()) { break }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return nil
        } catch { return error }
    }

    /// Ends the connection soon after the other side was excluded from the log, or after a log became sealed about which
    /// both sides talk openly: as soon as the other side knows that it is, since that stands in the log.
    private func watchMembership(
        of connection: StreamConnection, _ secured: SecuredStream, beyond first: UInt64
    ) async {
        var seen = first
        while !Task.isCancelled {
            if let peer = secured.peer {
                let isWelcome = try? belongs(peer) || secured.invitation.map(belongs) ?? false
                if isWelcome == false { return connection.stop(reason: excluded) }
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

    /// Ends the connection soon after synchronisation was switched off, and that of a device which joins with a code soon after
    /// it belongs, or when the code ends: until then nobody else may use the code.
    private func watchTime(of connection: StreamConnection, _ secured: SecuredStream) async {
        while !Task.isCancelled {
            if (try? isSyncOff()) == true { return connection.stop(reason: switchedOff) }
            if let end = secured.end, let peer = secured.peer {
                if surroundings.now().wallMilliseconds >= end { return connection.stop(reason: excluded) }
                if connection.standing.isDone, (try? belongs(peer)) == true { return connection.stop() }
            }
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

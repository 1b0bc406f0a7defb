import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveStore

/// The stream over which two stores of a log talk with each other.
package struct SecuredStream {
    /// The stream: if the log is sealed, nobody else can read what is said.
    package let stream: any ByteStream
    /// The replica that the other end has proved to be; `nil` if the log is not sealed.
    package var peer: ReplicaID?
    /// The invitation of this device with whose code the other end has connected, which need not belong to the log itself.
    package var invitation: ReplicaID?
    /// When that ends: milliseconds since 1970.
    package var end: Int64?
}

extension Store {
    /// Returns the stream over which the stores of the log talk with each other: if the log is sealed, both ends have proved
    /// that they belong to it, or the other end that it has a code of this device. Then it was sent the keys of the log.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses; or one on which both ends have proved themselves already.
    ///   - role: Whether this end has connected to the other one or the other way round; `nil` if neither: then both agree on it.
    ///   - identity: The identity of this device.
    ///   - limit: The time for the proofs.
    /// - Throws: ``ConnectionError``; ``StoreError`` with code `notPermitted` if this device has no key of the log;
    ///   `CancellationError` if the task is cancelled. Then `stream` is closed, and the other end was told nothing.
    package func secured(
        _ stream: any ByteStream, as role: SecureStream.Role?, _ identity: Identity,
        within limit: Duration = ConnectionLimits().hello
    ) async throws -> SecuredStream {
        if let stream = stream as? SecureStream { return SecuredStream(stream: stream, peer: stream.peer) }
        do {
            guard try isSealed() else { return SecuredStream(stream: stream) }
            guard let keys = try describing({ try logKeys() }) else {
                throw StoreError(
                    .notPermitted, "The log is sealed, and this device has no key of it.",
                    hint:
                        "A device that belongs to the log can approve this one: \(.approveDevice(identity.replica.short))"
                )
            }
            let invitations = role == .initiator ? [] : try describing { try usableInvitations() }
            let stream = try await stream.within(limit) {
                let role =
                    if let role { role } else {
                        try await SecureStream.agreedRole(over: stream, surroundings.generator)
                    }
                let stream = try await SecureStream.opened(
                    over: stream, as: role, secret: keys.keyring.namesKey, invitations: invitations.map(\.secret),
                    identity: identity
                ) { _, replica in (try? belongs(replica)) ?? false }
                if let index = stream.invitation {
                    try await stream.write(try describing { try keyFile(of: invitations[index]) })
                }
                return stream
            }
            let invitation = stream.invitation.map { invitations[$0] }
            return SecuredStream(
                stream: stream, peer: stream.peer, invitation: invitation.flatMap { ReplicaID(text: $0.replica) },
                end: invitation?.end)
        } catch {
            await stream.close()
            throw error
        }
    }

    /// Returns whether a device belongs to the sealed log.
    func belongs(_ device: ReplicaID) throws -> Bool {
        guard let roster = try log.roster() else { return false }
        return roster.isMember(try log.streams().origin(of: device))
    }

    /// Returns the first message of the device at a host, over the stream that the stores of the log use.
    func greeting(of remote: Remote, _ host: String, _ port: Int) async throws -> (
        greeting: Greeting, duration: Duration
    ) {
        try await components.dialer(for: remote.address).greeting(of: host, port) { stream in
            guard let identity = self.ownIdentity else { return stream }
            return try await self.secured(stream, as: .initiator, identity).stream
        }
    }
}

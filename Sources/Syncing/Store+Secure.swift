import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveStore

extension Store {
    /// Returns the stream over which the stores of the log talk with each other: if the log is sealed, both ends have proved
    /// that they belong to it, and nobody else can read what is said.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses.
    ///   - role: Whether this end has connected to the other one or the other way round; `nil` if neither: then both agree on it.
    ///   - identity: The identity of this device.
    ///   - limit: The time for the proofs.
    /// - Returns: The stream, and the replica at its other end; `nil` if that one need not prove anything.
    /// - Throws: ``ConnectionError``; ``StoreError`` with code `notPermitted` if this device has no key of the log;
    ///   `CancellationError` if the task is cancelled. Then `stream` is closed, and the other end was told nothing.
    package func secured(
        _ stream: any ByteStream, as role: SecureStream.Role?, _ identity: Identity,
        within limit: Duration = ConnectionLimits().hello
    ) async throws -> (stream: any ByteStream, peer: ReplicaID?) {
        do {
            guard try isSealed() else { return (stream, nil) }
            guard let keys = try describing({ try logKeys() }) else {
                throw StoreError(
                    .notPermitted, "The log is sealed, and this device has no key of it.",
                    hint:
                        "A device that belongs to the log can approve this one: \(.approveDevice(identity.replica.short))"
                )
            }
            let stream = try await stream.within(limit) {
                let role =
                    if let role { role } else {
                        try await SecureStream.agreedRole(over: stream, surroundings.generator)
                    }
                return try await SecureStream.opened(
                    over: stream, as: role, secret: keys.keyring.namesKey, identity: identity
                ) { _, replica in (try? belongs(replica)) ?? false }
            }
            return (stream, stream.peer)
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

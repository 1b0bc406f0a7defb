import Crypto
import Foundation
import GroundwaveEvents
import GroundwavePeering
import GroundwaveSealing

extension SecureStream {
    /// What both ends must agree on besides the secret: the version of what they say.
    package static let prologue = Array("groundwave connection 1".utf8)

    /// Proves to the other end of `stream` that this device belongs to the log, and has it prove the same.
    ///
    /// There is no time limit here: whoever calls this closes `stream` when ``ConnectionLimits/hello`` has passed. When this
    /// throws, `stream` is closed, and the other end was not told why.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses.
    ///   - role: The other end must have the other role: whoever connects is the initiator.
    ///   - secret: The 32 bytes that every device of the log knows, and nobody else: the key of names. A device that has a code
    ///     of the log has the secret of that code in its place.
    ///   - invitations: The secrets of codes with which other devices may connect to this one, 32 bytes each.
    ///   - identity: The identity of this device.
    ///   - ephemeralSecret: The 32 bytes of the ephemeral key, for tests with known results; otherwise it comes from the
    ///     system's randomness.
    ///   - belongs: Whether the replica that the other end has proved to be, with its public key, belongs to the log. Not asked
    ///     about a device that has connected with one of `invitations`.
    /// - Throws: ``ConnectionError``, or the error of `stream`.
    package static func opened(
        over stream: any ByteStream, as role: Role, secret: [UInt8], invitations: [[UInt8]] = [], identity: Identity,
        ephemeralSecret: [UInt8]? = nil,
        belongs: (_ publicKey: [UInt8], _ replica: ReplicaID) -> Bool
    ) async throws -> SecureStream {
        let attempts = ([secret] + (role == .responder ? invitations : [])).map {
            NoiseHandshake(as: role, psk: preSharedKey(of: $0), prologue: prologue, ephemeralSecret: ephemeralSecret)
        }
        do {
            let (handshake, index) = try await finish(attempts, as: role, over: stream)
            let (sending, receiving) = handshake.ciphers()
            var (opener, sealer) = (RecordOpener(receiving), RecordSealer(sending))
            let proof = IdentityProof.bytes(of: identity, as: role, handshake.hash)
            if role == .responder { try await stream.write(sealer.record(proof)) }
            let peer = try await peer(of: &opener, as: role, handshake.hash, over: stream) {
                index > 0 || belongs($0, $1)
            }
            if role == .initiator { try await stream.write(sealer.record(proof)) }
            return SecureStream(
                stream, as: role, with: peer, invitation: index > 0 ? index - 1 : nil, opener, sealer)
        } catch {
            await stream.close()
            throw error
        }
    }

    /// Returns the role of this end of a stream of which neither end has connected to the other: each says a random number, and
    /// the one with the greater number is the initiator.
    ///
    /// - Throws: ``ConnectionError/cut`` if the stream ends, or both numbers are the same; the error of `stream`.
    package static func agreedRole(
        over stream: any ByteStream, _ generator: some RandomNumberGenerator & Sendable
    ) async throws -> Role {
        var generator = generator
        return try await agreedRole(over: stream, saying: randomBytes(roleNumberSize, using: &generator))
    }

    /// Makes this end of such a stream the initiator, by saying the greatest number: that of a device that has a code of the log
    /// in place of its secret, since the responder finds out which of both it is.
    ///
    /// - Throws: As ``agreedRole(over:_:)``.
    package static func claimInitiator(over stream: any ByteStream) async throws {
        _ = try await agreedRole(over: stream, saying: [UInt8](repeating: 0xFF, count: roleNumberSize))
    }

    private static func agreedRole(over stream: any ByteStream, saying own: [UInt8]) async throws -> Role {
        // At once, since neither may be taken before it is read.
        async let writing: Void = stream.write(own)
        var other: [UInt8] = []
        while other.count < own.count {
            guard let part = try await stream.read(upTo: own.count - other.count), !part.isEmpty else {
                throw ConnectionError.cut
            }
            other += part
        }
        try await writing
        guard own != other else { throw ConnectionError.cut }
        return other.lexicographicallyPrecedes(own) ? .initiator : .responder
    }

    /// The size in bytes of the number with which an end asks for its role.
    private static let roleNumberSize = 16

    /// Exchanges the two messages of one of the handshakes `attempts`, each with another secret: the responder takes the one whose
    /// secret the initiator knows. Returns it, finished, and which one it is.
    private static func finish(
        _ attempts: [NoiseHandshake], as role: Role, over stream: any ByteStream
    ) async throws -> (NoiseHandshake, Int) {
        var attempts = attempts
        if role == .initiator { try await stream.write(attempts[0].message()) }
        var message: [UInt8] = []
        while message.count < NoiseHandshake.messageSize {
            message += try await part(of: stream, upTo: NoiseHandshake.messageSize - message.count, as: role)
        }
        for index in attempts.indices where attempts[index].read(message) != nil {
            if role == .responder { try await stream.write(attempts[index].message()) }
            return (attempts[index], index)
        }
        throw ConnectionError.stranger
    }

    /// Reads the proof of the other end.
    private static func peer(
        of opener: inout RecordOpener, as role: Role, _ hash: [UInt8], over stream: any ByteStream,
        _ belongs: (_ publicKey: [UInt8], _ replica: ReplicaID) -> Bool
    ) async throws -> ReplicaID {
        var proof: [UInt8]?
        while proof == nil {
            proof = try opener.add(
                try await part(of: stream, upTo: opener.missingCount, as: role), limit: IdentityProof.size)
        }
        guard let publicKey = IdentityProof.publicKey(provedBy: proof ?? [], as: role.other, hash) else {
            throw ConnectionError.unproven
        }
        let replica = Identity.replica(publicKey: publicKey)
        guard belongs(publicKey, replica) else { throw ConnectionError.notMember(replica) }
        return replica
    }

    private static func part(of stream: any ByteStream, upTo limit: Int, as role: Role) async throws -> [UInt8] {
        guard let part = try await stream.read(upTo: limit), !part.isEmpty else {
            throw role == .initiator ? ConnectionError.turnedAway : .cut
        }
        return part
    }

    /// Returns the pre-shared key of the handshake: HKDF with SHA-256 (RFC 5869) of the secret, without salt and with the
    /// info `groundwave connection`.
    package static func preSharedKey(of secret: [UInt8]) -> [UInt8] {
        precondition(secret.count == 32, "The secret of a log has 32 bytes.")
        let extracted = HKDF<SHA256>.extract(inputKeyMaterial: SymmetricKey(data: secret), salt: [UInt8]())
        // The first 32 bytes of an expansion are one HMAC (section 2.3).
        let info = Array("groundwave connection".utf8) + [1]
        return Array(HMAC<SHA256>.authenticationCode(for: info, using: SymmetricKey(data: Data(extracted))))
    }
}

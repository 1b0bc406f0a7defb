import Crypto
import Foundation
import GroundwaveSealing

/// The two messages with which both ends of a connection agree on fresh keys, and learn that the other one knows the same
/// secret: the handshake `NNpsk0` of the Noise Protocol Framework, revision 34, sections 7 and 9. Without I/O.
///
/// ```
/// -> psk, e
/// <- e, ee
/// ```
///
/// | size | of both messages |
/// |---|---|
/// | 32 | ephemeral public key, X25519 |
/// | … | payload, encrypted; empty in a connection of two stores |
/// | 16 | tag |
///
/// Whoever does not know the secret can neither make a message nor tell it from random bytes, except that not every 32
/// bytes are a public key. The keys that come out are forgotten with the connection, so one that was recorded stays sealed
/// when the secret is found later.
package struct NoiseHandshake: Secret {
    /// The end of a connection.
    package enum Role: UInt8, Sendable {
        /// The end that speaks first.
        case initiator = 1
        /// The end that answers.
        case responder = 2

        /// The role of the other end.
        package var other: Role { self == .initiator ? .responder : .initiator }
    }

    /// The size in bytes of a message without payload.
    package static let messageSize = keySize + NoiseCipher.tagSize
    private static let keySize = 32
    private static let protocolName = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"

    private let role: Role
    private let psk: [UInt8]
    private let ephemeral: Curve25519.KeyAgreement.PrivateKey
    private var state: NoiseSymmetricState
    private var messageCount = 0
    /// The shared secret of both ephemeral keys, once the other end's public key was read.
    private var shared: SharedSecret?

    /// The beginning of a handshake.
    ///
    /// - Parameters:
    ///   - psk: The 32 bytes that both ends know, and nobody else.
    ///   - prologue: What both ends must agree on besides; it is not secret.
    ///   - ephemeralSecret: The 32 bytes of the ephemeral key, for tests with known results; otherwise it comes from the
    ///     system's randomness, and is used once.
    package init(as role: Role, psk: [UInt8], prologue: [UInt8], ephemeralSecret: [UInt8]? = nil) {
        precondition(psk.count == 32, "A pre-shared key has 32 bytes.")
        self.role = role
        self.psk = psk
        ephemeral =
            ephemeralSecret.flatMap { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            ?? Curve25519.KeyAgreement.PrivateKey()
        state = NoiseSymmetricState(protocolName: Self.protocolName, prologue: prologue)
    }

    /// The hash of the handshake, 32 bytes: once it is finished, no other connection has the same.
    package var hash: [UInt8] { state.hash }

    /// Returns the message of this end.
    package mutating func message(_ payload: [UInt8] = []) -> [UInt8] {
        precondition(messageCount == (role == .initiator ? 0 : 1), "The initiator's message is the first of two.")
        let publicKey = [UInt8](ephemeral.publicKey.rawRepresentation)
        add(publicKey)
        return publicKey + state.seal(payload)
    }

    /// Reads the message of the other end and returns its payload; `nil` if the other end has another secret or prologue,
    /// or the message was changed. Then the handshake is over.
    package mutating func read(_ message: [UInt8]) -> [UInt8]? {
        precondition(messageCount == (role == .initiator ? 1 : 0), "The initiator's message is the first of two.")
        guard message.count >= Self.messageSize else { return nil }
        let publicKey = Array(message.prefix(Self.keySize))
        // With a few public keys the shared secret is always zeros (RFC 7748, section 6.1).
        guard let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            RecipientKey.isUsable(publicKey), let shared = try? ephemeral.sharedSecretFromKeyAgreement(with: other)
        else { return nil }
        self.shared = shared
        add(publicKey)
        return state.open(Array(message.dropFirst(Self.keySize)))
    }

    /// Adds what is before the payload of the next message, which has this public key.
    ///
    /// | message | token | |
    /// |---|---|---|
    /// | 1 | `psk` | the secret goes into the keys and the hash |
    /// | 1, 2 | `e` | the public key goes into the hash, and also into the keys, since there is a `psk` (section 9.2) |
    /// | 2 | `ee` | the shared secret of both ephemeral keys goes into the keys |
    private mutating func add(_ publicKey: [UInt8]) {
        messageCount += 1
        if messageCount == 1 { state.mixKeyAndHash(psk) }
        state.mixHash(publicKey)
        state.mixKey(publicKey)
        if messageCount == 2, let shared { state.mixKey(shared) }
    }

    /// Returns the ciphers of the connection, after both messages.
    package func ciphers() -> (sending: NoiseCipher, receiving: NoiseCipher) {
        precondition(messageCount == 2, "A handshake has two messages.")
        let (initiator, responder) = state.split()
        return role == .initiator ? (initiator, responder) : (responder, initiator)
    }
}

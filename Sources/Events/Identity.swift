import ByteCoding
import Crypto
import Foundation

/// The private key of a replica, and the replica's identifier, which is derived from it.
///
/// It lies in a file of mode 0600 beside the log and goes into no backup, bundle or sync.
public struct Identity: Sendable {
    private let key: SigningKey
    /// The first 16 bytes of the SHA-256 of the public key.
    public let replica: ReplicaID

    /// A new identity from the system's randomness.
    public init() { self.init(key: Curve25519.Signing.PrivateKey()) }

    /// A new identity from another source of randomness, which must be unpredictable.
    public static func random(using generator: inout some RandomNumberGenerator) -> Identity {
        let numbers = (0..<4).map { _ in generator.next() }
        let secret = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        // Any 32 bytes are a key (RFC 8032, section 5.1.5).
        guard let identity = Identity(secret: secret) else { preconditionFailure("32 bytes are a key.") }
        return identity
    }

    /// The identity with the 32 bytes `secret`, or `nil` if they are not a key.
    public init?(secret: [UInt8]) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret) else { return nil }
        self.init(key: key)
    }

    private init(key: Curve25519.Signing.PrivateKey) { self.init(.ed25519(key)) }

    init(_ key: SigningKey) {
        self.key = key
        replica = Self.replica(publicKey: key.publicKey)
    }

    /// The 32 bytes of the private key.
    public var secret: [UInt8] { key.secret }

    /// The 32 bytes of the public key, which event 1 of the replica publishes.
    public var publicKey: [UInt8] { key.publicKey }

    /// The replica that a public key belongs to.
    public static func replica(publicKey: [UInt8]) -> ReplicaID {
        let hash = publicKey.withSpan { Hash256(hashing: $0) }
        return ReplicaID(high: hash.id.high, low: hash.id.low)
    }

    /// The signature of `message` by this key: 64 bytes, Ed25519.
    ///
    /// Each type of message begins with a distinct prefix, so that a signature of one is never valid for another.
    public func sign(_ message: [UInt8]) -> [UInt8] { key.sign(message) }

    /// Whether `signature` is a signature of `message` by the key. Cost: about 0.1 ms.
    public static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard publicKey.count == 32 else { return false }
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        return key?.isValidSignature(signature, for: message) ?? false
    }

    /// Signs that this replica has `sequence` events in `log`, with `root` over them.
    public func sign(log: LogID, sequence: SequenceNumber, root: Hash256) -> SignedHead {
        SignedHead(
            log: log, replica: replica, sequence: sequence, root: root, publicKey: publicKey,
            signature: sign(SignedHead.message(log, replica, sequence, root)))
    }
}

import ByteCoding
import Crypto
import Foundation

/// The key with which a replica signs.
enum SigningKey: Sendable {
    /// A secret key.
    case ed25519(Curve25519.Signing.PrivateKey)
    /// A cheap substitute for simulations of thousands of histories a minute: see ``Identity/init(standIn:)``.
    case standIn([UInt8])

    /// The 32 bytes of the private key.
    var secret: [UInt8] {
        switch self {
        case .ed25519(let key): [UInt8](key.rawRepresentation)
        case .standIn(let bytes): bytes
        }
    }

    /// The 32 bytes of the public key.
    var publicKey: [UInt8] {
        switch self {
        case .ed25519(let key): [UInt8](key.publicKey.rawRepresentation)
        case .standIn(let bytes): bytes
        }
    }

    /// The signature of `message`: 64 bytes.
    func sign(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .ed25519(let key):
            // Signing with a key that was read successfully cannot fail (RFC 8032, section 5.1.6).
            guard let signature = try? key.signature(for: message) else { preconditionFailure("A key can sign.") }
            return [UInt8](signature)
        case .standIn(let bytes): return Identity.standInSignature(of: message, by: bytes)
        }
    }
}

extension Identity {
    /// An identity without a secret key, for simulations: anyone can make its signatures.
    ///
    /// A real check never accepts them; ``isStandIn(_:of:by:)`` does, at a hundredth of the cost.
    package init(standIn number: UInt64) {
        var writer = ByteWriter(capacity: 32)
        for _ in 0..<4 { writer.append(littleEndian: number) }
        self.init(.standIn(writer.bytes))
    }

    /// Whether `signature` is a signature of `message` by a stand-in identity.
    package static func isStandIn(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        signature == standInSignature(of: message, by: publicKey)
    }

    fileprivate static func standInSignature(of message: [UInt8], by publicKey: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        let hash = (publicKey + message).withSpan { Hash256(hashing: $0) }
        for _ in 0..<2 { writer.append(hash) }
        return writer.bytes
    }
}

extension SignedHead {
    /// Checks like ``check()``, for heads of stand-in identities.
    package func checkStandIn() throws(SignedHeadError) {
        guard publicKey.count == 32, Identity.replica(publicKey: publicKey) == replica else { throw .foreignKey }
        guard Identity.isStandIn(signature, of: Self.message(log, replica, sequence, root), by: publicKey) else {
            throw .wrongSignature
        }
    }
}

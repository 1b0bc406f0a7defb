import Crypto
import Foundation
import GroundwaveEvents

/// A private key that the key of an epoch can be wrapped for: X25519 (RFC 7748).
///
/// It is never random, but derived from something that a device or a person has anyway.
package struct RecipientKey: Secret {
    /// The key itself.
    let key: Curve25519.KeyAgreement.PrivateKey

    /// The key of a device, derived from its identity.
    package init(identity: Identity) {
        self.init(derived: DerivedKey.bytes(from: identity.secret, for: "groundwave recipient"))
    }

    /// - Parameter bytes: 32, from a derivation.
    init(derived bytes: [UInt8]) {
        // Any 32 bytes are a key: bits that must have a value are set on use (RFC 7748, section 5).
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            preconditionFailure("32 bytes are a key.")
        }
        self.key = key
    }

    /// The 32 bytes of the public key.
    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    /// Whether keys can be wrapped for a public key: it has 32 bytes, and is none of the few for which everybody could unwrap them.
    package static func isUsable(_ publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey) else { return false }
        return !sharesWithEverybody(key)
    }

    /// Whether a public key is one of the few whose shared secret is zero with every private key, and so known to everybody.
    ///
    /// RFC 9180, section 7.1.4, wants such keys refused; swift-crypto computes with them, as CryptoKit does. A private key
    /// is a multiple of 8 and these points have an order that divides 8, so one private key shows it for all. Cost: 0.05 ms.
    static func sharesWithEverybody(_ publicKey: Curve25519.KeyAgreement.PublicKey) -> Bool {
        guard let secret = try? anybody.sharedSecretFromKeyAgreement(with: publicKey) else { return true }
        return secret == [UInt8](repeating: 0, count: 32)
    }

    private static let anybody = RecipientKey(derived: [UInt8](repeating: 1, count: 32)).key
}

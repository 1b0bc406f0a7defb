import Crypto
import Foundation
import GroundwaveByteCoding
import GroundwaveEvents

/// Why a device that joins believes a key file: it was told of this log, root and key of names by whoever sealed the log.
///
/// Whoever can open a key file can make one for the same recipients, and say in it what it likes. These two it can only copy.
/// They are made when the log is sealed, and copied into each later key file; the MAC is made anew for a new passphrase.
///
/// | size | |
/// |---|---|
/// | 64 | signature by the identity of the recovery phrase, Ed25519 (RFC 8032) |
/// | 32 | MAC: HMAC-SHA256 (RFC 2104) with a key that is derived from the passphrase's: HKDF, `groundwave root` |
///
/// Both are of `groundwave root` in ASCII, the log (16), the root (32) and the SHA-256 of the key of names (32). A log always
/// has a passphrase, and never another phrase.
package struct RootProofs: Sendable {
    /// The size in bytes.
    static let size = 96

    /// The 64 bytes of the signature by the identity of the recovery phrase.
    package let signature: [UInt8]
    /// The 32 bytes of the message authentication code, for whoever knows the passphrase.
    package let mac: [UInt8]

    /// The proofs of a log that is sealed now.
    ///
    /// - Parameters:
    ///   - namesKey: The 32 bytes that the names of objects are sealed with.
    ///   - passphrase: The key that the passphrase stands for.
    package init(
        of log: LogID, _ root: Hash256, namesKey: [UInt8], phrase: RecoveryPhrase, passphrase: RecipientKey
    ) {
        let message = Self.message(log, root, namesKey)
        self.init(signature: phrase.identity.sign(message), mac: Self.mac(of: message, by: passphrase))
    }

    /// - Parameters:
    ///   - signature: 64 bytes.
    ///   - mac: 32 bytes.
    package init(signature: [UInt8], mac: [UInt8]) {
        precondition(signature.count == 64 && mac.count == 32, "A signature has 64 bytes, and a MAC 32.")
        (self.signature, self.mac) = (signature, mac)
    }

    fileprivate static func message(_ log: LogID, _ root: Hash256, _ namesKey: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: 95)
        writer.append(contentsOf: Array(purpose.utf8))
        writer.append(log)
        writer.append(root)
        writer.append(namesKey.withSpan { Hash256(hashing: $0) })
        return writer.bytes
    }

    fileprivate static func mac(of message: [UInt8], by passphrase: RecipientKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key(from: passphrase)))
    }

    fileprivate static func key(from passphrase: RecipientKey) -> SymmetricKey {
        DerivedKey.key(from: Array(passphrase.key.rawRepresentation), for: purpose)
    }

    private static let purpose = "groundwave root"
}

extension KeyFile.Contents {
    /// Whether the recovery phrase has signed what these contents say of the log. Cost: about 0.1 ms.
    ///
    /// - Parameter publicKey: That of the phrase's identity, 32 bytes; no other size is that of a key.
    package func isSigned(by publicKey: [UInt8]) -> Bool {
        Identity.isValid(proofs.signature, of: RootProofs.message(log, root, namesKey), by: publicKey)
    }

    /// Whether somebody who knew the passphrase has confirmed what these contents say of the log.
    ///
    /// The two MACs are compared in constant time. Cost: a few microseconds.
    ///
    /// - Parameter passphrase: The key that the passphrase stands for.
    package func isConfirmed(by passphrase: RecipientKey) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            proofs.mac, authenticating: RootProofs.message(log, root, namesKey), using: RootProofs.key(from: passphrase)
        )
    }

    /// Returns the proofs for a log whose passphrase is another one from now on.
    ///
    /// - Parameter passphrase: The key that the new passphrase stands for.
    package func proofs(for passphrase: RecipientKey) -> RootProofs {
        let message = RootProofs.message(log, root, namesKey)
        return RootProofs(signature: proofs.signature, mac: RootProofs.mac(of: message, by: passphrase))
    }
}

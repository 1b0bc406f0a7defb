import Crypto
import Foundation
import GroundwaveSealing

/// A key that encrypts one message after the other: the `CipherState` of the Noise Protocol Framework, revision 34,
/// section 5.1, with ChaCha20-Poly1305 (section 12.3).
///
/// Each message has the next number as its nonce. So a message opens only where it was sealed: none can be left out,
/// repeated or moved.
package struct NoiseCipher: Secret {
    /// The size in bytes of the tag behind each ciphertext.
    package static let tagSize = 16

    private let key: SymmetricKey
    /// The number of the next message.
    private var nonce: UInt64 = 0

    /// The cipher with a key of 32 bytes, before its first message.
    package init(key: [UInt8]) {
        precondition(key.count == 32, "A key of ChaCha20-Poly1305 has 32 bytes.")
        self.key = SymmetricKey(data: key)
    }

    /// Returns the ciphertext of the next message, with the tag behind it.
    ///
    /// - Parameter covered: What else the tag covers: it must be the same where the message is opened.
    package mutating func seal(_ plain: [UInt8], covering covered: [UInt8] = []) -> [UInt8] {
        guard let box = try? ChaChaPoly.seal(plain, using: key, nonce: nextNonce, authenticating: covered) else {
            preconditionFailure("ChaCha20-Poly1305 seals any message of this size.")
        }
        advance()
        var sealed: [UInt8] = []
        sealed.reserveCapacity(plain.count + Self.tagSize)
        sealed.append(contentsOf: box.ciphertext)
        sealed.append(contentsOf: box.tag)
        return sealed
    }

    /// Opens the next message; `nil` if it is another one, or was changed. Then the cipher is as it was.
    package mutating func open(_ sealed: some Collection<UInt8>, covering covered: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= Self.tagSize else { return nil }
        let (ciphertext, tag) = (Data(sealed.dropLast(Self.tagSize)), Data(sealed.suffix(Self.tagSize)))
        guard let box = try? ChaChaPoly.SealedBox(nonce: nextNonce, ciphertext: ciphertext, tag: tag),
            let plain = try? ChaChaPoly.open(box, using: key, authenticating: covered)
        else { return nil }
        advance()
        return Array(plain)
    }

    // | size | |
    // |---|---|
    // | 4 | zeros |
    // | 8 | number of the message, little-endian |
    private var nextNonce: ChaChaPoly.Nonce {
        let bytes = [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: nonce >> (8 * $0)) }
        guard let nonce = try? ChaChaPoly.Nonce(data: bytes) else { preconditionFailure("12 bytes are a nonce.") }
        return nonce
    }

    private mutating func advance() {
        // At a million messages a second this takes half a million years; Noise reserves the last number.
        precondition(nonce < .max - 1, "A key encrypts less than 2^64 messages.")
        nonce += 1
    }
}

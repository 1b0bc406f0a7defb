import GroundwaveByteCoding
import GroundwaveEvents

/// The public key of a device as six words that two people compare, by eye or by telephone.
///
/// They are the first 66 bits of the SHA-256 of `groundwave fingerprint` in ASCII and the key, most significant bit first,
/// 11 in each word of the list of recovery phrases. To find a key with the words of a given one takes 2^66 attempts.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The six words, in order.
    package let words: [String]

    /// The fingerprint of a public key of 32 bytes.
    package init(of publicKey: [UInt8]) {
        precondition(publicKey.count == 32, "A public key has 32 bytes.")
        let hash = (Array("groundwave fingerprint".utf8) + publicKey).withSpan { Hash256(hashing: $0) }
        var writer = ByteWriter(capacity: 32)
        writer.append(hash)
        words = RecoveryWords.words(for: writer.bytes, count: 6)
    }

    /// The words with spaces between them.
    package var description: String { words.joined(separator: " ") }
}

import GroundwaveByteCoding
import GroundwaveEvents

/// Twelve words on paper, from which a log can be opened when every device is lost.
///
/// They are 128 random bits and the first four bits of their SHA-256, most significant bit first, 11 bits in each word of
/// the list (BIP-39, "Generating the mnemonic"). The keys are derived from the 16 bytes with HKDF and SHA-256, without the
/// function of BIP-39 that makes a seed: 128 bits need no slow one.
package struct RecoveryPhrase: Secret {
    /// The 16 bytes that the words stand for.
    private let entropy: [UInt8]
    /// The number of words.
    package static let wordCount = 12

    /// The phrase of 16 bytes; `nil` if there are not as many.
    package init?(entropy: [UInt8]) {
        guard entropy.count == 16 else { return nil }
        self.entropy = entropy
    }

    /// A new phrase from a source of randomness, which must be unpredictable.
    package static func random(using generator: inout some RandomNumberGenerator) -> RecoveryPhrase {
        RecoveryPhrase(checked: randomBytes(16, using: &generator))
    }

    private init(checked entropy: [UInt8]) { self.entropy = entropy }

    /// Reads a phrase that somebody typed.
    ///
    /// Words may be in any case, cut after their fourth letter, and separated by white space or hyphens.
    ///
    /// - Throws: ``SealingError/wrongWordCount(_:)``, ``SealingError/unknownWord(position:)`` or
    ///   ``SealingError/wrongChecksum``, which one wrong word of the list causes in 15 of 16 cases.
    package init(reading text: String) throws(SealingError) {
        let words = text.lowercased().split { $0.isWhitespace || "-\u{2010}\u{2011}".contains($0) }
        guard words.count == Self.wordCount else { throw .wrongWordCount(words.count) }
        var bytes: [UInt8] = []
        // At most 18 bits that are not yet in a byte.
        var (waiting, bitCount) = (0, 0)
        for (index, word) in words.enumerated() {
            guard let number = RecoveryWords.number(of: String(word)) else { throw .unknownWord(position: index + 1) }
            (waiting, bitCount) = (waiting << 11 | number, bitCount + 11)
            while bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(waiting >> bitCount))
                waiting &= (1 << bitCount) - 1
            }
        }
        guard waiting == Self.checksum(bytes) >> 4 else { throw .wrongChecksum }
        entropy = bytes
    }

    /// The words, in order.
    package var words: [String] {
        RecoveryWords.words(for: entropy + [Self.checksum(entropy)], count: Self.wordCount)
    }

    /// The identity with which whoever has the phrase approves a new device. It is of no log, since the phrase must be
    /// enough where nothing is known of the log.
    package var identity: Identity { DerivedKey.identity(from: entropy, for: "groundwave recovery identity") }

    /// The key that the keys of epochs are wrapped for.
    package var recipient: RecipientKey {
        RecipientKey(derived: DerivedKey.bytes(from: entropy, for: "groundwave recovery recipient"))
    }

    /// The first byte of the hash, of which the phrase has the first four bits.
    private static func checksum(_ entropy: [UInt8]) -> UInt8 {
        UInt8(entropy.withSpan { Hash256(hashing: $0) }.prefix >> 56)
    }
}

import GroundwaveByteCoding
import GroundwaveEvents

/// A code that a device shows and a person types on a new one, which joins the log with it, once.
///
/// It is 80 random bits and the first 16 bits of their SHA-256, in base32: twenty letters and digits, in groups of four. Its keys
/// are derived from the 10 bytes with HKDF and SHA-256. There is no function that is slow on purpose: 2^80 keys are too many to
/// try, as one passphrase of a thousand is not.
package struct InvitationCode: Secret {
    /// The number of random bytes.
    private static let entropySize = 10
    private let entropy: [UInt8]

    /// A new code from a source of randomness, which must be unpredictable.
    package static func random(using generator: inout some RandomNumberGenerator) -> InvitationCode {
        InvitationCode(checked: randomBytes(entropySize, using: &generator))
    }

    private init(checked entropy: [UInt8]) { self.entropy = entropy }

    /// Reads a code that somebody typed: in any case, with hyphens anywhere, O for 0, and I or L for 1.
    ///
    /// - Throws: ``SealingError/wrongCode``, also for one wrong letter, except in one of about 65,000 cases.
    package init(reading text: String) throws(SealingError) {
        let letters = text.filter { !$0.isWhitespace }
        guard let bytes = Base32.decode(letters), bytes.count == Self.entropySize + 2 else { throw .wrongCode }
        let entropy = Array(bytes.prefix(Self.entropySize))
        guard Array(bytes.suffix(2)) == Self.checksum(entropy) else { throw .wrongCode }
        self.entropy = entropy
    }

    /// The code as it is shown.
    package var text: String {
        let letters = Array(Base32.encode(entropy + Self.checksum(entropy)))
        return stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<min($0 + 4, letters.count)]) }
            .joined(separator: "-")
    }

    /// The identity with which whoever has the code lets a device into the log.
    package var identity: Identity { DerivedKey.identity(from: entropy, for: "groundwave invitation identity") }

    /// The key that a key file is wrapped for.
    package var recipient: RecipientKey {
        RecipientKey(derived: DerivedKey.bytes(from: entropy, for: "groundwave invitation recipient"))
    }

    /// The 32 bytes with which whoever has the code connects to the device that has shown it.
    package var connectionSecret: [UInt8] { DerivedKey.bytes(from: entropy, for: "groundwave invitation connection") }

    private static func checksum(_ entropy: [UInt8]) -> [UInt8] {
        let hash = entropy.withSpan { Hash256(hashing: $0) }
        return [UInt8(truncatingIfNeeded: hash.prefix >> 56), UInt8(truncatingIfNeeded: hash.prefix >> 48)]
    }
}

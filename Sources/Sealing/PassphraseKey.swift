import Crypto
import CryptoExtras
import Foundation

/// How a passphrase becomes a key: the parameters of scrypt (RFC 7914), with block size 8 and parallelism 1.
package struct ScryptParameters: Hashable, Sendable {
    /// The binary logarithms of the cost that are computed, from 32 MiB of memory and 0.1 s to 256 MiB and 1 s.
    package static let allowed = 15...18
    /// The size of the salt in bytes.
    static let saltSize = 32

    /// The binary logarithm of the cost N, in ``allowed``.
    package let log2N: Int
    /// 32 bytes, random.
    package let salt: [UInt8]

    /// Checks the parameters, which may come from a file that somebody else wrote. Nothing is computed.
    ///
    /// - Throws: ``SealingError/unacceptableParameters``.
    package init(log2N: Int, salt: [UInt8]) throws(SealingError) {
        guard Self.allowed.contains(log2N), salt.count == Self.saltSize else { throw .unacceptableParameters }
        (self.log2N, self.salt) = (log2N, salt)
    }

    private init(random salt: [UInt8]) { (log2N, self.salt) = (17, salt) }

    /// Parameters for a new passphrase: 128 MiB of memory, and a random salt.
    package static func random(using generator: inout some RandomNumberGenerator) -> ScryptParameters {
        ScryptParameters(random: randomBytes(saltSize, using: &generator))
    }

    /// How much memory the computation needs, in bytes.
    var memoryBytes: Int { 128 * 8 << log2N }
}

extension RecipientKey {
    /// The maximum size of a passphrase in bytes, in the form that it is used in.
    package static let passphraseLimit = 1024

    /// The key that a passphrase stands for.
    ///
    /// The passphrase is brought into Unicode's form NFKC, so that it is the same from every keyboard, and used as UTF-8.
    ///
    /// Cost: 0.1 to 1 s and 32 to 256 MiB of memory, by the parameters.
    ///
    /// - Throws: ``SealingError/unacceptablePassphrase`` if it is empty or too long; ``SealingError/outOfMemory(byteCount:)``.
    package init(passphrase: String, parameters: ScryptParameters) throws(SealingError) {
        let bytes = Array(passphrase.precomposedStringWithCompatibilityMapping.utf8)
        guard (1...Self.passphraseLimit).contains(bytes.count) else { throw .unacceptablePassphrase }
        let key = try? KDF.Scrypt.deriveKey(
            from: bytes, salt: parameters.salt, outputByteCount: 32, rounds: 1 << parameters.log2N, blockSize: 8,
            parallelism: 1)
        guard let key else { throw .outOfMemory(byteCount: parameters.memoryBytes) }
        self.init(derived: key.bytes)
    }
}

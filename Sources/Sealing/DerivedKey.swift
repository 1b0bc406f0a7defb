import Crypto
import GroundwaveByteCoding
import GroundwaveEvents

/// Keys that are derived from another one: HKDF with SHA-256 (RFC 5869).
enum DerivedKey {
    /// Returns a key for one purpose.
    ///
    /// - Parameters:
    ///   - secret: The key that it is derived from.
    ///   - purpose: ASCII text: keys for different purposes have nothing to do with each other.
    ///   - byteCount: From 1 to 8160.
    static func key(from secret: [UInt8], salt: [UInt8] = [], for purpose: String, byteCount: Int = 32) -> SymmetricKey
    {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), salt: salt, info: Array(purpose.utf8),
            outputByteCount: byteCount)
    }

    /// Returns the identity whose private key is the same key.
    static func identity(from secret: [UInt8], for purpose: String) -> Identity {
        guard let identity = Identity(secret: bytes(from: secret, for: purpose)) else {
            preconditionFailure("32 bytes are a key.")
        }
        return identity
    }

    /// Returns the bytes of the same key.
    static func bytes(from secret: [UInt8], salt: [UInt8] = [], for purpose: String, byteCount: Int = 32) -> [UInt8] {
        key(from: secret, salt: salt, for: purpose, byteCount: byteCount).bytes
    }
}

extension SymmetricKey {
    /// A copy of the bytes of the key.
    var bytes: [UInt8] { withUnsafeBytes { $0.bytes.toArray() } }
}

/// Returns `count` bytes of `generator`, eight from each number, the least significant one first.
package func randomBytes(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var number: UInt64 = 0
    for index in 0..<count {
        number = index % 8 == 0 ? generator.next() : number >> 8
        bytes.append(UInt8(truncatingIfNeeded: number))
    }
    return bytes
}

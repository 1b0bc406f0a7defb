import Crypto

/// Hashes under a key: HMAC-SHA-256 (RFC 2104).
package struct KeyedHash: Sendable {
    private let start: HMAC<SHA256>

    /// Hashes under `key`, of any length.
    package init(key: [UInt8]) { start = HMAC<SHA256>(key: SymmetricKey(data: key)) }

    /// Returns the hash of `bytes`. Cost: about 0.5 us for 30 bytes.
    package func callAsFunction(_ bytes: RawSpan) -> Hash256 {
        var hasher = start
        bytes.withUnsafeBytes { hasher.update(data: $0) }
        return hasher.finalize().withUnsafeBytes { Hash256(at: 0, of: $0.bytes) }
    }
}

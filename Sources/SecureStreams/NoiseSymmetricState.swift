import Crypto
import Foundation
import GroundwaveSealing

/// What both ends of a handshake have in common so far: the `SymmetricState` of the Noise Protocol Framework, revision 34,
/// section 5.2, with SHA-256.
struct NoiseSymmetricState: Secret {
    /// The hash of everything that was sent or agreed.
    private(set) var hash: [UInt8]
    private var chainingKey: [UInt8]
    private var cipher: NoiseCipher?

    /// The state before the first message.
    ///
    /// - Parameter name: More than 32 bytes of ASCII: a shorter name would be padded instead of hashed.
    init(protocolName name: String, prologue: [UInt8]) {
        precondition(name.utf8.count > 32, "The name of a protocol of at most 32 bytes is padded.")
        hash = Array(SHA256.hash(data: Array(name.utf8)))
        chainingKey = hash
        mixHash(prologue)
    }

    /// Adds what both ends know to the hash.
    mutating func mixHash(_ data: [UInt8]) { hash = Array(SHA256.hash(data: hash + data)) }

    /// Adds a secret, or a public key, to the keys.
    mutating func mixKey(_ material: [UInt8]) {
        let keys = keys(from: material, count: 2)
        chainingKey = keys[0]
        cipher = NoiseCipher(key: keys[1])
    }

    /// Adds the secret that both ends had before to the keys and to the hash.
    mutating func mixKeyAndHash(_ material: [UInt8]) {
        let keys = keys(from: material, count: 3)
        chainingKey = keys[0]
        mixHash(keys[1])
        cipher = NoiseCipher(key: keys[2])
    }

    /// Adds the shared secret of two X25519 keys to the keys.
    mutating func mixKey(_ shared: SharedSecret) { mixKey(shared.withUnsafeBytes { [UInt8]($0) }) }

    /// Returns the ciphertext of `plain`, whose tag covers the hash, and adds it to the hash.
    mutating func seal(_ plain: [UInt8]) -> [UInt8] {
        guard let sealed = cipher?.seal(plain, covering: hash) else { preconditionFailure("A key was mixed before.") }
        mixHash(sealed)
        return sealed
    }

    /// Opens what ``seal(_:)`` has sealed at the same place of the handshake; `nil` if it is anything else.
    mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard let plain = cipher?.open(sealed, covering: hash) else { return nil }
        mixHash(sealed)
        return plain
    }

    /// Returns the ciphers after the handshake: for what the initiator sends, and for what the responder sends.
    func split() -> (initiator: NoiseCipher, responder: NoiseCipher) {
        let keys = keys(from: [], count: 2)
        return (NoiseCipher(key: keys[0]), NoiseCipher(key: keys[1]))
    }

    /// Returns keys of 32 bytes: HKDF with SHA-256 (RFC 5869), with the chaining key as salt and no info.
    private func keys(from material: [UInt8], count: Int) -> [[UInt8]] {
        let extracted = SymmetricKey(data: Self.hmac(material, key: SymmetricKey(data: chainingKey)))
        var keys: [[UInt8]] = []
        for number in 1...UInt8(count) { keys.append(Self.hmac((keys.last ?? []) + [number], key: extracted)) }
        return keys
    }

    private static func hmac(_ data: [UInt8], key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
    }
}

import Crypto
import Foundation
import GroundwaveByteCoding

/// A file of a store with a secret, as it lies on a disk when the key to it is kept elsewhere.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWV1` |
/// | 12 | nonce, random |
/// | … | ciphertext: the content, at least one byte, encrypted with ChaCha20 |
/// | 16 | tag, Poly1305 (RFC 8439) |
///
/// The tag also covers the magic and the name of the file in ASCII, so that no file can take the place of another one.
package enum LockedFile {
    /// The first four bytes: `GWV1`.
    private static let magic: UInt32 = 0x3156_5747
    /// The size in bytes of magic, nonce and tag.
    package static let overhead = 32

    /// Returns whether `bytes` are a locked file, or begin as one. A file of 32 bytes or less is none, whatever it has.
    package static func isLocked(_ bytes: [UInt8]) -> Bool {
        bytes.count > overhead && bytes.span.bytes.uint32(at: 0) == magic
    }

    /// Locks `content` as the file `name`.
    ///
    /// - Parameters:
    ///   - content: At least one byte.
    ///   - key: 32 bytes. Up to 2^32 files may be locked with one, since the nonces are random.
    package static func lock(_ content: [UInt8], as name: String, with key: [UInt8]) -> [UInt8] {
        precondition(!content.isEmpty && key.count == 32, "A locked file has content, and its key 32 bytes.")
        let box = try? ChaChaPoly.seal(content, using: SymmetricKey(data: key), authenticating: covered(name))
        guard let box else { preconditionFailure("A key of 32 bytes encrypts up to 256 GiB.") }
        return header + box.combined
    }

    /// Opens the file `name`, and returns its content.
    ///
    /// - Parameter key: 32 bytes.
    /// - Throws: ``SealingError/wrongMagic`` if it is no locked file, ``SealingError/wrongKeyOrChanged``.
    package static func open(
        _ bytes: [UInt8], as name: String, with key: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard isLocked(bytes) else { throw .wrongMagic }
        guard let box = try? ChaChaPoly.SealedBox(combined: bytes[4...]),
            let content = try? ChaChaPoly.open(box, using: SymmetricKey(data: key), authenticating: covered(name))
        else { throw .wrongKeyOrChanged }
        return [UInt8](content)
    }

    private static var header: [UInt8] {
        var writer = ByteWriter(capacity: 4)
        writer.append(littleEndian: magic)
        return writer.bytes
    }

    private static func covered(_ name: String) -> [UInt8] { header + Array(name.utf8) }
}

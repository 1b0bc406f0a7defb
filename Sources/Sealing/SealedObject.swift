import Crypto
import Foundation
import GroundwaveByteCoding
import GroundwaveEvents

/// An object as it lies at a remote that may not read it.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWX1` |
/// | 16 | epoch: which key it is sealed with |
/// | 32 | salt, random |
/// | … | ciphertext: the content with its length before it and zeros behind it, encrypted with ChaCha20 |
/// | 16 | tag, Poly1305 (RFC 8439) |
///
/// What is encrypted:
///
/// | size | |
/// |---|---|
/// | 4 | length of the content in bytes |
/// | … | content |
/// | … | zeros, up to the next size of ``Padding`` for the length and the content |
///
/// The key is derived from that of the epoch with the salt (HKDF with SHA-256, `groundwave object`). The tag also covers
/// the 52 bytes before the ciphertext, the log (16) and the plain name of the object in UTF-8. So no object can take the
/// place of another one.
package enum SealedObject {
    /// The first four bytes: `GWX1`.
    static let magic: UInt32 = 0x3158_5747
    /// The bytes with which each one begins.
    package static let beginning = Array("GWX1".utf8)
    /// The size in bytes of what is before the ciphertext.
    static let headerSize = 52
    /// The size of the tag in bytes.
    static let tagSize = 16
    /// The maximum size of a content in bytes.
    package static let contentLimit = 1 << 30

    /// Returns the size in bytes of an object with `byteCount` bytes of content.
    ///
    /// - Parameter byteCount: From 0 to ``contentLimit``.
    package static func sealedSize(of byteCount: Int) -> Int {
        headerSize + Padding.size(of: byteCount + 4) + tagSize
    }

    /// Returns the epoch that an object says it is of; `nil` if it is none. Nothing is verified.
    package static func epoch(of bytes: [UInt8]) -> EpochID? {
        let span = bytes.span.bytes
        guard span.byteCount >= sealedSize(of: 0), span.uint32(at: 0) == magic else { return nil }
        return EpochID(at: 4, of: span)
    }

    /// Seals `content` as the object `name` of `log`.
    ///
    /// Cost: about 5 ms for 1 MiB, and three copies of the content in memory.
    ///
    /// - Parameters:
    ///   - content: At most ``contentLimit`` bytes.
    ///   - also: What else the tag covers: whoever opens the object must have the same bytes.
    ///   - generator: It must be unpredictable, and never give the same numbers twice: two contents under one salt would
    ///     show each other.
    package static func seal(
        _ content: [UInt8], as name: String, of log: LogID, also: [UInt8] = [], with key: EpochKey,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        precondition(content.count <= contentLimit, "An object has at most 1 GiB.")
        let salt = randomBytes(32, using: &generator)
        var header = ByteWriter(capacity: headerSize)
        header.append(littleEndian: magic)
        header.append(key.id)
        header.append(contentsOf: salt)
        let size = Padding.size(of: content.count + 4)
        var padded: [UInt8] = []
        padded.reserveCapacity(size)
        for shift in [0, 8, 16, 24] { padded.append(UInt8(truncatingIfNeeded: content.count >> shift)) }
        padded.append(contentsOf: content)
        padded.append(contentsOf: repeatElement(0, count: size - padded.count))
        let box = encrypt(padded, key: objectKey(key, salt), covering: header.bytes + covered(name, log, also))
        var sealed = header.bytes
        sealed.reserveCapacity(headerSize + size + tagSize)
        sealed.append(contentsOf: box.ciphertext)
        sealed.append(contentsOf: box.tag)
        return sealed
    }

    /// Opens the object `name` of `log` and returns its content.
    ///
    /// Cost: about 3 ms for 1 MiB, and three copies of the content in memory.
    ///
    /// - Parameters:
    ///   - keyring: With the key of the object's epoch.
    ///   - limit: The maximum size of the content in bytes, from 0; what is larger is refused before any work.
    /// - Throws: ``SealingError/wrongSize(_:)``, ``SealingError/wrongMagic``, ``SealingError/unknownEpoch(_:)``,
    ///   ``SealingError/wrongKeyOrChanged`` or ``SealingError/malformed``, in this order of the checks.
    package static func open(
        _ bytes: [UInt8], as name: String, of log: LogID, with keyring: Keyring, limit: Int
    ) throws(SealingError) -> [UInt8] {
        try open(bytes, as: name, of: log, also: [], limit: limit, keyring.key(of:))
    }

    /// Opens an object that nothing but `key` may have sealed.
    static func open(
        _ bytes: [UInt8], as name: String, of log: LogID, also: [UInt8], with key: EpochKey, limit: Int
    ) throws(SealingError) -> [UInt8] {
        try open(bytes, as: name, of: log, also: also, limit: limit) { $0 == key.id ? key : nil }
    }

    private static func open(
        _ bytes: [UInt8], as name: String, of log: LogID, also: [UInt8], limit: Int, _ key: (EpochID) -> EpochKey?
    ) throws(SealingError) -> [UInt8] {
        let span = bytes.span.bytes
        guard (sealedSize(of: 0)...sealedSize(of: min(limit, contentLimit))).contains(span.byteCount) else {
            throw .wrongSize(span.byteCount)
        }
        guard span.uint32(at: 0) == magic else { throw .wrongMagic }
        let epoch = EpochID(at: 4, of: span)
        guard let key = key(epoch) else { throw .unknownEpoch(epoch) }
        let (header, end) = (Array(bytes[..<headerSize]), bytes.count - tagSize)
        let padded = decrypt(
            bytes[headerSize..<end], tag: bytes[end...], key: objectKey(key, Array(header[20...])),
            covering: header + covered(name, log, also))
        guard let padded else { throw .wrongKeyOrChanged }
        return try content(of: padded, limit: limit)
    }

    /// Returns what is before the zeros, if everything is as ``seal(_:as:of:also:with:using:)`` writes it.
    private static func content(of padded: Data, limit: Int) throws(SealingError) -> [UInt8] {
        let span = padded.bytes
        let byteCount = Int(span.uint32(at: 0))
        guard byteCount <= limit, byteCount <= contentLimit, Padding.size(of: byteCount + 4) == span.byteCount,
            (byteCount + 4..<span.byteCount).allSatisfy({ span.byte(at: $0) == 0 })
        else { throw .malformed }
        return span.extracting(4..<byteCount + 4).toArray()
    }

    private static func objectKey(_ key: EpochKey, _ salt: [UInt8]) -> SymmetricKey {
        DerivedKey.key(from: key.bytes, salt: salt, for: "groundwave object")
    }

    private static func covered(_ name: String, _ log: LogID, _ also: [UInt8]) -> [UInt8] {
        log.bytes + Array(name.utf8) + also
    }

    // The nonce may be the same for all objects, since no two have the same key: each has a salt of 32 random bytes, of which
    // 2^100 can be drawn before two are likely to be equal. A nonce of 12 random bytes alone would not be enough for that.
    private static let nonce: ChaChaPoly.Nonce = {
        guard let nonce = try? ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12)) else {
            preconditionFailure("12 bytes are a nonce.")
        }
        return nonce
    }()

    private static func encrypt(_ plain: [UInt8], key: SymmetricKey, covering covered: [UInt8]) -> ChaChaPoly.SealedBox
    {
        guard let box = try? ChaChaPoly.seal(plain, using: key, nonce: nonce, authenticating: covered) else {
            preconditionFailure("A key of 32 bytes encrypts up to 256 GiB.")
        }
        return box
    }

    /// Returns the plain bytes; `nil` if they were encrypted with another key, or anything was changed.
    private static func decrypt(
        _ ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>, key: SymmetricKey, covering covered: [UInt8]
    ) -> Data? {
        guard let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag) else { return nil }
        return try? ChaChaPoly.open(box, using: key, authenticating: covered)
    }
}

import Crypto
import Foundation
import GroundwaveByteCoding
import GroundwaveEvents

/// The key of an epoch, wrapped for everybody who may have it, and what else a new device must know of a sealed log.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWK1` |
/// | 4 | length of the whole file in bytes |
/// | 16 | epoch |
/// | 1 | binary logarithm of the cost of scrypt, for the passphrase: see ``ScryptParameters`` |
/// | 32 | salt of scrypt |
/// | 2 | number of recipients, from 1 to 258 |
/// | 80 each | wrap: encapsulated key (32) and the encrypted key of the epoch (48) |
/// | … | the ``Contents`` as a ``SealedObject`` with the name `keys`, sealed with the key of this epoch |
///
/// A wrap is HPKE in base mode (RFC 9180) with X25519, HKDF-SHA256 and ChaCha20-Poly1305; its info is `groundwave epoch` in
/// ASCII and the epoch. Nothing in the file says whom a wrap is for: a reader tries them all.
///
/// The log of the sealed object is 16 zeros, since who reads it does not know the log yet. Its tag also covers the SHA-256
/// of everything before it, so that nobody who has not the key can exchange a wrap.
package struct KeyFile: Sendable {
    /// The first four bytes: `GWK1`.
    static let magic: UInt32 = 0x314B_5747
    /// The maximum size of a file in bytes.
    package static let byteLimit = 128 << 10
    /// The maximum number of recipients: 256 devices, a passphrase and a recovery phrase.
    package static let recipientLimit = 258
    private static let headerSize = 59
    private static let wrapSize = 80
    private static let name = "keys"

    /// The epoch whose key is wrapped.
    package let epoch: EpochID
    /// How the passphrase becomes a key, if there is one.
    package let scrypt: ScryptParameters
    /// The wraps, in the order of the recipients.
    private let wraps: [[UInt8]]
    private let sealedContents: [UInt8]
    /// The SHA-256 of everything before the sealed contents.
    private let hashBefore: Hash256

    /// Reads a file. Nothing is decrypted.
    ///
    /// - Throws: ``SealingError/wrongSize(_:)``, ``SealingError/wrongMagic``, ``SealingError/malformed`` or
    ///   ``SealingError/unacceptableParameters``, in this order of the checks.
    package init(reading bytes: [UInt8]) throws(SealingError) {
        let span = bytes.span.bytes
        let least = SealedObject.sealedSize(of: Contents.size(recipients: 1, formerKeys: 0))
        guard (Self.headerSize + Self.wrapSize + least...Self.byteLimit).contains(span.byteCount) else {
            throw .wrongSize(span.byteCount)
        }
        guard span.uint32(at: 0) == Self.magic else { throw .wrongMagic }
        let count = Int(span.uint16(at: 57))
        let end = Self.headerSize + count * Self.wrapSize
        guard Int(span.uint32(at: 4)) == span.byteCount, (1...Self.recipientLimit).contains(count),
            span.byteCount - end >= least
        else { throw .malformed }
        epoch = EpochID(at: 8, of: span)
        scrypt = try ScryptParameters(log2N: Int(span.byte(at: 24)), salt: Array(bytes[25..<57]))
        wraps = stride(from: Self.headerSize, to: end, by: Self.wrapSize).map { Array(bytes[$0..<$0 + Self.wrapSize]) }
        sealedContents = Array(bytes[end...])
        hashBefore = Hash256(hashing: span.extracting(0..<end))
    }

    /// How many bytes of a file say how long it is.
    package static let beginningSize = 8

    /// Returns the size in bytes of the file that begins with `bytes`; `nil` if no file does.
    package static func size(of bytes: [UInt8]) -> Int? {
        let span = bytes.span.bytes
        guard span.byteCount >= beginningSize, span.uint32(at: 0) == magic else { return nil }
        let size = Int(span.uint32(at: 4))
        return (headerSize...byteLimit).contains(size) ? size : nil
    }

    /// Returns a file that wraps `key` for the recipients of `contents`.
    ///
    /// Cost: about 0.2 ms for each recipient. The keys that are encapsulated are from the system's randomness, so two files
    /// are never equal.
    ///
    /// - Parameters:
    ///   - contents: With 1 to ``recipientLimit`` recipients and at most ``Contents/formerKeyLimit`` former keys, of which
    ///     `key` is none.
    ///   - generator: It must be unpredictable.
    /// - Throws: ``SealingError/unusableRecipient(_:)``.
    package static func bytes(
        _ contents: Contents, with key: EpochKey, scrypt: ScryptParameters,
        using generator: inout some RandomNumberGenerator
    ) throws(SealingError) -> [UInt8] {
        let recipients = contents.recipients
        precondition((1...recipientLimit).contains(recipients.count), "A key file has 1 to 258 recipients.")
        precondition(contents.formerKeys.allSatisfy { $0.id != key.id }, "The key of the epoch is not a former one.")
        let plain = contents.bytes
        var writer = ByteWriter()
        writer.append(littleEndian: magic)
        let end = headerSize + recipients.count * wrapSize
        writer.append(littleEndian: UInt32(end + SealedObject.sealedSize(of: plain.count)))
        writer.append(key.id)
        writer.append(UInt8(scrypt.log2N))
        writer.append(contentsOf: scrypt.salt)
        writer.append(littleEndian: UInt16(recipients.count))
        for (index, recipient) in recipients.enumerated() {
            guard let wrap = wrap(key, for: recipient.publicKey) else { throw .unusableRecipient(index) }
            writer.append(contentsOf: wrap)
        }
        let hash = writer.withSpan { Hash256(hashing: $0) }
        let sealed = SealedObject.seal(plain, as: name, of: noLog, also: bytes(of: hash), with: key, using: &generator)
        return writer.bytes + sealed
    }

    /// Returns the key of the epoch, if it is wrapped for `recipient`.
    ///
    /// Cost: about 0.1 ms for each wrap that is for another one.
    ///
    /// - Throws: ``SealingError/notARecipient``; ``SealingError/malformed`` if a wrap has the key of another epoch.
    package func epochKey(with recipient: RecipientKey) throws(SealingError) -> EpochKey {
        for wrap in wraps {
            guard let bytes = Self.unwrapped(wrap, by: recipient, Self.info(epoch)) else { continue }
            guard let key = EpochKey(bytes: bytes), key.id == epoch else { throw .malformed }
            return key
        }
        throw .notARecipient
    }

    /// Returns the contents.
    ///
    /// - Parameter key: The key of the file's epoch.
    /// - Throws: ``SealingError/unknownEpoch(_:)`` if it is that of another epoch; ``SealingError/wrongKeyOrChanged`` if
    ///   anything of the file was changed; ``SealingError/malformed``.
    package func contents(with key: EpochKey) throws(SealingError) -> Contents {
        guard key.id == epoch else { throw .unknownEpoch(epoch) }
        let plain = try SealedObject.open(
            sealedContents, as: Self.name, of: Self.noLog, also: Self.bytes(of: hashBefore), with: key,
            limit: Contents.size(recipients: Self.recipientLimit, formerKeys: Contents.formerKeyLimit))
        let contents = try Contents(reading: plain, of: epoch)
        guard contents.recipients.count == wraps.count else { throw .malformed }
        return contents
    }

    /// Returns the key that the passphrase of the file stands for. Whether it is the right passphrase shows
    /// ``epochKey(with:)``.
    ///
    /// Cost: up to 1 s and 256 MiB of memory.
    ///
    /// - Throws: ``SealingError/unacceptablePassphrase`` or ``SealingError/outOfMemory(byteCount:)``.
    package func passphraseKey(_ passphrase: String) throws(SealingError) -> RecipientKey {
        try RecipientKey(passphrase: passphrase, parameters: scrypt)
    }

    private static let noLog = LogID(high: 0, low: 0)

    private static func bytes(of hash: Hash256) -> [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.append(hash)
        return writer.bytes
    }

    // MARK: Wraps

    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    private static func info(_ epoch: EpochID) -> Data { Data("groundwave epoch".utf8) + epoch.bytes }

    /// Wraps a key; `nil` if the public key is one of the few that would let everybody unwrap it (RFC 7748, section 6.1).
    private static func wrap(_ key: EpochKey, for publicKey: [UInt8]) -> [UInt8]? {
        guard let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            !RecipientKey.sharesWithEverybody(recipient),
            var sender = try? HPKE.Sender(recipientKey: recipient, ciphersuite: suite, info: info(key.id)),
            let encrypted = try? sender.seal(key.bytes)
        else { return nil }
        return Array(sender.encapsulatedKey) + Array(encrypted)
    }

    /// Returns what is in a wrap; `nil` if it is for another recipient, or one that everybody could have made and opened.
    private static func unwrapped(_ wrap: [UInt8], by recipient: RecipientKey, _ info: Data) -> [UInt8]? {
        var opener = try? HPKE.Recipient(
            privateKey: recipient.key, ciphersuite: suite, info: info, encapsulatedKey: Data(wrap[..<32]))
        guard let plain = try? opener?.open(wrap[32...]),
            let encapsulated = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: wrap[..<32]),
            !RecipientKey.sharesWithEverybody(encapsulated)
        else { return nil }
        return Array(plain)
    }
}

import GroundwaveByteCoding
import GroundwaveEvents

extension KeyFile {
    /// Somebody who can open a key file.
    package struct Recipient: Hashable, Sendable {
        /// What the private key is derived from.
        package enum Kind: UInt8, Sendable {
            /// A passphrase that people remember.
            case passphrase = 1
            /// The words of a ``RecoveryPhrase``.
            case phrase = 2
            /// The identity of a device.
            case device = 3
        }

        /// What the private key is derived from.
        package let kind: Kind
        /// The 32 bytes of the public key.
        package let publicKey: [UInt8]

        /// The recipient with a public key of 32 bytes.
        package init(_ kind: Kind, publicKey: [UInt8]) {
            precondition(publicKey.count == 32, "A public key has 32 bytes.")
            (self.kind, self.publicKey) = (kind, publicKey)
        }
    }

    /// What is sealed in a key file.
    ///
    /// | size | |
    /// |---|---|
    /// | 16 | log |
    /// | 32 | root: the hash of the event that sealed the log |
    /// | 32 | key of names: see ``SealedNames`` |
    /// | 96 | proofs of the log, the root and the key of names: see ``RootProofs`` |
    /// | 2 | number of recipients, as many as the file has wraps |
    /// | 33 each | kind (1): 1 for a passphrase, 2 for a recovery phrase, 3 for a device; public key (32). In the order of the wraps |
    /// | 2 | number of former epochs, at most 1,024 |
    /// | 48 each | epoch (16) and its key (32), in order of epoch; the epoch of the file is none of them |
    package struct Contents: Secret {
        /// The maximum number of keys of former epochs.
        package static let formerKeyLimit = 1024

        /// The log that is sealed.
        package let log: LogID
        /// The hash of the event that sealed the log.
        package let root: Hash256
        /// The 32 bytes that the names of objects are sealed with.
        package let namesKey: [UInt8]
        /// Why a device that joins believes the three. Nobody has looked yet whether they are valid.
        package let proofs: RootProofs
        /// Who can open the file, in the order of the wraps.
        package let recipients: [Recipient]
        /// The keys of former epochs, in order of their ids: old objects are not sealed anew.
        package let formerKeys: [EpochKey]

        /// The contents of a new file.
        ///
        /// - Parameters:
        ///   - namesKey: 32 bytes.
        ///   - formerKeys: At most ``formerKeyLimit``, each once, in any order.
        package init(
            log: LogID, root: Hash256, namesKey: [UInt8], proofs: RootProofs, recipients: [Recipient],
            formerKeys: [EpochKey]
        ) {
            precondition(namesKey.count == 32, "The key of names has 32 bytes.")
            precondition(formerKeys.count <= Self.formerKeyLimit, "A key file has at most 1,024 former keys.")
            (self.log, self.root, self.namesKey, self.proofs) = (log, root, namesKey, proofs)
            self.recipients = recipients
            let sorted = formerKeys.sorted { $0.id < $1.id }
            precondition(zip(sorted, sorted.dropFirst()).allSatisfy { $0.id < $1.id }, "Each former key is there once.")
            self.formerKeys = sorted
        }

        /// The size in bytes.
        static func size(recipients: Int, formerKeys: Int) -> Int {
            84 + RootProofs.size + recipients * 33 + formerKeys * 48
        }

        /// The encoded contents.
        var bytes: [UInt8] {
            var writer = ByteWriter(capacity: Self.size(recipients: recipients.count, formerKeys: formerKeys.count))
            writer.append(log)
            writer.append(root)
            writer.append(contentsOf: namesKey)
            writer.append(contentsOf: proofs.signature)
            writer.append(contentsOf: proofs.mac)
            writer.append(littleEndian: UInt16(recipients.count))
            for recipient in recipients {
                writer.append(recipient.kind.rawValue)
                writer.append(contentsOf: recipient.publicKey)
            }
            writer.append(littleEndian: UInt16(formerKeys.count))
            for key in formerKeys {
                writer.append(key.id)
                writer.append(contentsOf: key.bytes)
            }
            return writer.bytes
        }

        /// Reads the contents of the file of `epoch`.
        ///
        /// - Throws: ``SealingError/malformed``.
        init(reading bytes: [UInt8], of epoch: EpochID) throws(SealingError) {
            let span = bytes.span.bytes
            var reader = ByteReader()
            guard let contents = try? reader.contents(in: span, of: epoch), (try? reader.finish(in: span)) != nil else {
                throw .malformed
            }
            self = contents
        }
    }
}

extension ByteReader {
    /// Reads the contents of a key file; `nil` if they are invalid.
    fileprivate mutating func contents(
        in bytes: RawSpan, of epoch: EpochID
    ) throws(ByteCodingError) -> KeyFile.Contents? {
        let log = LogID(at: try skip(16, in: bytes).lowerBound, of: bytes)
        let root = Hash256(at: try skip(32, in: bytes).lowerBound, of: bytes)
        let namesKey = try array(32, in: bytes)
        let proofs = RootProofs(signature: try array(64, in: bytes), mac: try array(32, in: bytes))
        var recipients: [KeyFile.Recipient] = []
        for _ in 0..<Int(try uint16(in: bytes)) {
            guard let kind = KeyFile.Recipient.Kind(rawValue: try byte(in: bytes)) else { return nil }
            recipients.append(KeyFile.Recipient(kind, publicKey: try array(32, in: bytes)))
        }
        let count = Int(try uint16(in: bytes))
        guard count <= KeyFile.Contents.formerKeyLimit else { return nil }
        var formerKeys: [EpochKey] = []
        for _ in 0..<count {
            let id = EpochID(at: try skip(16, in: bytes).lowerBound, of: bytes)
            guard let key = EpochKey(bytes: try array(32, in: bytes)), key.id == id, id != epoch,
                formerKeys.last.map({ $0.id < id }) ?? true
            else { return nil }
            formerKeys.append(key)
        }
        return KeyFile.Contents(
            log: log, root: root, namesKey: namesKey, proofs: proofs, recipients: recipients, formerKeys: formerKeys)
    }

    private mutating func array(_ count: Int, in bytes: RawSpan) throws(ByteCodingError) -> [UInt8] {
        bytes.extracting(try skip(count, in: bytes)).toArray()
    }
}

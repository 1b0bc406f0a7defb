import GroundwaveByteCoding

/// Why a signed head is invalid.
public enum SignedHeadError: Error, Hashable, Sendable {
    /// The key is not that of the replica: its SHA-256 begins with other bytes.
    case foreignKey
    /// The signature was not made by this key for this head.
    case wrongSignature
}

/// The number of events that a replica has in its log and the root over them, signed with its key.
///
/// The holder of a signed head can check later whether those events are unchanged, and whether a proof is of that
/// log.
///
/// The signed message, 94 bytes:
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 22 | `groundwave signed head`: the key signs no other type of message with this prefix |
/// | 22 | 16 | log |
/// | 38 | 16 | replica |
/// | 54 | 8 | number of its last event, little-endian |
/// | 62 | 32 | root over all events up to it |
public struct SignedHead: Hashable, Sendable {
    /// The log.
    public let log: LogID
    /// The replica whose events these are.
    public let replica: ReplicaID
    /// The number of its last event, which is the number of leaves in the tree.
    public let sequence: SequenceNumber
    /// The root over all its events up to that one.
    public let root: Hash256
    /// The public key of the replica: 32 bytes, Ed25519.
    public let publicKey: [UInt8]
    /// The signature by that key: 64 bytes, Ed25519 (RFC 8032, section 5.1).
    public let signature: [UInt8]

    /// A head of any origin; nothing is checked until ``check()``.
    public init(
        log: LogID, replica: ReplicaID, sequence: SequenceNumber, root: Hash256, publicKey: [UInt8], signature: [UInt8]
    ) {
        self.log = log
        self.replica = replica
        self.sequence = sequence
        self.root = root
        self.publicKey = publicKey
        self.signature = signature
    }

    /// Throws unless the key is the replica's and the signature of this head is valid. Cost: about 0.1 ms.
    ///
    /// - Throws: ``SignedHeadError``.
    public func check() throws(SignedHeadError) {
        guard publicKey.count == 32, Identity.replica(publicKey: publicKey) == replica else { throw .foreignKey }
        guard Identity.isValid(signature, of: Self.message(log, replica, sequence, root), by: publicKey) else {
            throw .wrongSignature
        }
    }

    /// The bytes that are signed.
    static func message(_ log: LogID, _ replica: ReplicaID, _ sequence: SequenceNumber, _ root: Hash256) -> [UInt8] {
        var writer = ByteWriter(capacity: 94)
        writer.append(contentsOf: Array("groundwave signed head".utf8))
        writer.append(log)
        writer.append(replica)
        writer.append(littleEndian: sequence)
        writer.append(root)
        return writer.bytes
    }
}

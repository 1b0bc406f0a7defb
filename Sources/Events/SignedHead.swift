import GroundwaveByteCoding

/// Why a signed head is not what it says.
public enum SignedHeadError: Error, Hashable, Sendable {
    /// The key is not that of the replica: its SHA-256 begins with other bytes.
    case foreignKey
    /// The signature is not one of these bytes by this key.
    case wrongSignature
}

/// What a replica says of its own log: how many events it has and the root over them, signed with its key.
///
/// Who holds one can tell later whether those events are still the same, and whether a proof is of that log.
///
/// What is signed, 94 bytes:
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 22 | `groundwave signed head`: the same key signs nothing else that begins so |
/// | 22 | 16 | log |
/// | 38 | 16 | replica |
/// | 54 | 8 | number of its last event, little-endian |
/// | 62 | 32 | root over all events up to it |
public struct SignedHead: Hashable, Sendable {
    /// The log.
    public let log: LogID
    /// Whose events.
    public let replica: ReplicaID
    /// The number of the last one, which is how many leaves the tree has.
    public let sequence: SequenceNumber
    /// The root over them.
    public let root: Hash256
    /// The public key of the replica: 32 bytes, Ed25519.
    public let publicKey: [UInt8]
    /// The signature by that key: 64 bytes, Ed25519 (RFC 8032, section 5.1).
    public let signature: [UInt8]

    /// A head that came from somewhere; nothing is checked until ``check()``.
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

    /// Throws unless the key is the replica's, and has signed what this head says. Cost: about 0.1 ms.
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

import GroundwaveByteCoding
import GroundwaveEvents

// A row of `signed`: number (8), root (32), public key (32), signature (64).
extension SignedHead {
    /// The size of a row in bytes.
    package static let rowSize = 136

    /// Parses the head of `log` from a row; `nil` if the row has a wrong length.
    package init?(log: LogID, replica: ReplicaID, row: RawSpan) {
        guard row.byteCount == Self.rowSize else { return nil }
        self.init(
            log: log, replica: replica, sequence: row.uint64(at: 0), root: Hash256(at: 8, of: row),
            publicKey: row.extracting(40..<72).toArray(), signature: row.extracting(72..<136).toArray())
    }

    package var row: [UInt8] {
        var writer = ByteWriter(capacity: Self.rowSize)
        writer.append(littleEndian: sequence)
        writer.append(root)
        writer.append(contentsOf: publicKey)
        writer.append(contentsOf: signature)
        return writer.bytes
    }
}

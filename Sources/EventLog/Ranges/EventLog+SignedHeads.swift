import ByteCoding
import Events
import LMDB

// As a row: number (8), root (32), public key (32), signature (64).
extension EventLog {
    /// Returns the latest signed head that is stored for the history that ends with `stream`; `nil` if there is none.
    public func signedHead(of stream: ReplicaID) throws -> SignedHead? {
        try read { transaction in try signedHead(of: stream, in: transaction, LogTables(in: transaction)) }
    }

    /// Stores `head`, which was verified, for the history that ends with `stream`, unless a later one is stored.
    package func keep(_ head: SignedHead, of stream: ReplicaID) throws {
        try write { transaction in try keep(head, of: stream, in: transaction, LogTables(in: transaction)) }
    }

    func signedHead(
        of stream: ReplicaID, in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> SignedHead? {
        guard let row = try transaction.value(ReplicaKey(stream), in: tables.signed) else { return nil }
        let replica = try Self.streams(in: transaction, tables).origin(of: stream)
        guard let head = row.withSpan({ Self.signedHead(id, replica, $0) }) else {
            throw EventLogError.damaged("the signed head of a replica")
        }
        return head
    }

    /// Parses the head of `log` from a row; `nil` if the row has a wrong length.
    static func signedHead(_ log: LogID, _ replica: ReplicaID, _ row: RawSpan) -> SignedHead? {
        guard row.byteCount == 136 else { return nil }
        return SignedHead(
            log: log, replica: replica, sequence: row.uint64(at: 0), root: Hash256(at: 8, of: row),
            publicKey: row.extracting(40..<72).toArray(), signature: row.extracting(72..<136).toArray())
    }

    func keep(
        _ head: SignedHead, of stream: ReplicaID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        if let known = try signedHead(of: stream, in: transaction, tables), known.sequence >= head.sequence {
            return
        }
        var writer = ByteWriter(capacity: 136)
        writer.append(littleEndian: head.sequence)
        writer.append(head.root)
        writer.append(contentsOf: head.publicKey)
        writer.append(contentsOf: head.signature)
        try transaction.put(writer.bytes.span.bytes, for: ReplicaKey(stream), in: tables.signed)
    }
}

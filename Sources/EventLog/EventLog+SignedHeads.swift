import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

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
        of stream: ReplicaID, in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> SignedHead? {
        guard let row = try transaction.value(ReplicaKey(stream), in: tables.signed) else { return nil }
        let replica = try Self.streams(in: transaction, tables).origin(of: stream)
        guard let head = row.withSpan({ SignedHead(log: id, replica: replica, row: $0) }) else {
            throw EventLogError.damaged("the signed head of a replica")
        }
        return head
    }

    func keep(
        _ head: SignedHead, of stream: ReplicaID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        if let known = try signedHead(of: stream, in: transaction, tables), known.sequence >= head.sequence {
            return
        }
        try transaction.put(head.row.span.bytes, for: ReplicaKey(stream), in: tables.signed)
    }
}

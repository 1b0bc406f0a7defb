import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns the latest signed head that is stored for the history that ends with `stream`; `nil` if there is none.
    public func signedHead(of stream: ReplicaID) throws -> SignedHead? {
        try read { transaction in try signedHead(of: stream, in: transaction, LogTables(in: transaction)) }
    }

    /// Returns the last event of each branch that its author has signed, as far as that is known here: by a stored head,
    /// or by that of a pending range. It may be beyond the events that are here: those exist, and are missing.
    ///
    /// A pending range of a replica with several histories does not show which of them it continues, and does not count.
    ///
    /// - Complexity: O(replicas + bytes of the pending ranges).
    package func signedVector() throws -> VersionVector {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let streams = try Self.streams(in: transaction, tables)
            var vector = VersionVector()
            func add(_ sequence: SequenceNumber, to stream: ReplicaID) {
                let base = streams.base(of: stream)
                if !streams.isForked(stream), sequence > base {
                    vector[stream] = max(vector[stream], min(sequence - base, EventLimits.sequenceNumber))
                }
            }
            try transaction.forEach(in: tables.signed) { key, _ in
                guard let stream = ReplicaKey(keyBytes: key)?.replica,
                    let head = try signedHead(of: stream, in: transaction, tables)
                else { throw EventLogError.damaged("the signed head of a replica") }
                add(head.sequence, to: stream)
                return true
            }
            for frame in try Self.frames(in: tables.waiting, transaction) {
                add(frame.head.sequence, to: frame.range.replica)
            }
            return vector
        }
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

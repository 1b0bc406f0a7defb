import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

// Rows that several parts of the log read and write.
extension LogTables {
    /// Returns the end of the log, as its last commit left it. The next position is at least 1.
    package func state(in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> LogState {
        guard let state = try transaction.withValue(LogState.key, in: meta, { LogState($0) }) ?? nil,
            state.nextPosition >= 1
        else {
            throw EventLogError.damaged("the row with the next position of the log")
        }
        return state
    }

    /// The last event of every replica.
    package func vector(in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> VersionVector {
        var vector = VersionVector()
        try transaction.forEach(in: heads) { key, value in
            guard key.byteCount == 16, let row = HeadRow(value) else {
                throw EventLogError.damaged(LogTable.heads.row)
            }
            vector[ReplicaID(at: 0, of: key)] = row.sequence
            return true
        }
        return vector
    }

    /// The last event of `replica`; `nil` if it has none here.
    package func head(of replica: ReplicaID, in transaction: borrowing WriteTransaction) throws -> HeadRow? {
        guard let row = try transaction.withValue(ReplicaKey(replica), in: heads, { HeadRow($0) }) else { return nil }
        guard let row else { throw EventLogError.damaged(LogTable.heads.row) }
        return row
    }

    /// Stores the start of a run, unless the replica's last event is at the position before.
    package func startRun(
        of replica: ReplicaID, at position: Position, after head: HeadRow?, in transaction: borrowing WriteTransaction
    ) throws {
        if let head, head.position + 1 == position { return }
        var writer = ByteWriter(capacity: 8)
        writer.append(littleEndian: position)
        try transaction.put(
            writer.bytes.span.bytes, for: ReplicaNumberKey(replica, (head?.sequence ?? 0) + 1), in: runs)
    }

    /// Writes the rows of a log that never change: format, id and epoch.
    package func putNames(log: LogID, epoch: UInt64, in transaction: borrowing WriteTransaction) throws {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.format)
        try transaction.put(writer.bytes.span.bytes, for: [UInt8]("format".utf8), in: meta)
        try transaction.put(log.bytes.span.bytes, for: [UInt8]("log".utf8), in: meta)
        writer.removeAll()
        writer.append(littleEndian: epoch)
        try transaction.put(writer.bytes.span.bytes, for: [UInt8]("epoch".utf8), in: meta)
    }
}

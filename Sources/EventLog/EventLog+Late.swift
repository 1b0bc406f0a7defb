import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// Late events: those that arrived, or whose values arrived, after their place in the log was written without them. Each
// frame stores the checksum of the frame before it, so the table of events is not changed: the frame there stays, and
// the whole frame goes to the table `late`, under its arrival number. The table `filled` leads from the position to
// that number. Only reads of an event that is lost or has no values look there.
//
// A late frame stores the same predecessor checksum as the frame it replaces. The next frame stores the checksum of the
// replaced frame. A rewrite moves late frames to their positions, and starts with empty tables.
extension EventLog {
    /// Returns the number of the latest late event; 0 if there is none in this file.
    static func lastLate(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ late: CheckedTable<UInt64>
    ) throws -> UInt64 {
        try transaction.withLast(atOrBefore: .max, in: late) { key, _ in key.bigEndianUInt64(at: 0) } ?? 0
    }

    /// Returns the checksum of the frame that was appended at `position`, which the next frame stores, even if a late
    /// frame replaces it; `nil` if there is none. Cost: a look-up.
    public func checksum(at position: Position) throws -> UInt32? {
        try read { transaction in try Self.checksum(at: position, in: transaction, LogTables(in: transaction)) }
    }

    static func checksum(
        at position: Position, in transaction: borrowing ReadTransaction, _ tables: LogTables
    ) throws -> UInt32? {
        try transaction.withCursor(tables.events) { cursor in
            guard try seek(position, &cursor, transaction, tables) else { return nil }
            return try cursor.withEntry { _, row in try Frame(verifying: row, at: position).checksum(in: row) }
        }
    }

    /// Replaces the frame at `position` by `frame`, a late one.
    ///
    /// - Parameter frame: A whole frame with the predecessor checksum of the frame that it replaces.
    static func putLate(
        _ frame: ByteWriter, at position: Position, in transaction: borrowing WriteTransaction
    ) throws {
        let tables = try LateTables(in: transaction)
        // Counts from the last number even if that row is removed below: a number is never used twice in a file.
        let number = try lastLate(in: transaction, tables.late) + 1
        if let former = try transaction.withValue(position, in: tables.filled, { $0.toArray() }) {
            guard former.count == 8 else { throw EventLogError.damaged(LogTable.filled.row) }
            try transaction.remove(former.withSpan { $0.uint64(at: 0) }, in: tables.late)
        }
        var row = ByteWriter(capacity: frame.count + 8)
        row.append(littleEndian: position)
        frame.withSpan { row.append(contentsOf: $0) }
        try row.withSpan { try transaction.put($0, for: number, in: tables.late) }
        row.removeAll()
        row.append(littleEndian: number)
        try row.withSpan { try transaction.put($0, for: position, in: tables.filled) }
    }

    /// Passes the valid frame at `position` to `body`: `row`, the frame stored there, or the late frame that replaces
    /// it.
    static func withPresent<Result>(
        _ row: RawSpan, at position: Position, in transaction: borrowing some ReadableTransaction & ~Copyable,
        _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        let frame = try Frame(verifying: row, at: position)
        guard frame.isPartial else { return try body(frame, row) }
        let tables = try LateTables(in: transaction)
        guard let number = try transaction.withValue(position, in: tables.filled, { try LateRow.number($0) }) else {
            return try body(frame, row)
        }
        return try withLate(number, at: position, in: transaction, tables) { bytes in
            let late = try Frame(verifying: bytes, at: position)
            guard late.id == frame.id, late.length == bytes.byteCount else {
                throw EventLogError.damaged(LogTable.late.row)
            }
            return try body(late, bytes)
        }
    }

    /// As above, for reading in order of position; the frames are not verified.
    @usableFromInline
    static func withPresent<Result>(
        _ row: RawSpan, at position: Position, in transaction: borrowing ReadTransaction, _ late: inout NextLate,
        _ body: (_ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        let tables = try late.tables ?? LateTables(in: transaction)
        late.tables = tables
        guard let number = try late.number(at: position, in: transaction, tables) else { return try body(row) }
        return try withLate(number, at: position, in: transaction, tables, body)
    }

    private static func withLate<Result>(
        _ number: UInt64, at position: Position, in transaction: borrowing some ReadableTransaction & ~Copyable,
        _ tables: LateTables, _ body: (RawSpan) throws -> Result
    ) throws -> Result {
        let result = try transaction.withValue(number, in: tables.late) { row in
            try LateRow.withFrame(in: row) { storedPosition, bytes in
                guard storedPosition == position else { throw EventLogError.damaged(LogTable.late.row) }
                return try body(bytes)
            }
        }
        guard let result else { throw EventLogError.damaged(LogTable.late.row) }
        return result
    }
}

/// Finds late events while a log is read in order: one look-up for each late event, and one more.
@usableFromInline
struct NextLate {
    fileprivate var tables: LateTables?
    /// The first replaced position at or behind the last position asked for, and its arrival number; `.max` if there is
    /// none.
    private var next: (position: Position, number: UInt64) = (0, 0)

    @usableFromInline init() {}

    /// Returns the arrival number of the late frame at `position`, which must not decrease between calls; `nil` for
    /// none.
    fileprivate mutating func number(
        at position: Position, in transaction: borrowing ReadTransaction, _ tables: LateTables
    ) throws -> UInt64? {
        if next.position < position {
            next = (.max, 0)
            try transaction.forEach(in: tables.filled, from: position) { key, row in
                next = (key.bigEndianUInt64(at: 0), try LateRow.number(row))
                return false
            }
        }
        return next.position == position ? next.number : nil
    }
}

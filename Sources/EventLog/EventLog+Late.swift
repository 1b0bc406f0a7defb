import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

// Events whose values, or that themselves, came after their place in the log was written without them. Each frame names
// the checksum of the one before it, so nothing is changed in the table of events: what stands there stays, and the whole
// frame lies in the table `late`, under the number of its arrival. The table `filled` leads from the position to that.
// Whoever reads an event that is lost or has no values asks there; nobody else does.
//
// The frame names as the one before it that which the one in its place names, as if it stood there. Which event follows
// is told by the one that does stand there. A rewrite puts late frames where they belong, and begins with none.
extension EventLog {
    /// Which content the log has now: it changes with every rewrite and every event that comes late, and with no append.
    ///
    /// Cost: two look-ups, about 1 us.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` where the file does not say it.
    public func content() throws -> LogContent {
        try read { transaction in
            try Self.content(in: transaction, CheckedTable<[UInt8]>(.meta, in: transaction))
        }
    }

    static func content(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ meta: CheckedTable<[UInt8]>
    ) throws -> LogContent {
        LogContent(
            generation: try generation(in: transaction, meta),
            late: try lastLate(in: transaction, CheckedTable<UInt64>(.late, in: transaction)))
    }

    /// The number of the event that came late last; 0 where none did in this file.
    private static func lastLate(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ late: CheckedTable<UInt64>
    ) throws -> UInt64 {
        try transaction.withLast(atOrBefore: .max, in: late) { key, _ in key.bigEndianUInt64(at: 0) } ?? 0
    }

    /// The checksum of the frame that was appended at `position`, which the next one names, whatever came late there;
    /// `nil` where there is none. Cost: a look-up.
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

    /// Has `frame`, which is whole, count at `position` from now on.
    ///
    /// - Parameter frame: It names what the frame there names as the one before it.
    static func putLate(
        _ frame: ByteWriter, at position: Position, in transaction: borrowing WriteTransaction
    ) throws {
        let tables = try LateTables(in: transaction)
        // Counted on from the last one, also where that goes: a number is never given twice in a file.
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

    /// Lends what a row of `late` says to `body`: the position, and the frame that counts there.
    static func withLate<Result>(
        in row: RawSpan, _ body: (_ position: Position, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        guard row.byteCount > lateFrameOffset else { throw EventLogError.damaged(LogTable.late.row) }
        return try body(row.uint64(at: 0), row.extracting(lateFrameOffset..<row.byteCount))
    }

    /// Where the frame begins in a row of `late`.
    static var lateFrameOffset: Int { 8 }

    /// Lends what counts at `position`: the frame in `row`, which stands there, or the one that came late.
    static func withPresent<Result>(
        _ row: RawSpan, at position: Position, in transaction: borrowing some ReadableTransaction & ~Copyable,
        _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        let frame = try Frame(verifying: row, at: position)
        guard frame.isPartial else { return try body(frame, row) }
        let tables = try LateTables(in: transaction)
        guard let number = try transaction.withValue(position, in: tables.filled, { try Self.number($0) }) else {
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

    /// As above, for who goes through the log; the frames are not checked.
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
            try withLate(in: row) { place, bytes in
                guard place == position else { throw EventLogError.damaged(LogTable.late.row) }
                return try body(bytes)
            }
        }
        guard let result else { throw EventLogError.damaged(LogTable.late.row) }
        return result
    }

    fileprivate static func number(_ row: RawSpan) throws -> UInt64 {
        guard row.byteCount == 8 else { throw EventLogError.damaged(LogTable.filled.row) }
        return row.uint64(at: 0)
    }
}

/// The tables of what came late, opened where they are asked.
struct LateTables {
    let late: CheckedTable<UInt64>
    let filled: CheckedTable<UInt64>

    init(in transaction: borrowing some ReadableTransaction & ~Copyable) throws {
        late = try CheckedTable(.late, in: transaction)
        filled = try CheckedTable(.filled, in: transaction)
    }
}

/// Which content a log has: the generation of its file, and how many events came late in that.
///
/// What was computed from events is of the content that they were read from, and is made anew where that is another one.
/// Where only events came late, it can be gone on with: what these touch is made anew.
public struct LogContent: Hashable, Sendable {
    /// Which file of the log it is.
    public let generation: LogGeneration
    /// The number of the event that came late last; 0 for none.
    public let late: UInt64

    /// Bytes of it where it is kept: generation (16), late (8).
    package static let byteCount = LogGeneration.byteCount + 8

    /// That generation, with so many late events.
    package init(generation: LogGeneration, late: UInt64) {
        (self.generation, self.late) = (generation, late)
    }

    /// The content that `bytes`, as many as ``byteCount``, hold from `offset` on.
    package init(at offset: Int, of bytes: RawSpan) {
        generation = LogGeneration(at: offset, of: bytes)
        late = bytes.uint64(at: offset + LogGeneration.byteCount)
    }
}

extension ByteWriter {
    /// Appends a content as it is kept.
    package mutating func append(_ content: LogContent) {
        append(content.generation)
        append(littleEndian: content.late)
    }
}

/// Where in a log events came late, for who goes through it in order: one look-up for each of them, and one more.
@usableFromInline
struct NextLate {
    fileprivate var tables: LateTables?
    /// The first position at or behind the one asked for last that was filled, and its number; `.max` behind the last.
    private var next: (position: Position, number: UInt64) = (0, 0)

    @usableFromInline init() {}

    /// The number of what came late at `position`, which is not before the one asked for last; `nil` where nothing did.
    fileprivate mutating func number(
        at position: Position, in transaction: borrowing ReadTransaction, _ tables: LateTables
    ) throws -> UInt64? {
        if next.position < position {
            next = (.max, 0)
            try transaction.forEach(in: tables.filled, from: position) { key, row in
                next = (key.bigEndianUInt64(at: 0), try EventLog.number(row))
                return false
            }
        }
        return next.position == position ? next.number : nil
    }
}

import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership

/// One state of the log. Frames met in a scan can be returned to without a look-up.
///
/// It holds an LMDB snapshot, which keeps old pages from being reused: keep it for a short piece of work only.
public struct LogSnapshot: ~Copyable {
    private let transaction: ReadTransaction
    private let tables: LogTables
    private let log: EventLog

    init(_ transaction: consuming ReadTransaction, of log: EventLog) throws {
        self.log = log
        tables = try LogTables(in: transaction)
        self.transaction = transaction
    }

    /// Passes the events from `position` on to `body` until that returns `false`: see ``EventLog/scan(from:_:)``.
    public func scan(
        from position: Position, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        var next = Swift.max(1, position)
        var continues = true
        let end = try tables.state(in: transaction).nextPosition
        if next >= end { return }
        var late = NextLate()
        try transaction.withCursor(tables.events) { cursor in
            try cursor.forEach(from: next) { key, value in
                try EventLog.check(key, next)
                let position = next
                let frame = try Frame(verifying: value, at: position)
                next += 1
                continues =
                    try frame.isPartial
                    ? EventLog.withPresent(value, at: position, in: transaction, &late) { bytes in
                        try body(position, Frame(verifying: bytes, at: position), bytes)
                    } : body(position, frame, value)
                return continues
            }
        }
        if continues, next < end { throw EventLog.noEvent(at: next) }
    }

    /// Passes the late events after arrival number `number` to `body`, in order of arrival, until that returns
    /// `false`: each with its number and its position.
    public func scanLate(
        after number: UInt64,
        _ body: (_ number: UInt64, _ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        try transaction.forEach(in: LateTables(in: transaction).late, from: number + 1) { key, row in
            try LateRow.withFrame(in: row) { position, bytes in
                try body(key.bigEndianUInt64(at: 0), position, Frame(verifying: bytes, at: position), bytes)
            }
        }
    }

    /// Who belongs to the log, and which events count; `nil` if all do: see ``EventLog/roster()``.
    package func roster() throws -> Roster? { try log.roster(in: transaction, tables) }

    /// The content of the log: see ``LogContent``.
    public func content() throws -> LogContent { try EventLog.content(in: transaction, tables.meta) }

    /// Returns the checksum as ``EventLog/checksum(at:)`` does.
    public func checksum(at position: Position) throws -> UInt32? {
        try EventLog.checksum(at: position, in: transaction, tables)
    }

    /// Returns the location of `bytes`, which this snapshot handed out, for ``withBytes(at:_:)``.
    public func place(of bytes: RawSpan) -> Place { transaction.place(of: bytes) }

    /// Lends the bytes at a location that this snapshot returned.
    public func withBytes<Result>(at place: Place, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        try transaction.withBytes(at: place, body)
    }

    /// Asks the processor for the bytes at a location that this snapshot returned: they are read soon.
    public func prefetch(at place: Place) { transaction.prefetch(at: place) }
}

extension EventLog {
    /// Lends one state of the log to `body`.
    public func withSnapshot<Result>(_ body: (borrowing LogSnapshot) throws -> Result) throws -> Result {
        try read { transaction in
            // The snapshot is lent, so it ends before its transaction.
            try body(LogSnapshot(ReadTransaction(sharing: transaction), of: self))
        }
    }
}

import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// One state of the log, read for a while: frames that were met in a scan can be come back to without a look-up.
///
/// It holds an LMDB snapshot, so it is for a slice of work, not for keeping.
public struct LogSnapshot: ~Copyable {
    private let transaction: ReadTransaction
    private let tables: LogTables

    init(_ transaction: consuming ReadTransaction) throws {
        tables = try LogTables(in: transaction)
        self.transaction = transaction
    }

    /// Hands out the events from `position` on until `body` says `false`: see ``EventLog/scan(from:_:)``.
    public func scan(
        from position: Position, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        var next = Swift.max(1, position)
        var goesOn = true
        let end = try EventLog.state(in: transaction, tables.meta).nextPosition
        if next >= end { return }
        var late = NextLate()
        try transaction.withCursor(tables.events) { cursor in
            try cursor.forEach(from: next) { key, value in
                try EventLog.check(key, next)
                let position = next
                let frame = try Frame(verifying: value, at: position)
                next += 1
                goesOn =
                    try frame.isPartial
                    ? EventLog.withPresent(value, at: position, in: transaction, &late) { bytes in
                        try body(position, Frame(verifying: bytes, at: position), bytes)
                    } : body(position, frame, value)
                return goesOn
            }
        }
        if goesOn, next < end { throw EventLog.noEvent(at: next) }
    }

    /// Hands out the events that came late behind the one of that number, in order of arrival, until `body` says `false`:
    /// each with its number, and the position that it counts at.
    public func scanLate(
        after number: UInt64,
        _ body: (_ number: UInt64, _ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        try transaction.forEach(in: LateTables(in: transaction).late, from: number + 1) { key, row in
            try EventLog.withLate(in: row) { position, bytes in
                try body(key.bigEndianUInt64(at: 0), position, Frame(verifying: bytes, at: position), bytes)
            }
        }
    }

    /// Which content of the log this is.
    public func content() throws -> LogContent { try EventLog.content(in: transaction, tables.meta) }

    /// As ``EventLog/checksum(at:)``.
    public func checksum(at position: Position) throws -> UInt32? {
        try EventLog.checksum(at: position, in: transaction, tables)
    }

    /// Where `bytes`, handed out by this snapshot, lie: to be found again with ``withBytes(at:_:)``.
    public func place(of bytes: RawSpan) -> Place { transaction.place(of: bytes) }

    /// The bytes at a place that this snapshot gave out.
    public func withBytes<Result>(at place: Place, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        try transaction.withBytes(at: place, body)
    }
}

extension EventLog {
    /// Lends one state of the log to `body`.
    public func withSnapshot<Result>(_ body: (borrowing LogSnapshot) throws -> Result) throws -> Result {
        try read { transaction in
            // The snapshot is lent too, so it ends before its transaction.
            try body(LogSnapshot(ReadTransaction(sharing: transaction)))
        }
    }
}

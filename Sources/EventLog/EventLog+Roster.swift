import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership

// The roster: who belongs to the log, and which of its events count. It is a fold of the events of one kind. The log stores
// what they say in the row `roster`, in the commit that brings them, since what counts must be known before anything is folded.
// If that changes for an event that is here already, the log gets another generation: everything that was computed of its
// events is then computed anew.
extension EventLog {
    /// Who belongs to the log, and which events count; `nil` if all do, since the log is not sealed. Cost: a look-up, about
    /// 1 us; if the log is sealed, O(statements) after each of them.
    package func roster() throws -> Roster? {
        try read { transaction in try roster(in: transaction, LogTables(in: transaction)) }
    }

    func roster(in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables) throws -> Roster? {
        let bytes = try transaction.value(RosterRow.key, in: tables.meta)
        if bytes == Self.unsealed { return nil }
        let streams = try Self.streams(in: transaction, tables)
        let known = KnownRoster.Source(bytes: bytes ?? [], streams: streams)
        if let roster = knownRoster.withLock({ $0?.source == known ? $0?.roster : nil }) { return roster }
        let row = try bytes.map(Self.rosterRow) ?? Self.scanned(RosterRow(), transaction, tables)
        guard let roster = row.roster(streams) else { return nil }
        if bytes != nil { knownRoster.withLock { $0 = KnownRoster(source: known, roster: roster) } }
        return roster
    }

    /// What the events here say of who belongs.
    package func rosterRow() throws -> RosterRow {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let bytes = try transaction.value(RosterRow.key, in: tables.meta)
            return try bytes.map(Self.rosterRow) ?? Self.scanned(RosterRow(), transaction, tables)
        }
    }

    /// Writes the row if the log has none, since it was salvaged: what the events here say. The root has to be told anew.
    func writeMissingRoster() throws {
        let isMissing = try read { transaction in
            try transaction.value(RosterRow.key, in: LogTables(in: transaction).meta) == nil
        }
        if isMissing { try commit { transaction, tables, _ in try followRoster(since: nil, transaction, tables) } }
    }

    /// Remembers which event seals this log, before it is here: then no other one does, and until it comes nothing counts.
    ///
    /// - Parameter root: What stands for that event: see `RosterKind.root`.
    /// - Returns: `false` if another event has sealed the log; then nothing has changed.
    package func believe(_ root: Hash256) throws -> Bool {
        try commit { transaction, tables, _ in
            var row = try Self.rosterRow(in: transaction, tables)
            guard row.root == nil || row.root == root else { return false }
            row.root = root
            try put(row, transaction, tables)
            return true
        }
    }

    private static let unsealed = RosterRow().bytes

    private static func rosterRow(_ bytes: [UInt8]) throws -> RosterRow {
        do { return try bytes.withSpan { try RosterRow(decoding: $0) } } catch {
            throw EventLogError.damaged("the list of who belongs to the log")
        }
    }

    static func rosterRow(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> RosterRow {
        try transaction.value(RosterRow.key, in: tables.meta).map(rosterRow)
            ?? scanned(RosterRow(), transaction, tables)
    }

    /// Notes whether an event says who belongs.
    static func noteStatement(_ frame: Frame, in bytes: RawSpan, _ state: inout LogState) {
        guard !state.changesRoster else { return }
        state.changesRoster = isStatement(frame, in: bytes)
    }

    /// Whether an event keeps its values whoever erases it.
    static func isNeverErased(_ frame: Frame, in bytes: RawSpan) -> Bool {
        RosterKind.isNeverErased(frame.id, shape: bytes.extracting(frame.shape))
    }

    /// Whether an event says who belongs.
    static func isStatement(_ frame: Frame, in bytes: RawSpan) -> Bool {
        RosterKind.isStatement(shape: bytes.extracting(frame.shape))
    }

    /// Whether a frame that is about to be stored says who belongs.
    static func isStatement(_ frame: ByteWriter, at position: Position) throws -> Bool {
        try frame.withSpan { bytes in
            RosterKind.isStatement(shape: bytes.extracting(try Frame(bytes, at: position).shape))
        }
    }

    /// Brings the roster to what the events of a transaction say.
    ///
    /// - Parameters:
    ///   - before: The state before these events. If `nil`, all events are read again.
    ///   - isOwn: Whether this store has just written them.
    func followRoster(
        since before: LogState?, isOwn: Bool = false, _ transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        var row = try Self.rosterRow(in: transaction, tables)
        if let before {
            try Self.forEachStatement(from: before.nextPosition, transaction, tables) {
                if let new = $1 { row.add(new, isOwn: isOwn) }
            }
        } else {
            row = try Self.scanned(row, transaction, tables)
        }
        try put(row, transaction, tables)
    }

    /// Stores `row`, and ends what is refused because of events that do not count by it. If it decides otherwise about any event
    /// that was here before this transaction, the log gets another generation.
    private func put(_ row: RosterRow, _ transaction: borrowing WriteTransaction, _ tables: LogTables) throws {
        let streams = try Self.streams(in: transaction, tables)
        // Reads within a write see the state before it.
        let ranges = try vector().entries.map { EventRange($0.replica, 1, through: $0.sequence) }
        let before = try roster(in: transaction, tables)?.uncounted(among: ranges) ?? EventSet()
        let decided = row.roster(streams)
        let after = decided?.uncounted(among: ranges) ?? EventSet()
        try transaction.put(row.bytes.span.bytes, for: RosterRow.key, in: tables.meta)
        try Self.endRefusals(by: decided, transaction, tables)
        if before != after { try Self.renewGeneration(transaction, tables) }
    }

    private static func renewGeneration(_ transaction: borrowing WriteTransaction, _ tables: LogTables) throws {
        var writer = ByteWriter(capacity: LogGeneration.byteCount)
        writer.append(LogGeneration(after: try generation(in: transaction, tables.meta)))
        try transaction.put(writer.bytes.span.bytes, for: LogGeneration.key, in: tables.meta)
    }

    /// Returns `row` with what all events say.
    private static func scanned(
        _ row: RosterRow, _ transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> RosterRow {
        var (found, archived) = (RosterRow(root: row.root), row.statements[...])
        try forEachStatement(from: 1, transaction, tables) { event, statement in
            // What an event without its values says is known from before.
            let known = archived.firstIndex { $0.event == event }.map { archived.remove(at: $0) }
            if let statement = statement ?? known { found.add(statement) }
        }
        return found
    }

    private static func forEachStatement(
        from position: Position, _ transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables,
        _ body: (EventID, RosterStatement?) throws -> Void
    ) throws {
        try transaction.withCursor(tables.events) { cursor in
            try cursor.forEach(from: position) { key, row in
                let position = key.bigEndianUInt64(at: 0)
                try withPresent(row, at: position, in: transaction) { frame, bytes in
                    guard RosterKind.isStatement(shape: bytes.extracting(frame.shape)) else { return }
                    try body(frame.id, RosterStatement(reading: frame, in: bytes))
                }
                return true
            }
        }
    }
}

/// The roster that was decided last, and from what.
struct KnownRoster {
    struct Source: Hashable {
        let bytes: [UInt8]
        let streams: Streams
    }

    let source: Source
    let roster: Roster
}

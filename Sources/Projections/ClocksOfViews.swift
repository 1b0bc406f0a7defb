import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

// A view stores which declarations of wrong clocks its rows follow. An event on the record of a replica may change them:
// then the records that have events with the stamps in question are folded anew, in the same transaction. So a fold is the
// same in every order, and its rows have the stamps that count.
extension ClockDeclarations {
    static let key = [UInt8]("clocks".utf8)

    /// Reads the declarations that the rows of a view follow.
    init(in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: ViewTables) throws {
        self.init()
        guard let row = try transaction.value(Self.key, in: tables.meta) else { return }
        let bytes = try CheckedRow.open(row)
        do { self = try bytes.withSpan { try ClockDeclarations(decoding: $0) } } catch {
            throw ViewError.damaged("the list of wrong clocks cannot be read")
        }
    }

    /// Reads the declarations that the records of replicas in a view have.
    ///
    /// - Parameter state: Returns another state of a record in place of the stored one; `nil` if it does not exist.
    init(
        ofRecordsIn transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: ViewTables, names: Names,
        _ streams: Streams, state: (RecordID, RecordState) throws -> RecordState? = { $1 }
    ) throws {
        self.init()
        let prefix = RecordKey.prefix(kind: ClockDeclaration.kind)
        var stored = RecordState()
        try transaction.withCursor(tables.records) { cursor in
            try cursor.forEach(from: prefix, confirming: CheckedRow.check) { key, row in
                guard key.byteCount == prefix.count + 16, ViewReader.key(key, hasPrefix: prefix) else { return false }
                do { try stored.decode(row, names: names, keyChecksum: CRC32C.checksum(key)) } catch {
                    throw ViewError.damaged("the checksum of a record is wrong")
                }
                let record = RecordID(at: prefix.count, of: key)
                let declarations = try state(record, stored)?.clockDeclarations ?? []
                if !declarations.isEmpty { add(declarations, of: ReplicaID(high: record.high, low: record.low)) }
                return true
            }
        }
        for branch in streams.branches.keys { copy(streams.origin(of: branch), to: branch) }
    }
}

extension ViewReader {
    /// The declarations of wrong clocks that the stored rows follow. Cost: a look-up.
    func declaredClocks() throws -> ClockDeclarations { try ClockDeclarations(in: transaction, tables) }

    /// Returns the declarations among the events that `filter` counts. Cost: nothing if it counts all events, else a fold of
    /// each replica's record.
    func declaredClocks(under filter: EventFilter, in history: RecordHistory) throws -> ClockDeclarations {
        if let known = filter.declared { return known }
        if filter.vector == nil, filter.without.isEmpty { return try declaredClocks() }
        return try ClockDeclarations(
            ofRecordsIn: transaction, tables, names: names, history.log.streams()
        ) { record, stored in
            var names = names
            return try history.state(
                of: ClockDeclaration.kind, record, foldedFrom: stored.history.positions, filter, names: &names)
        }
    }

    /// Returns `filter` with the declarations of wrong clocks that count under it, so that they need not be found for each
    /// record.
    package func completing(_ filter: EventFilter, in history: RecordHistory) throws -> EventFilter {
        var filter = filter
        filter.declared = try declaredClocks(under: filter, in: history)
        return filter
    }
}

extension Views {
    /// The declarations of wrong clocks that count now.
    package func declaredClocks() throws -> ClockDeclarations { try read { try $0.declaredClocks() } }

    /// Returns the declarations among the events whose positions `isCounted` accepts. Cost: a fold of each replica's record.
    package func declaredClocks(among isCounted: (Position) -> Bool) throws -> ClockDeclarations {
        try read { view in
            try ClockDeclarations(
                ofRecordsIn: view.transaction, view.tables, names: view.names, log.streams()
            ) { record, stored in
                var names = view.names
                return try history.state(
                    of: ClockDeclaration.kind, record, foldedFrom: stored.history.positions.filter(isCounted),
                    EventFilter(), names: &names)
            }
        }
    }

    /// Returns the events whose stamps count differently under the two filters, since other clocks are declared as wrong.
    package func eventsRestamped(from first: EventFilter, to second: EventFilter) throws -> [EventRange] {
        let differences = try read { view in
            try view.declaredClocks(under: first, in: history)
                .differences(from: view.declaredClocks(under: second, in: history))
        }
        return try log.events(stampedFrom: differences)
    }
}

extension Replayer {
    /// A slice with which a view begins.
    enum SnapshotSlice {
        /// The rows of a snapshot, and nothing else.
        case alone
        /// These rows, and events that were folded into them.
        case withEvents
    }

    /// Brings the declarations that a view follows to those that its records have.
    ///
    /// - Parameter snapshot: What the slice before was, if the view began with a snapshot then: whose rows follow the
    ///   declarations in it.
    /// - Complexity: O(events of the replicas' records). If they differ, O(events of the records with such stamps).
    func followClocks(after snapshot: SnapshotSlice? = nil, _ transaction: borrowing WriteTransaction) throws {
        let tables = try ViewTables(in: transaction)
        let names = try SliceWriter.names(in: transaction, tables)
        let followed = try ClockDeclarations(in: transaction, tables)
        let declared = try ClockDeclarations(ofRecordsIn: transaction, tables, names: names, log.streams())
        let checkpoint = try Self.checkpoint(in: transaction, tables)
        if declared != followed {
            var rows = try RowWriter(transaction)
            try rows.put(declared, transaction)
            try rows.put(checkpoint, transaction)
        }
        if snapshot == .alone { return }
        let history = history ?? RecordHistory(of: log, kinds: kinds)
        var first = declared.differences(from: followed)
        if snapshot == .withEvents {
            let rows = try ClockDeclarations(ofRecordsIn: transaction, tables, names: names, log.streams()) {
                var names = names
                return try history.state(
                    of: ClockDeclaration.kind, $0, foldedFrom: $1.history.positions, EventFilter(folded), names: &names)
            }
            first.merge(declared.differences(from: rows), uniquingKeysWith: Swift.min)
        }
        if first.isEmpty { return }
        func refold(_ touched: LateTouch) throws {
            var writer = try SliceWriter(transaction, kinds: kinds, filter)
            try writer.refold(touched.recordsInOrder, history, transaction)
            try writer.finish(through: checkpoint, unread: [], transaction)
        }
        // What the events touch that have such stamps, some at a time: anybody may declare anything.
        var touched = LateTouch()
        for range in try log.events(stampedFrom: first) {
            try log.scan(range) { position, frame, bytes in
                if filter.includes(frame.id), !frame.isLost { touched.noteRecords(of: frame, bytes, at: position) }
                if touched.recordCount >= Self.refoldLimit {
                    try refold(touched)
                    touched = LateTouch()
                }
                return true
            }
        }
        try refold(touched)
    }

    /// How many records are refolded at a time.
    private static let refoldLimit = 1 << 16
}

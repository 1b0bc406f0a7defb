import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

/// One consistent state of the views, lent to a query, a listing or a digest.
public struct ViewReader: ~Copyable {
    let transaction: ReadTransaction
    let tables: ViewTables
    /// The known kinds.
    public let kinds: Kinds
    /// The local numbers of replicas, sources and fields.
    public let names: Names
    private let checkpoint: Checkpoint
    /// The derivations that the view has rows of.
    let derivations: KnownDerivations
    /// The records and derived rows that replace stored ones.
    let overlay: Overlay?

    private init(
        _ transaction: consuming ReadTransaction, _ tables: ViewTables, _ checkpoint: Checkpoint, _ names: Names,
        _ kinds: Kinds, _ derivations: KnownDerivations, _ overlay: Overlay?
    ) {
        self.transaction = transaction
        self.tables = tables
        self.checkpoint = checkpoint
        self.names = names
        self.kinds = kinds
        self.derivations = derivations
        self.overlay = overlay
    }

    /// Lends a reader of the state that `transaction` sees to `body`.
    ///
    /// - Throws: ``ViewError/behind`` if something that `kinds` derive is missing or behind.
    static func lend<Result>(
        _ transaction: borrowing ReadTransaction, kinds: Kinds, overlay: Overlay? = nil,
        to body: (borrowing ViewReader) throws -> Result
    ) throws -> Result {
        let tables = try ViewTables(in: transaction)
        let checkpoint = try Replayer.checkpoint(in: transaction, tables)
        guard checkpoint.layout == Kinds.viewVersion else { throw ViewError.stale }
        let derivations = KnownDerivations(try SliceWriter.directory(in: transaction, tables), kinds)
        guard derivations.isComplete else { throw ViewError.behind }
        let names = try SliceWriter.names(in: transaction, tables)
        // The shared transaction is only lent too, and ends before the original.
        let reader = ViewReader(
            ReadTransaction(sharing: transaction), tables, checkpoint, names, kinds, derivations, overlay)
        return try body(reader)
    }

    /// Lends the same state under an overlay to `body`.
    func overlaid<Result>(by overlay: Overlay, _ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        try Self.lend(transaction, kinds: kinds, overlay: overlay, to: body)
    }

    /// The position of the last event that counts.
    public var position: Position { overlay?.position ?? checkpoint.position }

    /// The position of the last event that was folded into the rows.
    var storedPosition: Position { checkpoint.position }

    /// The content of the log whose events were folded into the rows.
    var content: LogContent { checkpoint.content }

    // MARK: - Records

    /// Returns the state of a record, or `nil` if no event of it was folded.
    public func state(of kind: String, _ record: RecordID) throws -> RecordState? {
        switch overlay?.find(kind, record) ?? .stored {
        case .stored: return try storedState(of: kind, record)
        case .absent: return nil
        case .row(let row):
            var state = RecordState()
            try decode(overlaid: row, into: &state)
            return state
        }
    }

    /// Returns the state in the stored row of a record.
    func storedState(of kind: String, _ record: RecordID) throws -> RecordState? {
        let key = RecordKey.of(kind: kind, record)
        return try transaction.withValue(key, in: tables.records, confirming: CheckedRow.check) { row in
            var state = RecordState()
            try decode(row, under: key.span.bytes, into: &state)
            return state
        }
    }

    func decode(_ row: RawSpan, under key: RawSpan, into state: inout RecordState) throws {
        do { try state.decode(row, names: names, keyChecksum: CRC32C.checksum(key)) } catch {
            throw ViewError.damaged("the checksum of a record is wrong")
        }
    }

    private func decode(overlaid row: [UInt8], into state: inout RecordState) throws {
        try row.withSpan { try state.decode($0, names: names) }
    }

    /// Returns a record, hidden or not, or `nil` if no event of it was folded. Cost: a few microseconds.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? {
        try state(of: kind, id).map {
            Record(kind: kind, id: id, state: $0, names: names, schema: try schema(of: kind))
        }
    }

    /// Returns the schema by which records of `kind` are read: the registered one, or else what the log says about the kind,
    /// if a program with its code has written it; `nil` if neither is there. Cost: nothing, or a look-up.
    public func schema(of kind: String) throws -> KindSchema? {
        if let schema = kinds[kind] { return schema }
        // Names do not depend on the moment that is read.
        guard let state = try storedState(of: KindDescription.name, KindDescription.id(of: kind)) else { return nil }
        let record = Record(
            kind: KindDescription.name, id: KindDescription.id(of: kind), state: state, names: names,
            schema: KindDescription.schema)
        return KindDescription.schema(in: record).flatMap { $0.name == kind ? $0 : nil }
    }

    /// Yields all records of a kind in order of id, including hidden ones, until `body` returns `false`.
    public func forEachRecord(of kind: String, _ body: (Record) throws -> Bool) throws {
        let schema = try schema(of: kind)
        try forEachState(of: kind) { id, state in
            try body(Record(kind: kind, id: id, state: state, names: names, schema: schema))
        }
    }

    /// Yields the states of all records of a kind in order of id, from `start` on, until `body` returns `false`.
    public func forEachState(
        of kind: String, from start: RecordID = RecordID(high: 0, low: 0),
        _ body: (RecordID, RecordState) throws -> Bool
    ) throws {
        try forEachShown(of: kind, from: start) { record, values in try body(record, values.state) }
    }

    /// Yields the values that the records of a kind show, in order of id, including those of hidden ones, from `start` on,
    /// until `body` returns `false`.
    ///
    /// - Complexity: About a microsecond for each record, and no allocation, as long as `body` does not keep the values.
    package func forEachShown(
        of kind: String, from start: RecordID = RecordID(high: 0, low: 0),
        _ body: (RecordID, borrowing ShownValues) throws -> Bool
    ) throws {
        try forEachRow(of: kind, from: start) { record, _, values in try body(record, values) }
    }

    /// As ``forEachShown(of:from:_:)``, with the place of the row that a record's values were read from; `nil` if they are
    /// those of the overlay.
    func forEachRow(
        of kind: String, from start: RecordID = RecordID(high: 0, low: 0),
        _ body: (RecordID, Place?, borrowing ShownValues) throws -> Bool
    ) throws {
        let prefix = RecordKey.prefix(kind: kind)
        var values = shownValues(of: kind)
        try transaction.withCursor(tables.records) { cursor in
            try cursor.forEach(from: RecordKey.of(kind: kind, start), confirming: CheckedRow.check) { key, row in
                // Verify the row before its key ends the loop: a damaged key may look like one of another kind.
                try decode(row, under: key, into: &values.state)
                guard key.byteCount == prefix.count + 16, Self.key(key, hasPrefix: prefix) else { return false }
                let record = RecordID(at: prefix.count, of: key)
                switch overlay?.find(kind, record) ?? .stored {
                case .stored: return try body(record, transaction.place(of: row), values)
                case .absent: return true
                case .row(let row):
                    try decode(overlaid: row, into: &values.state)
                    return try body(record, nil, values)
                }
            }
        }
    }

    /// Yields the values that `records` of a kind show, in their order; those of which no event was folded are left out.
    ///
    /// - Complexity: A look-up for each, and no allocation, as long as `body` does not keep the values.
    package func forEachShown(
        of kind: String, _ records: [RecordID], _ body: (RecordID, borrowing ShownValues) throws -> Void
    ) throws {
        var values = shownValues(of: kind)
        var key = RecordKey.of(kind: kind, RecordID(high: 0, low: 0))
        var unused: Place?
        for record in records {
            RecordKey.change(&key, to: record)
            if try read(record, of: kind, under: key, into: &values, &unused) { try body(record, values) }
        }
    }

    /// The values of no record of `kind` yet: for ``read(_:of:into:)``.
    package func shownValues(of kind: String) -> ShownValues {
        ShownValues(RecordState(), names, schema: kinds[kind])
    }

    /// Reads what one record shows into `values`, which are of its kind and used again for each record; returns `false` if
    /// no event of it was folded. Cost: a look-up.
    package func read(_ record: RecordID, of kind: String, into values: inout ShownValues) throws -> Bool {
        var unused: Place?
        return try read(record, of: kind, under: RecordKey.of(kind: kind, record), into: &values, &unused)
    }

    /// - Parameter place: Becomes that of the row; `nil` if the values are those of the overlay.
    func read(
        _ record: RecordID, of kind: String, under key: [UInt8], into values: inout ShownValues, _ place: inout Place?
    ) throws -> Bool {
        place = nil
        switch overlay?.find(kind, record) ?? .stored {
        case .stored: break
        case .absent: return false
        case .row(let row):
            try decode(overlaid: row, into: &values.state)
            return true
        }
        place = try transaction.withValue(key, in: tables.records, confirming: CheckedRow.check) { row in
            try decode(row, under: key.span.bytes, into: &values.state)
            return transaction.place(of: row)
        }
        return place != nil
    }

    /// Returns the names of all kinds that have records, registered or not, in byte order.
    public func kindsWithRecords() throws -> [String] {
        var result: [String] = []
        try transaction.withCursor(tables.records) { cursor in
            var isThere = try cursor.seek(atOrAfter: [0], confirming: CheckedRow.check)
            while isThere {
                let kind = try cursor.withEntry { key, row in
                    try CheckedRow.check(key, row)
                    return RecordKey.parse(key)?.kind
                }
                guard let kind else { throw ViewError.damaged("the key of a record is malformed") }
                if try hasRecords(of: kind) { result.append(kind) }
                // Seek to the first key after this kind: the separator after its name is 0, so any later key is at
                // least name and 1.
                isThere = try cursor.seek(atOrAfter: [UInt8](kind.utf8) + [1], confirming: CheckedRow.check)
            }
        }
        return result
    }

    /// Returns whether there is a record of `kind`. Cost: a look-up.
    public func hasRecords(of kind: String) throws -> Bool {
        var isThere = false
        try forEachState(of: kind) { _, _ in
            isThere = true
            return false
        }
        return isThere
    }

    /// The number of records that show, by kind; a kind of which none shows is absent. Cost: reads every record.
    package func shownCounts() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for kind in try kindsWithRecords() {
            try forEachState(of: kind) { _, state in
                if state.isVisible { counts[kind, default: 0] += 1 }
                return true
            }
        }
        return counts
    }

    static func key(_ key: RawSpan, hasPrefix prefix: [UInt8]) -> Bool {
        key.byteCount >= prefix.count && prefix.withSpan { key.extracting(0..<prefix.count).elementsEqual($0) }
    }

    // MARK: - Unread events

    /// Returns the events that are in the log but not in these views, in order of position.
    public func unreadEvents() throws -> [UnreadEvent] {
        var result: [UnreadEvent] = []
        try transaction.withCursor(tables.unread) { cursor in
            try cursor.forEach(confirming: CheckedRow.check) { key, row in
                try CheckedRow.check(key, row)
                guard key.byteCount == 8 else { throw ViewError.damaged("the key of an event is malformed") }
                let event = UnreadEvent(position: key.bigEndianUInt64(at: 0), row: row)
                if overlay?.countsUnread(at: event.position) ?? true { result.append(event) }
                return true
            }
        }
        return result
    }
}

extension ViewReader {
    /// Yields the ids of `kind` whose base32 form starts with `textPrefix`, in order, until `body` returns `false`.
    ///
    /// Cost: O(matches), since ids sort like their text.
    public func forEachRecordID(
        of kind: String, textPrefix: String, _ body: (RecordID) throws -> Bool
    ) throws {
        guard let digits = Base32.digits(of: textPrefix), digits.count <= 26 else { return }
        // The least matching id: the digits, padded with zeros to whole bytes.
        let padded = digits + [UInt8](repeating: 0, count: 26 - digits.count)
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        guard let first = RecordID(text: String(padded.map { alphabet[Int($0)] })) else { return }
        try forEachRecordID(of: kind, from: first) { id in
            guard Base32.digits(of: id.description)?.starts(with: digits) == true else { return false }
            return try body(id)
        }
    }

    private func forEachRecordID(of kind: String, from first: RecordID, _ body: (RecordID) throws -> Bool) throws {
        let prefix = RecordKey.prefix(kind: kind)
        try transaction.withCursor(tables.records) { cursor in
            try cursor.forEach(from: RecordKey.of(kind: kind, first), confirming: CheckedRow.check) { key, row in
                try CheckedRow.check(key, row)
                guard key.byteCount == prefix.count + 16, Self.key(key, hasPrefix: prefix) else { return false }
                let record = RecordID(at: prefix.count, of: key)
                if case .absent? = overlay?.find(kind, record) { return true }
                return try body(record)
            }
        }
    }
}

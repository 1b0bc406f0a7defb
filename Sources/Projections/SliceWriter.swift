import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

/// Folds the events of one slice into the rows of a view, inside one write transaction of it.
struct SliceWriter {
    private var rows: RowWriter
    private let kinds: Kinds
    private var filter: EventFilter
    /// Whether the view had no rows: then nothing is looked up, and rows are appended in key order.
    private let isEmpty: Bool
    private var names: Names
    /// The number of stored names; -1 if they must be replaced by those of `base`.
    private let nameCount: Int
    private var state = RecordState()
    /// The mark of the row that the state was read from; `nil` if there was none.
    private var former: RowMark?
    private var row = ByteWriter(capacity: 4096)
    /// The derivations that the view has rows of.
    private let derivations: KnownDerivations
    /// What each derivation made of the record at hand before its events, and one of them after these.
    private var before: [IndexEntries]
    private var after = IndexEntries()
    private var derived = DerivedRowWriter()
    private var others: DerivationsLeftBehind
    /// The snapshot that an empty view starts from, with the rows not yet passed.
    private var base: SnapshotRows?
    /// The events whose content turned out to be malformed while folding.
    private(set) var unread: [Position: [UInt8]] = [:]

    static let namesKey = [UInt8]("names".utf8)

    /// - Parameters:
    ///   - names: The names that the rows of `base` use.
    ///   - base: The rows that an empty view starts from.
    /// - Throws: ``ViewError/behind`` if something that `kinds` derive is missing or behind.
    init(
        _ transaction: borrowing WriteTransaction, kinds: Kinds, _ filter: EventFilter, names: Names? = nil,
        base: SnapshotRows? = nil
    ) throws {
        rows = try RowWriter(transaction)
        let tables = rows.tables
        self.kinds = kinds
        self.filter = filter
        self.base = base
        derivations = KnownDerivations(try Self.directory(in: transaction, tables), kinds)
        guard derivations.isComplete else { throw ViewError.behind }
        before = kinds.derivations.map { _ in IndexEntries() }
        others = DerivationsLeftBehind(derivations)
        isEmpty = try transaction.count(of: tables.records) == 0
        guard try transaction.withCursor(tables.records, { try $0.first() }) != isEmpty else {
            throw ViewError.damaged("it does not have as many records as it counts")
        }
        precondition(base == nil || isEmpty, "Only an empty view begins with a snapshot.")
        let stored = try Self.names(in: transaction, tables)
        self.filter.declared = try ClockDeclarations(in: transaction, tables)
        self.names = names ?? stored
        nameCount = names == nil ? stored.count : -1
    }

    static func names(in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: ViewTables) throws
        -> Names
    {
        guard let row = try transaction.value(namesKey, in: tables.meta) else {
            throw ViewError.damaged("its names are missing")
        }
        let bytes = try CheckedRow.open(row)
        do { return try bytes.withSpan { try Names(decoding: $0) } } catch {
            throw ViewError.damaged("its names cannot be read")
        }
    }

    static func directory(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: ViewTables
    ) throws -> DerivationDirectory {
        guard let row = try transaction.value(DerivationDirectory.key, in: tables.meta) else {
            throw ViewError.damaged("the list of what it derives is missing")
        }
        let bytes = try CheckedRow.open(row)
        do { return try bytes.withSpan { try DerivationDirectory($0) } } catch {
            throw ViewError.damaged("the list of what it derives cannot be read")
        }
    }

    mutating func fold(
        _ groups: EventGroups, from snapshot: borrowing LogSnapshot, _ transaction: borrowing WriteTransaction
    ) throws {
        try groups.forEachRecord(prefetching: { snapshot.prefetch(at: $0) }) { kind, record, events, order in
            let key = RecordKey.of(kind: kind, record)
            try load(key, kind, transaction)
            makeRowsBefore(of: record, kind)
            for event in order[events] {
                let (position, place) = groups[event]
                try snapshot.withBytes(at: place) { try foldEvent($0, of: record, position: position) }
            }
            try write(key, transaction)
            try replaceRows(of: record, kind, transaction)
        }
        try passBase(through: nil, transaction)
    }

    /// Writes the present state as the row of the record under `key`.
    private mutating func write(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws {
        row.removeAll()
        state.encode(into: &row, keyChecksum: key.withSpan { CRC32C.checksum($0) })
        try row.withSpan { row in
            if isEmpty { return try rows.appendRecord(row, for: key, transaction) }
            try rows.putRecord(row, for: key, replacing: former, transaction)
        }
    }

    /// Refolds what late events touch: each record from all of its events, and each cell from its blocks.
    ///
    /// - Parameter archived: The vector of the archive snapshot.
    mutating func fold(
        _ touched: LateTouch, _ history: RecordHistory, archived: VersionVector,
        from snapshot: borrowing LogSnapshot, _ transaction: borrowing WriteTransaction
    ) throws {
        for position in touched.positions { try rows.removeUnread(at: position, transaction) }
        for (key, late) in touched.recordsInOrder {
            try load(key, late.kind, transaction)
            makeRowsBefore(of: late.record, late.kind)
            let positions = Set(state.history.positions).union(late.positions).sorted()
            var failed: [Position: [UInt8]] = [:]
            state = try history.state(
                of: late.kind, late.record, foldedFrom: positions, filter, names: &names
            ) { position, error in failed[position] = UnreadEvent.encode(error) }
            unread.merge(failed) { $1 }
            try write(key, transaction)
            try replaceRows(of: late.record, late.kind, transaction)
        }
        if !touched.blocks.isEmpty {
            try fold(touched.blocks, isRefold: true, archived: archived, from: snapshot, transaction)
        }
    }

    /// Refolds records from all of their events, with the declarations of wrong clocks that the view follows now. Those
    /// without a row are passed over.
    mutating func refold(
        _ records: [(key: [UInt8], late: LateTouch.Late)], _ history: RecordHistory,
        _ transaction: borrowing WriteTransaction
    ) throws {
        for (key, late) in records {
            try load(key, late.kind, transaction)
            guard former != nil else { continue }
            makeRowsBefore(of: late.record, late.kind)
            state = try history.state(
                of: late.kind, late.record, foldedFrom: state.history.positions, filter, names: &names
            ) { position, error in unread[position] = UnreadEvent.encode(error) }
            try write(key, transaction)
            try replaceRows(of: late.record, late.kind, transaction)
        }
    }

    /// Appends the rows of the base before `wanted`, and reads the row under it, for its events to change.
    private mutating func passBase(through wanted: [UInt8]?, _ transaction: borrowing WriteTransaction) throws {
        guard var snapshot = base else { return }
        base = nil
        try snapshot.pass(through: wanted) { key, row, made, range in
            if key == wanted { return try decode(row, key) }
            try rows.appendRecord(row, for: key, transaction)
            derived.add(range, of: made)
        }
        base = snapshot
    }

    /// Makes the rows that the view has of the loaded record. That may be a record with an empty row, if none of its events
    /// could be folded.
    private mutating func makeRowsBefore(of record: RecordID, _ kind: String) {
        for place in kinds.derivations(of: kind) {
            before[place].removeAll()
            guard former != nil else { continue }
            kinds.derivations[place].makeRows(of: record, kind, state, names, kinds[kind], into: &before[place])
        }
    }

    /// Replaces the rows that were made of a record before by those of its present state.
    private mutating func replaceRows(
        of record: RecordID, _ kind: String, _ transaction: borrowing WriteTransaction
    ) throws {
        for place in kinds.derivations(of: kind) {
            kinds.derivations[place].makeRows(of: record, kind, state, names, kinds[kind], into: &after)
            try derived.replace(
                before[place], by: after, of: derivations.numbers[place], record, &rows, transaction)
        }
    }

    private mutating func load(_ key: [UInt8], _ kind: String, _ transaction: borrowing WriteTransaction) throws {
        let areOthersConcerned = others.concern(kind)
        var kept: [UInt8] = []
        if isEmpty {
            state.removeAll()
            try passBase(through: key, transaction)
        } else {
            former =
                try transaction.withValue(key, in: rows.tables.records, confirming: CheckedRow.check) { row in
                    try decode(row, key)
                    if areOthersConcerned { kept = row.toArray() }
                    return RowMark(key: key.span.bytes, row: row)
                } ?? nil
            if former == nil { state.removeAll() }
        }
        if areOthersConcerned { try kept.withSpan { try others.keep($0, of: key, kind, &rows, transaction) } }
    }

    private mutating func decode(_ row: RawSpan, _ key: [UInt8]) throws {
        do {
            try state.decode(row, names: names, keyChecksum: key.withSpan { CRC32C.checksum($0) })
        } catch { throw ViewError.damaged("the checksum of a record is wrong") }
    }

    /// Folds one event; a malformed one leaves the state unchanged.
    private mutating func foldEvent(_ bytes: RawSpan, of record: RecordID, position: Position) throws {
        // Its checksum needs no second check: it was verified when the scan met the event in the same snapshot.
        let frame = try Frame(bytes, at: position)
        do throws(ChangeError) {
            try state.fold(
                frame, of: record, in: bytes, stamp: filter.stamp(of: frame.id, frame.stamp), position: position,
                names: &names)
        } catch {
            unread[position] = UnreadEvent.encode(error)
        }
    }

    /// Folds the events that add to the series of records, and the blocks of the snapshot that an empty view starts
    /// from.
    ///
    /// - Parameters:
    ///   - isAnew: Whether the blocks may exist already, or precede existing ones. Then their cells are computed from
    ///     all of their blocks, in the order of a replay.
    ///   - archived: The vector of the archive snapshot.
    mutating func fold(
        _ blocks: [(position: Position, place: Place)], isRefold: Bool = false,
        archived: VersionVector = VersionVector(), from snapshot: borrowing LogSnapshot,
        _ transaction: borrowing WriteTransaction
    ) throws {
        var writer = BlockWriter(kinds: kinds, derivations)
        for entry in base?.blocks ?? [] {
            try entry.summary.withSpan { summary in
                try writer.add(entry.block, of: entry.kind, entry.record, summary, &rows, transaction)
            }
        }
        for (position, place) in blocks {
            try snapshot.withBytes(at: place) { bytes in
                let frame = try Frame(bytes, at: position)
                let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
                let reader = try ChangeReader(
                    shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                guard let block = reader.block else { return }
                let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
                try others.keepCells(of: RecordKey.of(kind: kind, reader.record), kind, &rows, transaction)
                let stored = StoredBlock(
                    event: frame.id, position: position, first: block.first, count: block.count)
                do throws(ChangeError) {
                    var reader = try ChangeReader(
                        shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                    try reader.validate(shape: shape, values: values)
                } catch {
                    unread[position] = UnreadEvent.encode(error)
                    if isRefold { try writer.remove(stored, of: kind, reader.record, &rows, transaction) }
                    return
                }
                let summary = shape.extracting(block.summary)
                if isRefold {
                    try writer.addLate(stored, of: kind, reader.record, summary, &rows, transaction)
                } else {
                    try writer.add(stored, of: kind, reader.record, summary, &rows, transaction)
                }
            }
        }
        try writer.finish(&rows, archived: archived, transaction)
    }

    /// Writes the rows of derivations in order, the unread events, the names if any are new, and the checkpoint.
    mutating func finish(
        through checkpoint: Checkpoint, unread others: [(position: Position, reason: [UInt8])],
        _ transaction: borrowing WriteTransaction
    ) throws {
        try derived.finish(isEmpty: isEmpty, &rows, transaction)
        try self.others.finish(derivations.directory, &rows, transaction)
        var all = unread
        for entry in others + (base?.unread ?? []) { all[entry.position] = entry.reason }
        for (position, reason) in all.sorted(by: { $0.key < $1.key }) {
            try rows.put(unread: reason, at: position, transaction)
        }
        if names.count > nameCount { try rows.put(names, transaction) }
        try rows.put(checkpoint, transaction)
    }
}

import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

/// The only way to write to a view, inside one write transaction: counts each row that is added, changed or removed
/// in the sums of its table, which the checkpoint stores.
///
/// A caller that replaces a row must pass the mark of the old row, as read. A replaced row that is not subtracted
/// makes the next check report damage.
struct RowWriter {
    let tables: ViewTables
    private var sums: TableSums

    /// Resumes from the sums of the checkpoint in `transaction`.
    ///
    /// - Throws: ``ViewError/damaged(_:)`` if a table does not have the number of rows in the checkpoint: then some
    ///   of its pages are not of the same commit as the checkpoint.
    init(_ transaction: borrowing WriteTransaction) throws {
        tables = try ViewTables(in: transaction)
        sums = try Replayer.checkpoint(in: transaction, tables).sums
        for table in SummedTable.allCases where try UInt64(tables.count(of: table, in: transaction)) != sums[table].rows
        {
            throw ViewError.damaged("its table \(table.name) does not have as many rows as its checkpoint counts")
        }
    }

    /// Creates the tables of a new view that has only `checkpoint`, and no rows of what `kinds` derive.
    static func create(_ checkpoint: Checkpoint, of kinds: Kinds, in transaction: borrowing WriteTransaction) throws {
        var writer = RowWriter(creating: try ViewTables(creatingIn: transaction))
        // Stored from the start, so that missing names always mean damage.
        try writer.put(Names(), transaction)
        try writer.put(DerivationDirectory(of: kinds), transaction)
        try writer.put(checkpoint, transaction)
    }

    private init(creating tables: ViewTables) {
        self.tables = tables
        sums = TableSums()
    }

    // MARK: - Records

    /// Appends the row of a record, whose key sorts after all others.
    mutating func appendRecord(
        _ row: RawSpan, for key: [UInt8], _ transaction: borrowing WriteTransaction
    ) throws {
        try transaction.append(row, for: key, in: tables.records)
        try add(key.span.bytes, row, to: .records)
    }

    /// Writes the row of a record, replacing the one with the mark `old`, if any.
    mutating func putRecord(
        _ row: RawSpan, for key: [UInt8], replacing old: RowMark?, _ transaction: borrowing WriteTransaction
    ) throws {
        try transaction.put(row, for: key, in: tables.records)
        if let old { sums.subtract(old, from: .records) }
        try add(key.span.bytes, row, to: .records)
    }

    // MARK: - Derivations

    /// Adds a row of a derivation, which must not exist.
    ///
    /// - Parameter isLast: Whether it sorts after all others.
    mutating func addDerived(
        _ value: RawSpan, for key: [UInt8], isLast: Bool, _ transaction: borrowing WriteTransaction
    ) throws {
        let row = CheckedRow.seal(value, under: key)
        if isLast {
            try transaction.append(row.span.bytes, for: key, in: tables.index)
        } else {
            guard try transaction.insert(row.span.bytes, for: key, in: tables.index) else {
                throw ViewError.damaged("an index entry already exists")
            }
        }
        try add(key.span.bytes, row.span.bytes, to: .index)
    }

    /// Removes a row of a derivation, which must exist.
    mutating func removeDerived(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws {
        guard try remove(key, from: tables.index, .index, transaction) else {
            throw ViewError.damaged("an index entry is missing")
        }
    }

    /// Adds `sums` to those under `key`. There is no row for sums that are all zero.
    ///
    /// - Parameter isLast: Whether the key sorts after all others.
    mutating func add(
        _ sums: Sums, for key: [UInt8], isLast: Bool, _ transaction: borrowing WriteTransaction
    ) throws {
        if sums.numbers.isEmpty { return }
        if isLast { return try addDerived(sums.bytes.span.bytes, for: key, isLast: true, transaction) }
        let old = try transaction.withValue(key, in: tables.index) { row in
            try CheckedRow.check(key.span.bytes, row)
            return Sums(row.extracting(4..<row.byteCount))
        }
        if old != nil { try removeDerived(key, transaction) }
        let new = old?.adding(sums) ?? sums
        if !new.numbers.isEmpty { try addDerived(new.bytes.span.bytes, for: key, isLast: false, transaction) }
    }

    /// Keeps `row`, the row of the record under `record` before it was changed, for a derivation that is left behind. A row
    /// that is kept already stays. Returns whether it is the first one of that record.
    ///
    /// - Parameter row: The row with its checksum; empty if there was none.
    mutating func keep(
        _ row: RawSpan, of record: [UInt8], for derivation: UInt16, _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        let key = DerivedKey.prefix(of: derivation) + record
        let kept = CheckedRow.seal(row, under: key)
        guard try transaction.insert(kept.span.bytes, for: key, in: tables.behind) else { return false }
        try add(key.span.bytes, kept.span.bytes, to: .behind)
        return true
    }

    /// Removes the rows of `table` whose keys begin with `prefix`, and returns how many there were.
    @discardableResult
    mutating func removeRows(
        of table: SummedTable, from rows: Table<[UInt8]>, beginningWith prefix: [UInt8],
        _ transaction: borrowing WriteTransaction
    ) throws -> Int {
        var keys: [[UInt8]] = []
        try transaction.withCursor(rows) { cursor in
            try cursor.forEach(from: prefix, confirming: CheckedRow.check) { key, row in
                guard ViewReader.key(key, hasPrefix: prefix) else { return false }
                keys.append(key.toArray())
                return true
            }
        }
        for key in keys { _ = try remove(key, from: rows, table, transaction) }
        return keys.count
    }

    /// Removes everything of a derivation.
    mutating func removeAll(of derivation: UInt16, _ transaction: borrowing WriteTransaction) throws {
        let prefix = DerivedKey.prefix(of: derivation)
        try removeRows(of: .index, from: tables.index, beginningWith: prefix, transaction)
        try removeRows(of: .cells, from: tables.cells, beginningWith: prefix, transaction)
        try removeRows(of: .behind, from: tables.behind, beginningWith: prefix, transaction)
    }

    // MARK: - Series

    /// Removes a block. Returns `false` if it does not exist.
    mutating func removeBlock(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws -> Bool {
        try remove(key, from: tables.blocks, .blocks, transaction)
    }

    /// Removes a cell. Returns `false` if it does not exist.
    @discardableResult
    mutating func removeCell(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws -> Bool {
        try remove(key, from: tables.cells, .cells, transaction)
    }

    private mutating func remove<Key: TableKey>(
        _ key: Key, from table: Table<Key>, _ summed: SummedTable, _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        let old = try transaction.withValue(key, in: table) { row in
            key.withKeyBytes { RowMark(key: $0, row: row) }
        }
        guard let old = old ?? nil else { return false }
        sums.subtract(old, from: summed)
        return try transaction.remove(key, in: table)
    }

    /// Adds a block. Returns `false` if it exists, and then leaves it unchanged.
    mutating func insertBlock(
        _ row: RawSpan, for key: [UInt8], _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard try transaction.insert(row, for: key, in: tables.blocks) else { return false }
        try add(key.span.bytes, row, to: .blocks)
        return true
    }

    /// Writes a cell, replacing the one with the mark `old`, if any.
    mutating func putCell(
        _ cell: [UInt8], for key: [UInt8], replacing old: RowMark?, _ transaction: borrowing WriteTransaction
    ) throws {
        let row = CheckedRow.seal(cell, under: key)
        try transaction.put(row.span.bytes, for: key, in: tables.cells)
        if let old { sums.subtract(old, from: .cells) }
        try add(key.span.bytes, row.span.bytes, to: .cells)
    }

    // MARK: - Unread events, names and the checkpoint

    /// Records why the event at `position` is not folded.
    mutating func put(
        unread reason: [UInt8], at position: Position, _ transaction: borrowing WriteTransaction
    ) throws {
        let row = CheckedRow.seal(reason, under: position)
        try position.withKeyBytes { key in
            let old = try transaction.withValue(position, in: tables.unread) { RowMark(key: key, row: $0) }
            if let old = old ?? nil { sums.subtract(old, from: .unread) }
            try transaction.put(row.span.bytes, for: position, in: tables.unread)
            try add(key, row.span.bytes, to: .unread)
        }
    }

    /// Removes the note that the event at `position` is not folded; does nothing if there is none.
    mutating func removeUnread(at position: Position, _ transaction: borrowing WriteTransaction) throws {
        _ = try remove(position, from: tables.unread, .unread, transaction)
    }

    /// Writes the names.
    mutating func put(_ names: Names, _ transaction: borrowing WriteTransaction) throws {
        try put(names.encode(), under: SliceWriter.namesKey, transaction)
    }

    /// Writes the directory of derivations.
    mutating func put(_ directory: DerivationDirectory, _ transaction: borrowing WriteTransaction) throws {
        try put(directory.bytes, under: DerivationDirectory.key, transaction)
    }

    /// Writes the declarations of wrong clocks that the rows follow.
    mutating func put(_ declared: ClockDeclarations, _ transaction: borrowing WriteTransaction) throws {
        try put(declared.encode(), under: ClockDeclarations.key, transaction)
    }

    private mutating func put(
        _ content: [UInt8], under key: [UInt8], _ transaction: borrowing WriteTransaction
    ) throws {
        let row = CheckedRow.seal(content)
        let old = try transaction.withValue(key, in: tables.meta) { RowMark(key: key.span.bytes, row: $0) }
        if let old = old ?? nil { sums.subtract(old, from: .meta) }
        try transaction.put(row.span.bytes, for: key, in: tables.meta)
        try add(key.span.bytes, row.span.bytes, to: .meta)
    }

    /// Writes the checkpoint with the sums of everything written. Must be the last write of a transaction.
    func put(_ checkpoint: Checkpoint, _ transaction: borrowing WriteTransaction) throws {
        var checkpoint = checkpoint
        checkpoint.sums = sums
        try transaction.put(CheckedRow.seal(checkpoint.bytes).span.bytes, for: Checkpoint.key, in: tables.meta)
    }

    private mutating func add(_ key: RawSpan, _ row: RawSpan, to table: SummedTable) throws {
        guard let mark = RowMark(key: key, row: row) else { preconditionFailure("A row begins with its checksum.") }
        sums.add(mark, to: table)
    }
}

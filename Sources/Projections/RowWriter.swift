import ByteCoding
import EventLog
import Events
import LMDB
import Records

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

    /// Creates the tables of a new view that has only `checkpoint`.
    static func create(_ checkpoint: Checkpoint, in transaction: borrowing WriteTransaction) throws {
        var writer = RowWriter(creating: try ViewTables(creatingIn: transaction))
        // Stored from the start, so that missing names always mean damage.
        try writer.put(Names(), transaction)
        try writer.put(checkpoint, transaction)
    }

    private init(creating tables: ViewTables) {
        self.tables = tables
        sums = TableSums()
    }

    // MARK: - Records and their index

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

    /// Adds an index entry, which must not exist.
    ///
    /// - Parameter isLast: Whether it sorts after all others.
    mutating func addEntry(_ key: [UInt8], isLast: Bool, _ transaction: borrowing WriteTransaction) throws {
        let checksum = key.withSpan { CRC32C.checksum($0) }
        var row = ByteWriter(capacity: 4)
        row.append(littleEndian: checksum)
        try row.withSpan { row in
            if isLast { return try transaction.append(row, for: key, in: tables.index) }
            guard try transaction.insert(row, for: key, in: tables.index) else {
                throw ViewError.damaged("an index entry already exists")
            }
        }
        sums.add(RowMark(checksum: checksum, byteCount: key.count + 4), to: .index)
    }

    /// Removes an index entry, which must exist.
    mutating func removeEntry(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws {
        guard try transaction.remove(key, in: tables.index) else {
            throw ViewError.damaged("an index entry is missing")
        }
        sums.subtract(
            RowMark(checksum: key.withSpan { CRC32C.checksum($0) }, byteCount: key.count + 4), from: .index)
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
        let key = SliceWriter.namesKey
        let row = CheckedRow.seal(names.encode())
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

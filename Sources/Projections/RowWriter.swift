import ByteCoding
import EventLog
import Events
import LMDB
import Records

/// The one way to write to a view, inside one write transaction of it: each row that comes, changes or goes is counted in
/// the sums of its table, which the checkpoint keeps.
///
/// Who replaces a row says what stood there, as it was read: a row that is not counted out makes the next walk find the
/// view damaged.
struct RowWriter {
    let tables: ViewTables
    private var sums: TableSums

    /// Goes on from the sums of the checkpoint in `transaction`.
    ///
    /// - Throws: ``ViewError/damaged(_:)`` where the tables do not have as many rows as they were counted to have: then
    ///   some page of them is of another age than the checkpoint.
    init(_ transaction: borrowing WriteTransaction) throws {
        tables = try ViewTables(in: transaction)
        sums = try Replayer.checkpoint(in: transaction, tables).sums
        for table in SummedTable.allCases where try UInt64(tables.count(of: table, in: transaction)) != sums[table].rows
        {
            throw ViewError.damaged("its table \(table.name) does not have as many rows as its checkpoint counts")
        }
    }

    /// Makes the tables of a new view, with `checkpoint` and nothing else.
    static func create(_ checkpoint: Checkpoint, in transaction: borrowing WriteTransaction) throws {
        var writer = RowWriter(creating: try ViewTables(creatingIn: transaction))
        // From the start, so that names which are not there are known to be lost.
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

    /// Writes the row of a record, in the place of the one whose mark is `old`, or of none.
    mutating func putRecord(
        _ row: RawSpan, for key: [UInt8], replacing old: RowMark?, _ transaction: borrowing WriteTransaction
    ) throws {
        try transaction.put(row, for: key, in: tables.records)
        if let old { sums.subtract(old, from: .records) }
        try add(key.span.bytes, row, to: .records)
    }

    /// Adds an entry of an index, which is not there.
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

    /// Removes an entry of an index, which is there.
    mutating func removeEntry(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws {
        guard try transaction.remove(key, in: tables.index) else {
            throw ViewError.damaged("an index entry is missing")
        }
        sums.subtract(
            RowMark(checksum: key.withSpan { CRC32C.checksum($0) }, byteCount: key.count + 4), from: .index)
    }

    // MARK: - Series

    /// Removes a block; `false` where it is not there.
    mutating func removeBlock(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws -> Bool {
        try remove(key, from: tables.blocks, .blocks, transaction)
    }

    /// Removes a cell; `false` where it is not there.
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

    /// Adds a block; `false` where it is there, and stays as it is.
    mutating func insertBlock(
        _ row: RawSpan, for key: [UInt8], _ transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard try transaction.insert(row, for: key, in: tables.blocks) else { return false }
        try add(key.span.bytes, row, to: .blocks)
        return true
    }

    /// Writes a cell, in the place of the one whose mark is `old`, or of none.
    mutating func putCell(
        _ cell: [UInt8], for key: [UInt8], replacing old: RowMark?, _ transaction: borrowing WriteTransaction
    ) throws {
        let row = CheckedRow.seal(cell, under: key)
        try transaction.put(row.span.bytes, for: key, in: tables.cells)
        if let old { sums.subtract(old, from: .cells) }
        try add(key.span.bytes, row.span.bytes, to: .cells)
    }

    // MARK: - Events that are not folded, names, and the checkpoint

    /// Notes why the event at `position` is not folded.
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

    /// Forgets that the event at `position` is not folded; does nothing where it is.
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

    /// Writes the checkpoint, with the sums of all that was written: the last thing that is done in a transaction.
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

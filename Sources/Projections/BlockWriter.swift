import ByteCoding
import EventLog
import Events
import LMDB
import Records

/// Folds the blocks of one slice into the tables of series, inside one write transaction of the view.
struct BlockWriter {
    private let tables: ViewTables
    private let kinds: Kinds
    /// The cells that this slice has touched; they are written once, at its end.
    private var cells: [[UInt8]: [UInt8]] = [:]

    init(_ tables: ViewTables, kinds: Kinds) { (self.tables, self.kinds) = (tables, kinds) }

    /// Adds a block of `record`; one that is there already stays as it is.
    mutating func add(
        _ block: StoredBlock, of kind: String, _ record: RecordID, _ summary: RawSpan,
        _ transaction: borrowing WriteTransaction
    ) throws {
        let key = BlockRow.key(kind: kind, record, from: block.first, block.event)
        let row = BlockRow.row(block, summary, under: key)
        guard try row.withSpan({ try transaction.insert($0, for: key, in: tables.blocks) }) else { return }
        guard let series = kinds[kind]?.series else { return }
        for level in 1...series.levelCount {
            let key = BlockRow.key(kind: kind, record, level: level, cell: block.first / series.items(at: level))
            let known = try cells[key] ?? stored(key, transaction)
            // What cannot be read is in no cell: whoever reads the block itself says so.
            guard let joined = series.add(summary, known) else { return }
            cells[key] = joined
        }
    }

    private func stored(_ key: [UInt8], _ transaction: borrowing WriteTransaction) throws -> [UInt8]? {
        try transaction.withValue(key, in: tables.cells, confirming: CheckedRow.check) { row in
            row.extracting(4..<row.byteCount).toArray()
        }
    }

    /// Writes the cells.
    mutating func finish(_ transaction: borrowing WriteTransaction) throws {
        for key in ByteOrder.sorted(Array(cells.keys)) {
            guard let cell = cells[key] else { continue }
            try transaction.put(CheckedRow.seal(cell, under: key).span.bytes, for: key, in: tables.cells)
        }
        cells.removeAll()
    }
}

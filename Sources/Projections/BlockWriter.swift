import ByteCoding
import EventLog
import Events
import LMDB
import Records

/// Folds the blocks of one slice into the tables of series, inside one write transaction of the view.
struct BlockWriter {
    /// A cell, and the row that it takes the place of.
    private struct Cell {
        var bytes: [UInt8]
        let former: RowMark?
    }

    private let kinds: Kinds
    /// The cells that this slice has touched; they are written once, at its end.
    private var cells: [[UInt8]: Cell] = [:]

    init(kinds: Kinds) { self.kinds = kinds }

    /// Adds a block of `record`; one that is there already stays as it is.
    mutating func add(
        _ block: StoredBlock, of kind: String, _ record: RecordID, _ summary: RawSpan,
        _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        let key = BlockRow.key(kind: kind, record, from: block.first, block.event)
        let row = BlockRow.row(block, summary, under: key)
        guard try rows.insertBlock(row.span.bytes, for: key, transaction) else { return }
        guard let series = kinds[kind]?.series else { return }
        for level in 1...series.levelCount {
            let key = BlockRow.key(kind: kind, record, level: level, cell: block.first / series.items(at: level))
            let known = try cells[key] ?? stored(key, rows.tables, transaction)
            // What cannot be read is in no cell: whoever reads the block itself says so.
            guard let joined = series.add(summary, known?.bytes) else { return }
            cells[key] = Cell(bytes: joined, former: known?.former)
        }
    }

    private func stored(
        _ key: [UInt8], _ tables: ViewTables, _ transaction: borrowing WriteTransaction
    ) throws -> Cell? {
        try transaction.withValue(key, in: tables.cells, confirming: CheckedRow.check) { row in
            // What is joined to a damaged cell would have a checksum that is right.
            try CheckedRow.check(key.span.bytes, row)
            return Cell(
                bytes: row.extracting(4..<row.byteCount).toArray(), former: RowMark(key: key.span.bytes, row: row))
        }
    }

    /// Writes the cells.
    mutating func finish(_ rows: inout RowWriter, _ transaction: borrowing WriteTransaction) throws {
        for key in ByteOrder.sorted(Array(cells.keys)) {
            guard let cell = cells[key] else { continue }
            try rows.putCell(cell.bytes, for: key, replacing: cell.former, transaction)
        }
        cells.removeAll()
    }
}

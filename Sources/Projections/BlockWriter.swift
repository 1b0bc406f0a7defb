import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

/// Folds the blocks of one slice into the tables of series, inside one write transaction of the view.
struct BlockWriter {
    /// A cell, and the mark of the row that it replaces.
    private struct Cell {
        var bytes: [UInt8]
        let former: RowMark?
    }

    private let kinds: Kinds
    private let derivations: KnownDerivations
    /// The cells that this slice has touched; each is written once, at the end.
    private var cells: [[UInt8]: Cell] = [:]
    /// The cells to compute from all of their blocks at the end.
    private var anew: [[UInt8]: CellPlace] = [:]

    /// The location of the blocks of a cell: the range of the numbers of their first items.
    private struct CellPlace {
        let kind: String
        let record: RecordID
        let items: Range<UInt64>
    }

    init(kinds: Kinds, _ derivations: KnownDerivations) { (self.kinds, self.derivations) = (kinds, derivations) }

    /// The series of a kind, and the number of its cells.
    private func cells(of kind: String) -> (series: SeriesSchema, number: UInt16)? {
        guard let series = kinds[kind]?.series, let place = kinds.cells(of: kind) else { return nil }
        return (series, derivations.numbers[place])
    }

    /// Adds a block of `record`; leaves it unchanged if it exists already.
    mutating func add(
        _ block: StoredBlock, of kind: String, _ record: RecordID, _ summary: RawSpan,
        _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        let key = BlockRow.key(kind: kind, record, from: block.first, block.event)
        let row = BlockRow.row(block, summary, under: key)
        guard try rows.insertBlock(row.span.bytes, for: key, transaction) else { return }
        guard let (series, number) = cells(of: kind) else { return }
        for level in 1...series.levelCount {
            let key = BlockRow.key(cells: number, record, level: level, cell: block.first / series.items(at: level))
            let known = try cells[key] ?? stored(key, rows.tables, transaction)
            // A malformed summary is added to no cell; reading the block itself reports the error.
            guard let joined = series.add(summary, known?.bytes) else { return }
            cells[key] = Cell(bytes: joined, former: known?.former)
        }
    }

    /// Adds a late block unless it exists. Later blocks may exist already.
    mutating func addLate(
        _ block: StoredBlock, of kind: String, _ record: RecordID, _ summary: RawSpan,
        _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        let key = BlockRow.key(kind: kind, record, from: block.first, block.event)
        let row = BlockRow.row(block, summary, under: key)
        if try rows.insertBlock(row.span.bytes, for: key, transaction) { noteCells(of: block, kind, record) }
    }

    /// Removes a block that turned out to be malformed when its items were received.
    mutating func remove(
        _ block: StoredBlock, of kind: String, _ record: RecordID, _ rows: inout RowWriter,
        _ transaction: borrowing WriteTransaction
    ) throws {
        let key = BlockRow.key(kind: kind, record, from: block.first, block.event)
        if try rows.removeBlock(key, transaction) { noteCells(of: block, kind, record) }
    }

    /// Marks the cells of a block for computation from all of their blocks.
    mutating func noteCells(of block: StoredBlock, _ kind: String, _ record: RecordID) {
        guard let (series, number) = cells(of: kind) else { return }
        for level in 1...series.levelCount {
            let count = series.items(at: level)
            let cell = block.first / count
            let (end, overflow) = ((cell + 1).multipliedReportingOverflow(by: count))
            anew[BlockRow.key(cells: number, record, level: level, cell: cell)] = CellPlace(
                kind: kind, record: record, items: cell * count..<(overflow ? .max : end))
        }
    }

    /// Computes the cell at `place` from its blocks, in the order of a replay: those of the archive snapshot first,
    /// then by position.
    private func cell(
        at place: CellPlace, _ archived: VersionVector, _ tables: ViewTables, _ transaction: borrowing WriteTransaction
    ) throws -> [UInt8]? {
        guard let series = kinds[place.kind]?.series else { return nil }
        let prefix = RecordKey.of(kind: place.kind, place.record)
        let start = BlockRow.key(kind: place.kind, place.record, from: place.items.lowerBound)
        var blocks: [(position: Position, summary: [UInt8])] = []
        try transaction.withCursor(tables.blocks) { cursor in
            try cursor.forEach(from: start, confirming: CheckedRow.check) { key, row in
                guard ViewReader.key(key, hasPrefix: prefix) else { return false }
                try CheckedRow.check(key, row)
                guard let block = BlockRow.block(key, row, of: prefix) else { return true }
                guard block.first < place.items.upperBound else { return false }
                blocks.append(
                    (
                        archived.contains(block.event) ? 0 : block.position,
                        row.extracting(BlockRow.summary(of: row)).toArray()
                    ))
                return true
            }
        }
        let order = blocks.indices.sorted { (blocks[$0].position, $0) < (blocks[$1].position, $1) }
        var cell: [UInt8]?
        for index in order {
            cell = blocks[index].summary.withSpan { series.add($0, cell) } ?? cell
        }
        return cell
    }

    private func stored(
        _ key: [UInt8], _ tables: ViewTables, _ transaction: borrowing WriteTransaction
    ) throws -> Cell? {
        try transaction.withValue(key, in: tables.cells, confirming: CheckedRow.check) { row in
            // Adding to a damaged cell would give it a correct checksum.
            try CheckedRow.check(key.span.bytes, row)
            return Cell(
                bytes: row.extracting(4..<row.byteCount).toArray(), former: RowMark(key: key.span.bytes, row: row))
        }
    }

    /// Writes the cells.
    ///
    /// - Parameter archived: The vector of the archive snapshot, for cells that are computed from all of their
    ///   blocks.
    mutating func finish(
        _ rows: inout RowWriter, archived: VersionVector, _ transaction: borrowing WriteTransaction
    ) throws {
        for (key, place) in anew {
            let former = try stored(key, rows.tables, transaction)?.former
            if let bytes = try cell(at: place, archived, rows.tables, transaction) {
                cells[key] = Cell(bytes: bytes, former: former)
            } else {
                try rows.removeCell(key, transaction)
            }
        }
        anew.removeAll()
        for key in cells.keys.inByteOrder() {
            guard let cell = cells[key] else { continue }
            try rows.putCell(cell.bytes, for: key, replacing: cell.former, transaction)
        }
        cells.removeAll()
    }
}

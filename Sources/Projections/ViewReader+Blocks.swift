import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

extension ViewReader {
    /// Yields the blocks of a record's series in order of their first items, until `body` returns `false`.
    ///
    /// Two blocks have the same number if two branches of a replica have both continued the series.
    ///
    /// - Parameters:
    ///   - kind: The kind of the record.
    ///   - record: The record.
    ///   - start: Blocks that end before this item are skipped.
    ///   - body: Is given each block with its summary, and returns whether to go on.
    /// - Throws: If a row is damaged: see ``ViewReader``; what `body` throws.
    /// - Complexity: A look-up, and about 0.2 us per block.
    public func forEachBlock(
        of kind: String, _ record: RecordID, from start: UInt64 = 0,
        _ body: (_ block: StoredBlock, _ summary: RawSpan) throws -> Bool
    ) throws {
        let prefix = RecordKey.of(kind: kind, record)
        let first = try firstBlock(of: prefix, holding: start)
        try transaction.withCursor(tables.blocks) { cursor in
            try cursor.forEach(from: prefix + first, confirming: CheckedRow.check) { key, row in
                try CheckedRow.check(key, row)
                guard let block = BlockRow.block(key, row, of: prefix) else { return false }
                guard overlay?.filter.includes(block.event) ?? true, block.first + block.count > start else {
                    return true
                }
                return try body(block, row.extracting(BlockRow.summary(of: row)))
            }
        }
    }

    /// Returns the end of the key of the last block that begins at or before the item `start`, which it may therefore
    /// contain.
    private func firstBlock(of prefix: [UInt8], holding start: UInt64) throws -> [UInt8] {
        try transaction.withCursor(tables.blocks) { cursor in
            let isBehind = try cursor.seek(
                atOrAfter: prefix + Self.bigEndian(start == .max ? start : start + 1), confirming: CheckedRow.check)
            guard try isBehind ? cursor.previous() : cursor.last() else { return [] }
            let before = try cursor.withEntry { key, row in
                try CheckedRow.check(key, row)
                return BlockRow.block(key, row, of: prefix)
            }
            return before.map { Self.bigEndian($0.first) } ?? []
        }
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.append(bigEndian: number)
        return writer.bytes
    }

    /// Yields the cells of `level` (from 1 on) of a record's series, from the one with the item `start` on, until
    /// `body` returns `false`: the number of the first item, and the summary of the blocks that begin in the cell.
    ///
    /// - Returns: `false` if cells are not valid here, since the view is of the past or without some events. Then use
    ///   the blocks.
    /// - Throws: If a row is damaged: see ``ViewReader``; what `body` throws.
    /// - Complexity: A look-up, and about 0.2 us per cell.
    public func forEachCell(
        of kind: String, _ record: RecordID, level: Int, from start: UInt64 = 0,
        _ body: (_ first: UInt64, _ cell: RawSpan) throws -> Bool
    ) throws -> Bool {
        guard overlay == nil, let series = kinds[kind]?.series, level >= 1, level <= series.levelCount,
            let place = kinds.cells(of: kind)
        else { return false }
        let number = derivations.numbers[place]
        let prefix = BlockRow.key(cells: number, record, level: level, cell: 0).dropLast(8).map(\.self)
        let items = series.items(at: level)
        try transaction.withCursor(tables.cells) { cursor in
            let from = BlockRow.key(cells: number, record, level: level, cell: start / items)
            try cursor.forEach(from: from, confirming: CheckedRow.check) { key, row in
                try CheckedRow.check(key, row)
                guard key.byteCount == prefix.count + 8, Self.key(key, hasPrefix: prefix) else { return false }
                return try body(
                    key.bigEndianUInt64(at: prefix.count) &* items, row.extracting(4..<row.byteCount))
            }
        }
        return true
    }

    /// Yields the summaries of a record's series in order, as coarsely as the caller wants: that of a cell if
    /// `isTaken` accepts it, otherwise those of its parts, down to the blocks.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``; what `isTaken` and `body` throw.
    /// - Complexity: A look-up for each cell that is not accepted, and about 0.2 us for each cell and each block.
    public func descend(
        _ kind: String, _ record: RecordID, takingCells isTaken: (_ cell: RawSpan) throws -> Bool,
        _ body: (_ block: StoredBlock, _ summary: RawSpan) throws -> Void
    ) throws {
        let level = overlay == nil ? kinds[kind]?.series?.levelCount ?? 0 : 0
        try descend(kind, record, level: level, from: 0, through: .max, isTaken, body)
    }

    private func descend(
        _ kind: String, _ record: RecordID, level: Int, from first: UInt64, through last: UInt64,
        _ isTaken: (_ cell: RawSpan) throws -> Bool,
        _ body: (_ block: StoredBlock, _ summary: RawSpan) throws -> Void
    ) throws {
        if level == 0 {
            return try forEachBlock(of: kind, record, from: first) { block, summary in
                guard block.first <= last else { return false }
                // A block that begins before this cell belongs to the previous one.
                if block.first >= first { try body(block, summary) }
                return true
            }
        }
        let items = kinds[kind]?.series?.items(at: level) ?? 1
        _ = try forEachCell(of: kind, record, level: level, from: first) { start, cell in
            guard start <= last else { return false }
            if try !isTaken(cell) {
                let end = min(start, .max - (items - 1)) + (items - 1)
                try descend(kind, record, level: level - 1, from: start, through: end, isTaken, body)
            }
            return true
        }
    }

    /// Yields every block of every series, in order of kind, record, first item and event.
    func forEachBlock(
        _ body: (_ kind: String, _ record: RecordID, _ block: StoredBlock, _ summary: RawSpan) throws -> Void
    ) throws {
        try transaction.withCursor(tables.blocks) { cursor in
            try cursor.forEach(confirming: CheckedRow.check) { key, row in
                try CheckedRow.check(key, row)
                let end = key.byteCount - 32
                guard end > 0, let (kind, record) = RecordKey.parse(key.extracting(0..<end)),
                    let block = BlockRow.block(key, row, of: RecordKey.of(kind: kind, record))
                else { throw ViewError.damaged("the key of a block is malformed") }
                if overlay?.filter.includes(block.event) ?? true {
                    try body(kind, record, block, row.extracting(BlockRow.summary(of: row)))
                }
                return true
            }
        }
    }
}

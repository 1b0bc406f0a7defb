import GroundwaveEvents
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords

/// The cells that the blocks of one trace must give, computed again from the summaries of the blocks.
struct TraceCells {
    private let series: SeriesSchema
    /// The cells by level, from 1 on, and by the number of their first row.
    private var levels: [[UInt64: [UInt8]]]
    private var next: UInt64 = 0
    private var hasOverlap = false

    /// Creates an empty set of cells.
    init(_ series: SeriesSchema) {
        self.series = series
        levels = Array(repeating: [:], count: series.levelCount)
    }

    /// Adds the next block, in order of first rows.
    mutating func add(_ block: StoredBlock, _ summary: RawSpan) {
        hasOverlap = hasOverlap || block.first < next
        next = max(next, block.first + block.count)
        for level in levels.indices {
            let first = block.first / series.items(at: level + 1) * series.items(at: level + 1)
            // As in the views, a block that cannot be read is in no cell.
            guard let joined = series.add(summary, levels[level][first]) else { return }
            levels[level][first] = joined
        }
    }

    /// Compares the cells of the views with these.
    ///
    /// If two blocks have the same rows, the right cells are undefined, and nothing is compared.
    ///
    /// - Returns: The number of cells that were compared, and the damage that was found.
    func compare(
        _ trace: RecordID, in view: borrowing ViewReader
    ) throws -> (count: Int, damage: [TraceVerification.Damage]) {
        if hasOverlap { return (0, []) }
        var (count, wrong) = (0, [(level: Int, first: UInt64)]())
        for level in 1...series.levelCount {
            var expected = levels[level - 1]
            count += expected.count
            _ = try view.forEachCell(of: Metering.trace.name, trace, level: level) { first, cell in
                if expected.removeValue(forKey: first) != cell.toArray() { wrong.append((level, first)) }
                return true
            }
            wrong += expected.keys.sorted().map { (level, $0) }
        }
        return (
            count,
            wrong.map { level, first in
                let (end, overflow) = first.addingReportingOverflow(series.items(at: level))
                return TraceVerification.Damage(
                    .cell, rows: first..<(overflow ? .max : end),
                    detail:
                        "the cell of level \(level) does not match its blocks; delete views.mdb in the store: it is "
                        + "rebuilt from the log")
            }
        )
    }
}

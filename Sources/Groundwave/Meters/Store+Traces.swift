import EventLog
import Events
import Metering
import Projections
import Records

/// A piece of a trace, as a reader meets it.
public enum TracePiece: Sendable {
    /// Rows.
    case rows(TraceRows)
    /// The rows are not here: withheld, or their event is lost or unreadable. What is said of them still is.
    case withheld(BlockSummary)
}

extension Store {
    /// All traces that show, the earliest first.
    public func traces() throws -> [Trace] {
        var traces: [Trace] = []
        try read { view in
            try view.forEachRecord(of: Metering.trace.name) { record in
                if record.isVisible { traces.append(Trace(record)) }
                return true
            }
        }
        return traces.sorted { ($0.started ?? 0, $0.id) < ($1.started ?? 0, $1.id) }
    }

    /// What is said of the rows of `trace`, those of a recording that goes on here included.
    ///
    /// - Complexity: O(cells): a few microseconds for each 268,435,456 rows whose blocks came in order, and for each block
    ///   of the others.
    public func summary(of trace: RecordID) throws -> TraceSummary {
        var summary = TraceSummary()
        for stretch in try stretches(of: trace, takingCells: { _ in true }) {
            switch stretch {
            case .cell(let cell):
                summary.blockCount += cell.blockCount
                summary.rows.append(cell)
            case .block(let block, _):
                summary.blockCount += 1
                summary.rows.append(JoinedSummary(block))
            case .unread:
                summary.blockCount += 1
                summary.unreadCount += 1
            case .tail(let rows):
                summary.tailCount += rows.count
                summary.rows.append(JoinedSummary(BlockSummary(of: rows, after: nil)))
            }
        }
        return summary
    }

    /// Hands out the rows of `trace` in order, a block at a time, until `body` says `false`; those of a recording that goes
    /// on here come last.
    ///
    /// - Parameters:
    ///   - start: Rows before this time are left out: milliseconds since 1970.
    ///   - end: Rows from this time on are left out.
    /// - Complexity: O(rows that are handed out); what is said of these, and a few blocks, in memory.
    public func forEachPiece(
        of trace: RecordID, from start: Int64 = .min, to end: Int64 = .max, _ body: (TracePiece) throws -> Bool
    ) throws {
        func isOutside(_ least: Int64, _ greatest: Int64) -> Bool { greatest < start || least >= end }
        let stretches = try stretches(
            of: trace, takingCells: { $0.parts.allSatisfy { isOutside($0.leastTime, $0.greatestTime) } })
        func isInside(_ block: BlockSummary) -> Bool { !isOutside(block.leastTime, block.greatestTime) }
        try forEach(stretches, wantingRowsWhere: isInside) { stretch, rows in
            switch stretch {
            // All of it is outside.
            case .cell, .unread: true
            case .block(let summary, _) where !isInside(summary): true
            case .block(let summary, _): try rows.map { try give($0, start, end, body) } ?? body(.withheld(summary))
            case .tail(let rows): try give(rows, start, end, body)
            }
        }
    }

    private func give(
        _ rows: TraceRows, _ start: Int64, _ end: Int64, _ body: (TracePiece) throws -> Bool
    ) throws -> Bool {
        guard let first = rows.times.firstIndex(where: { $0 >= start && $0 < end }),
            let last = rows.times.lastIndex(where: { $0 >= start && $0 < end })
        else { return true }
        if first == 0, last == rows.count - 1 { return try body(.rows(rows)) }
        return try body(.rows(rows.split(at: last + 1).0.split(at: first).1))
    }
}

/// A place of a trace at which rows are missing.
public struct TraceGap: Hashable, Sendable {
    /// Before which row.
    public let row: UInt64
    /// How many.
    public let count: UInt64
}

extension Store {
    /// Where rows of `trace` are missing, in order.
    ///
    /// - Complexity: O(blocks of the cells in which rows are missing + cells).
    public func gaps(of trace: RecordID) throws -> [TraceGap] {
        var gaps: [TraceGap] = []
        func add(_ marks: [Mark], from first: UInt64) {
            for mark in marks where mark.kind == .gap {
                gaps.append(TraceGap(row: first + UInt64(mark.row), count: mark.count))
            }
        }
        for stretch in try stretches(of: trace, takingCells: { $0.gapCount == 0 }) {
            switch stretch {
            case .cell, .unread: continue
            case .block(let summary, _): add(summary.marks, from: summary.first)
            case .tail(let rows): add(rows.marks, from: rows.first)
            }
        }
        return gaps
    }

    /// How many bytes the events of the rows of `trace` take in the log, without the rest of the pages that they stand on.
    ///
    /// - Complexity: A look-up for each block.
    public func encodedSize(of trace: RecordID) throws -> Int {
        var size = 0
        for stretch in try stretches(of: trace, takingCells: { _ in false }) {
            switch stretch {
            case .cell, .tail: continue
            case .block(_, let position), .unread(let position):
                size += try log.withEvent(at: position) { frame, _ in frame.length } ?? 0
            }
        }
        return size
    }
}

import GroundwaveMetering
import GroundwaveProjections

/// Makes the stretches of a trace those of the rows that are shown: takes out rows that are hidden or erased.
struct ShownStretches {
    private var stretches: [TraceStretch] = []
    private let hidden: HiddenRows
    /// The numbers of the rows of blocks that were replaced: those that no other block has were erased.
    private let replaced: [Range<UInt64>]
    /// The number of the next row.
    private var next: UInt64 = 0
    private var lastTime = Int64.min

    init(_ hidden: HiddenRows, _ replaced: [Range<UInt64>]) {
        self.hidden = hidden
        self.replaced = HiddenRows.joined(replaced)
    }

    /// Appends the next stretch; `read` returns the rows of a block, or `nil` if they are not here.
    mutating func append(
        _ stretch: TraceStretch, _ read: (BlockSource) throws -> TraceRows?
    ) rethrows {
        switch stretch {
        case .block(let summary, let block):
            addErased(upTo: block.stored.first, at: summary.leastTime)
            if block.stored.first < next, isReplacing(block.stored) {
                try appendNew(summary, block, read)
            } else {
                try append(summary, block, read)
            }
            (next, lastTime) = (max(next, summary.end), summary.greatestTime)
        case .tail(let summary, let rows): appendRuns(of: rows, summary) { .tail($0, $1) }
        case .cell(let cell):
            stretches.append(stretch)
            (next, lastTime) = (max(next, cell.end), cell.greatestTime ?? lastTime)
        case .unread(let block):
            addErased(upTo: block.first, at: lastTime)
            stretches.append(stretch)
            next = max(next, block.first + block.count)
        case .rest, .hidden: stretches.append(stretch)
        }
    }

    /// Returns all stretches.
    mutating func finish() -> [TraceStretch] {
        addErased(upTo: replaced.last?.upperBound ?? 0, at: lastTime)
        return stretches
    }

    /// Appends the rows before `first`, at the time `time`, that were erased from blocks of which others are left.
    private mutating func addErased(upTo first: UInt64, at time: Int64) {
        let count = replaced.reduce(UInt64(0)) { count, rows in
            let (start, end) = (max(rows.lowerBound, next), min(rows.upperBound, first))
            return start < end ? count + (end - start) : count
        }
        let last = next == 0 ? time : lastTime
        if count > 0 { stretches.append(.hidden(count, from: min(last, time), to: max(last, time))) }
    }

    /// Whether a block has rows of one that was replaced.
    private func isReplacing(_ block: StoredBlock) -> Bool {
        replaced.contains { $0.overlaps(block.first..<block.first + block.count) }
    }

    /// Appends the rows of a block that no block before it has: two who erased stretches of one block at once have both
    /// appended what was left.
    private mutating func appendNew(
        _ summary: BlockSummary, _ block: BlockSource, _ read: (BlockSource) throws -> TraceRows?
    ) rethrows {
        if summary.end <= next { return }
        guard let rows = try read(block) else {
            return stretches.append(.hidden(summary.end - next, from: lastTime, to: summary.greatestTime))
        }
        let new = rows.split(at: Int(next - rows.first)).1
        let before = rows.split(at: Int(next - rows.first)).0.lastRow
        appendRuns(of: new, BlockSummary(of: new, after: before)) { .rest($0, $1) }
    }

    private mutating func append(
        _ summary: BlockSummary, _ block: BlockSource, _ read: (BlockSource) throws -> TraceRows?
    ) rethrows {
        if hidden.covers(summary) { return stretches.append(.hidden(summary)) }
        let isBehindHidden = stretches.last?.isHidden == true
        guard hidden.overlaps(summary) || isBehindHidden else { return stretches.append(.block(summary, block)) }
        guard let rows = try read(block) else {
            // Which rows these are is unknown here: none of them shows if one of them must not.
            return stretches.append(hidden.overlaps(summary) ? .hidden(summary) : .block(summary, block))
        }
        appendRuns(of: rows, summary) { .rest($0, $1) }
    }

    /// Appends the runs of `rows`, whose summary is `summary`: those that show as `shown`.
    private mutating func appendRuns(
        of rows: TraceRows, _ summary: BlockSummary, _ shown: (BlockSummary, TraceRows) -> TraceStretch
    ) {
        // The interval before the rows counts if both of its rows show.
        let isBehindHidden = stretches.last?.isHidden == true
        var interval = summary.totals
        interval.subtract(BlockSummary(of: rows, after: nil).totals)
        for (index, run) in hidden.runs(of: rows).enumerated() {
            var part = BlockSummary(of: run.rows, after: nil)
            if index == 0, !isBehindHidden { part.totals.append(interval) }
            stretches.append(run.isHidden ? .hidden(part) : shown(part, run.rows.compacted()))
        }
    }
}

extension TraceStretch {
    fileprivate static func hidden(_ summary: BlockSummary) -> TraceStretch {
        .hidden(summary.count, from: summary.leastTime, to: summary.greatestTime)
    }

    fileprivate var isHidden: Bool {
        if case .hidden = self { true } else { false }
    }
}

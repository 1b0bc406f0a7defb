import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMDBPages
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

// The one place where the measured values of a trace become those that are shown: every reader of a trace gets its
// summaries and rows from here, and says which values it wants. The two summaries of a trace want measured ones, since a
// sum is corrected as a whole. Only the check of the store reads around it.

/// What the views have for a stretch of a trace, as coarsely as was requested.
enum TraceStretch {
    /// The summary of the blocks of a cell, which are in order.
    case cell(JoinedSummary)
    /// The summary of a block.
    case block(BlockSummary, BlockSource)
    /// A block whose summary this version cannot read.
    case unread(StoredBlock)
    /// The rows themselves, of a recording that is running on this device; with their summary.
    case tail(BlockSummary, TraceRows)
    /// Rows of a block beside, or behind, those that are not shown; with their summary.
    case rest(BlockSummary, TraceRows)
    /// Rows that are not shown: how many, and from which time to which they may be.
    case hidden(UInt64, from: Int64, to: Int64)
}

/// Where the rows of a block are, and what they are corrected by.
struct BlockSource {
    let stored: StoredBlock
    /// What the views say of it, as it was measured.
    fileprivate let measured: BlockSummary
    fileprivate let calibration: Calibration
}

extension Reading {
    /// Returns the summaries of the rows of `trace`, in order: that of a cell if `isTaken` accepts it as it was measured,
    /// else those of its blocks.
    ///
    /// Cost: about 2 us for each cell that is examined, and for each block of the cells that are not taken.
    func stretches(
        of trace: RecordID, showing values: TraceValues, takingCells isTaken: (JoinedSummary) -> Bool
    ) throws -> [TraceStretch] {
        let calibration = try calibration(of: trace, showing: values)
        // Read the tail before the blocks: what moves into the log meanwhile is then seen twice instead of never.
        let tail = Tails.content(of: trace, in: self).rows
        let hidden = HiddenRows(try hiddenStretches(of: trace))
        let (stretches, next, replaced, last) = try read { view in
            var (stretches, next, known) = ([TraceStretch](), UInt64(0), KnownLayout())
            var replaced: [Range<UInt64>] = []
            // The charge of a cell behind hidden rows would count on from them.
            var isBehindHidden = false
            try view.descend(Metering.trace.name, trace) { cell in
                // If blocks did not come in order, only they show which values are first and last.
                guard let cell = try? JoinedSummary(cell, &known), cell.isInOrder, isTaken(cell), !isBehindHidden,
                    hidden.isEmpty || !cell.parts.contains(where: hidden.overlaps)
                else { return false }
                next = max(next, cell.end)
                stretches.append(.cell(cell))
                return true
            } _: { block, bytes in
                next = max(next, block.first + block.count)
                if hidden.replaces(block.event) {
                    isBehindHidden = true
                    return replaced.append(block.first..<block.first + block.count)
                }
                let summary = try? BlockSummary(bytes, &known)
                isBehindHidden = summary.map(hidden.overlaps) ?? false
                guard let summary else { return stretches.append(.unread(block)) }
                let source = BlockSource(stored: block, measured: summary, calibration: calibration)
                stretches.append(.block(summary, source))
            }
            var last: BlockSummary?
            if !tail.isEmpty, next > 0 {
                // It may be in a cell that was taken.
                try view.forEachBlock(of: Metering.trace.name, trace, from: next - 1) { block, bytes in
                    if !hidden.replaces(block.event) { last = try? BlockSummary(bytes, &known) }
                    return true
                }
            }
            return (stretches, next, replaced, last)
        }
        let measured = stretches + Self.tail(tail, from: next, after: last)
        if hidden.isEmpty { return measured.map { $0.calibrated(by: calibration) } }
        var shown = ShownStretches(hidden, replaced)
        for stretch in measured {
            try shown.append(stretch) { try measuredRows(of: $0.stored, $0.measured).items }
        }
        return shown.finish().map { $0.calibrated(by: calibration) }
    }

    /// Calls `body` with `stretches` in order, until it returns `false`. Blocks for which `isWanted` returns `true`
    /// come with their rows, limited to `channels` if these are given.
    ///
    /// The next blocks are decoded on all cores meanwhile.
    func forEach(
        _ stretches: [TraceStretch], only channels: [Channel]? = nil, wantingRowsWhere isWanted: (BlockSummary) -> Bool,
        _ body: (_ stretch: TraceStretch, _ rows: BlockContent<TraceRows>?) throws -> Bool
    ) throws {
        var work = OrderedWork<Result<BlockContent<TraceRows>, any Error>>()
        var ahead = 0
        for stretch in stretches {
            while ahead < stretches.count, !work.isFull {
                if case .block(let summary, let block) = stretches[ahead], isWanted(summary) {
                    work.add { Result { try self.rows(of: block, only: channels) } }
                }
                ahead += 1
            }
            var found: BlockContent<TraceRows>?
            if case .block(let summary, _) = stretch, isWanted(summary) { found = try work.next()?.get() }
            guard try body(stretch, found) else { return }
        }
    }

    /// Returns the rows of `block`, limited to `channels` if these are given.
    func rows(of block: BlockSource, only channels: [Channel]? = nil) throws -> BlockContent<TraceRows> {
        let content = try measuredRows(of: block.stored, block.measured, only: channels)
        guard case .here(let rows) = content else { return content }
        return .here(rows.calibrated(by: block.calibration))
    }

    /// Returns the rows of `block`, whose summary in the views is `summary`, as they were measured; limited to `channels`
    /// if these are given.
    func measuredRows(
        of block: StoredBlock, _ summary: BlockSummary, only channels: [Channel]? = nil
    ) throws -> BlockContent<TraceRows> {
        try content(of: block) {
            (try? BlockSummary($0)) == summary
        } _: { content in
            guard let channels else { return try TraceRows(content, of: summary) }
            return try TraceRows(content, of: summary, only: channels)
        }
    }

    /// Returns the rows of a tail that are not in the log, which has those before `next`, `last` among them.
    private static func tail(_ tail: [TraceRows], from next: UInt64, after last: BlockSummary?) -> [TraceStretch] {
        var before = last
        return rows(of: tail, from: next).map { rows in
            let isNext = before?.end == rows.first
            let summary = BlockSummary(of: rows, after: isNext ? before?.lastRow : nil)
            before = summary
            return .tail(summary, rows)
        }
    }

    /// Returns the rows of a tail that are not in the log, which has those before `next`.
    static func rows(of tail: [TraceRows], from next: UInt64) -> [TraceRows] {
        tail.compactMap { rows in
            let end = rows.first + UInt64(rows.count)
            if end <= next || rows.count == 0 { return nil }
            return rows.first >= next ? rows : rows.split(at: Int(next - rows.first)).1
        }
    }
}

extension TraceStretch {
    fileprivate func calibrated(by calibration: Calibration) -> TraceStretch {
        switch self {
        case .cell(let cell): .cell(cell.calibrated(by: calibration))
        case .block(let summary, let source): .block(summary.calibrated(by: calibration), source)
        case .tail(let summary, let rows):
            .tail(summary.calibrated(by: calibration), rows.calibrated(by: calibration))
        case .rest(let summary, let rows):
            .rest(summary.calibrated(by: calibration), rows.calibrated(by: calibration))
        case .unread, .hidden: self
        }
    }
}

import EventLog
import Events
import Metering
import Projections
import Records

/// What the views have for a stretch of a trace, as coarsely as was requested.
enum TraceStretch {
    /// The summary of the blocks of a cell, which are in order.
    case cell(JoinedSummary)
    /// The summary of a block.
    case block(BlockSummary, StoredBlock)
    /// A block whose summary this version cannot read.
    case unread(StoredBlock)
    /// The rows themselves, of a recording that is running on this device.
    case tail(TraceRows)
}

extension Reading {
    /// Returns the summaries of the rows of `trace`, in order: that of a cell if `isTaken` accepts it, else those of
    /// its blocks.
    ///
    /// Cost: about 2 us for each cell that is examined, and for each block of the cells that are not taken.
    func stretches(
        of trace: RecordID, takingCells isTaken: (JoinedSummary) -> Bool
    ) throws -> [TraceStretch] {
        // Read the tail before the blocks: what moves into the log meanwhile is then seen twice instead of never.
        let tail = Tails.content(of: trace, in: self).rows
        let (stretches, next) = try read { view in
            var (stretches, next, known) = ([TraceStretch](), UInt64(0), KnownLayout())
            try view.descend(Metering.trace.name, trace) { cell in
                // If blocks did not come in order, only they show which values are first and last.
                guard let cell = try? JoinedSummary(cell, &known), cell.isInOrder, isTaken(cell) else { return false }
                next = max(next, cell.end)
                stretches.append(.cell(cell))
                return true
            } _: { block, bytes in
                next = max(next, block.first + block.count)
                let summary = try? BlockSummary(bytes, &known)
                stretches.append(summary.map { .block($0, block) } ?? .unread(block))
            }
            return (stretches, next)
        }
        return stretches + Self.rows(of: tail, from: next).map { .tail($0) }
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
                    work.add { Result { try self.rows(of: block, summary, only: channels) } }
                }
                ahead += 1
            }
            var found: BlockContent<TraceRows>?
            if case .block(let summary, _) = stretch, isWanted(summary) { found = try work.next()?.get() }
            guard try body(stretch, found) else { return }
        }
    }

    /// Returns the rows of `block`, whose summary in the views is `summary`; limited to `channels` if these are
    /// given.
    func rows(
        of block: StoredBlock, _ summary: BlockSummary, only channels: [Channel]? = nil
    ) throws -> BlockContent<TraceRows> {
        try content(of: block) {
            (try? BlockSummary($0)) == summary
        } _: { content in
            guard let channels else { return try TraceRows(content, of: summary) }
            return try TraceRows(content, of: summary, only: channels)
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

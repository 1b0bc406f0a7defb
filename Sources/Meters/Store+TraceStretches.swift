import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMDBPages
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// What the views say of a stretch of a trace, as coarsely as was asked for.
enum TraceStretch {
    /// Of the blocks of a cell, which are in order.
    case cell(JoinedSummary)
    /// Of a block.
    case block(BlockSummary, StoredBlock)
    /// Nothing: of a block that this version cannot read.
    case unread(StoredBlock)
    /// The rows themselves, of a recording that goes on here.
    case tail(TraceRows)
}

extension Reading {
    /// What is said of the rows of `trace`, in order: of a cell where `isTaken` says so, and else of its blocks.
    ///
    /// Cost: about 2 us for each cell that is looked at, and for each block of those that are not taken.
    func stretches(
        of trace: RecordID, takingCells isTaken: (JoinedSummary) -> Bool
    ) throws -> [TraceStretch] {
        // Before the blocks: what goes into the log meanwhile is met twice then, and not never.
        let tail = Tails.content(of: trace, in: self).rows
        let (stretches, next) = try read { view in
            var (stretches, next, known) = ([TraceStretch](), UInt64(0), KnownLayout())
            try view.descend(Metering.trace.name, trace) { cell in
                // Where blocks did not come in order, only they tell what stands first and last.
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

    /// Hands out `stretches` in order, until `body` says `false`: of each block whose rows are wanted with these, of
    /// `channels` alone where these are given.
    ///
    /// The blocks that come next are decoded on all cores meanwhile.
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

    /// The rows of `block`, of which the views say `summary`; of `channels` alone where these are given.
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

    /// The rows of a tail that are not in the log, which has those before `next`.
    static func rows(of tail: [TraceRows], from next: UInt64) -> [TraceRows] {
        tail.compactMap { rows in
            let end = rows.first + UInt64(rows.count)
            if end <= next || rows.count == 0 { return nil }
            return rows.first >= next ? rows : rows.split(at: Int(next - rows.first)).1
        }
    }
}

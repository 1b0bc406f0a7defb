import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTraceFiles

extension Store {
    /// Checks every row of `trace` against its summaries. Writes nothing.
    ///
    /// | compared | with |
    /// |---|---|
    /// | summary of a block: times, counter, values of each channel, charge and energy, missing and repeated rows | its rows, and the last row of the block before |
    /// | summary of a block in the views | its event |
    /// | number of the first row of a block | the row behind the block before |
    /// | time of each row | the row before it |
    /// | cells of the views | their blocks, joined |
    /// | end of the trace | its last row |
    /// | summary of the captured bytes, if these are kept | these bytes; none is missing between them |
    ///
    /// Withheld rows are counted; their summaries cannot be checked any more, but all else is. Whether the log itself
    /// is intact is checked by ``verify(at:isDeep:archives:kinds:components:stateFolder:)``.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read at all. Damage is not thrown.
    /// - Complexity: O(values), about 12 ns each; memory for the summaries of the blocks, and the rows of one.
    public func verify(_ trace: Trace) throws -> TraceVerification {
        var check = TraceCheck(trace, HiddenRows(try hiddenStretches(of: trace.id)))
        // Read the tail before the blocks: what moves into the log meanwhile is then seen twice instead of never.
        let tail = tail(of: trace.id, &check)
        let (blocks, cells) = try blocksAndCells(of: trace.id)
        (check.result.cellCount, check.result.damage) = (cells.count, check.result.damage + cells.damage)
        for (block, summary) in check.withoutReplaced(blocks) {
            guard let summary = check.listed(block, summary) else { continue }
            try check.compare(block, summary, measuredRows(of: block, summary))
        }
        for rows in Self.rows(of: tail, from: check.next) { check.add(tail: rows) }
        let captures = try captures(of: trace.id)
        for (block, summary) in captures.blocks { try check.compare(block, capture(of: block, summary)) }
        for capture in captures.tail { check.add(tail: capture) }
        check.finish(trace)
        return check.result
    }

    private func tail(of trace: RecordID, _ check: inout TraceCheck) -> [TraceRows] {
        let path = Tails.path(of: trace, below: files)
        // A recording may end between the two checks, and remove its file.
        for _ in 1...2 {
            if let tail = TailFile.read(path, log: log.id) { return tail.content.rows }
            guard FileManager.default.fileExists(atPath: path) else { return [] }
        }
        check.result.damage.append(
            .init(.tail, detail: "\(path) cannot be read: it has the latest recorded rows, which are not in the log"))
        return []
    }

    private func blocksAndCells(of trace: RecordID) throws -> (
        blocks: [(StoredBlock, BlockSummary?)], cells: (count: Int, damage: [TraceVerification.Damage])
    ) {
        let schema = Metering.trace
        guard let series = schema.series else { preconditionFailure("A trace has a series.") }
        return try read { view in
            var blocks: [(StoredBlock, BlockSummary?)] = []
            var cells = TraceCells(series)
            try view.forEachBlock(of: schema.name, trace) { block, bytes in
                cells.add(block, bytes)
                blocks.append((block, try? BlockSummary(bytes)))
                return true
            }
            return (blocks, try cells.compare(trace, in: view))
        }
    }
}

/// Compares the blocks of one trace with their summaries, one after the other.
struct TraceCheck {
    var result: TraceVerification
    /// The number of the next expected row.
    private(set) var next: UInt64 = 0
    /// The summary of the previous block.
    private var before: BlockSummary?
    private var lastTime: Int64?
    /// The number of the next expected byte on the line.
    private var nextByte: UInt64 = 0
    private let hidden: HiddenRows
    /// The rows of blocks that were replaced when some of these rows were erased.
    private var replaced: [Range<UInt64>] = []

    init(_ trace: Trace, _ hidden: HiddenRows) {
        (result, self.hidden) = (TraceVerification(trace: trace.id), hidden)
    }

    /// Returns `blocks` without those of whose rows later blocks have what is left.
    mutating func withoutReplaced(_ blocks: [(StoredBlock, BlockSummary?)]) -> [(StoredBlock, BlockSummary?)] {
        replaced = HiddenRows.joined(
            blocks.filter { hidden.replaces($0.0.event) }.map { $0.0.first..<$0.0.first + $0.0.count })
        return replaced.isEmpty ? blocks : blocks.filter { !hidden.replaces($0.0.event) }
    }

    /// Counts the next block; returns its summary if it is readable.
    mutating func listed(_ block: StoredBlock, _ summary: BlockSummary?) -> BlockSummary? {
        result.blockCount += 1
        let rows = block.first..<block.first + block.count
        follow(rows, event: block.event)
        guard let summary else {
            result.damage.append(
                .init(
                    .unknown, rows: rows, event: block.event,
                    detail: "the summary of the block is malformed, or from a later version of this program"))
            (before, lastTime) = (nil, nil)
            return nil
        }
        if summary.first..<summary.end != rows || summary.count != block.count {
            result.damage.append(
                .init(
                    .summary, rows: rows, event: block.event,
                    detail: "the summary of the block covers the rows \(summary.first) to \(summary.end - 1)"))
        }
        return summary
    }

    /// Compares a block with its rows.
    mutating func compare(_ block: StoredBlock, _ summary: BlockSummary, _ content: BlockContent<TraceRows>) {
        defer { (before, lastTime) = (summary, summary.lastTime) }
        func damage(_ what: TraceVerification.Damage.What, _ detail: String) -> TraceVerification.Damage {
            .init(what, rows: block.first..<block.first + block.count, event: block.event, detail: detail)
        }
        switch content {
        case .withheld:
            result.withheldBlockCount += 1
            result.withheldCount += block.count
        case .lost: result.damage.append(damage(.lost, "the event that brought the block is not in the log"))
        case .another:
            result.damage.append(
                damage(
                    .view,
                    "the views differ from the event of the block; delete views.mdb in the store: it is "
                        + "rebuilt from the log"))
        case .unreadable(let reason):
            result.damage.append(damage(.unreadable, "the rows of the block cannot be read: \(reason)"))
        case .here(let rows):
            result.rowCount += UInt64(rows.count)
            let parts = summary.parts(unlike: rows, after: before)
            if !parts.isEmpty {
                let words = parts.map(\.description).joined(separator: ", ")
                result.damage.append(damage(.summary, "the summary of the block does not match its rows: \(words)"))
            }
            checkOrder(rows, event: block.event, behind: before.map { $0.end <= rows.first } ?? false)
        }
    }

    /// Adds rows that are not in the log yet; they have no summary to check.
    mutating func add(tail rows: TraceRows) {
        let isBehind = rows.first >= next
        follow(rows.first..<rows.first + UInt64(rows.count), event: nil)
        result.rowCount += UInt64(rows.count)
        result.tailCount += UInt64(rows.count)
        checkOrder(rows, event: nil, behind: isBehind)
        lastTime = rows.times.last
    }

    /// Checks that no row is earlier than the one before it, also if that is the last one of the block before, which
    /// these rows are behind.
    private mutating func checkOrder(_ rows: TraceRows, event: EventID?, behind isBehind: Bool) {
        var last = isBehind ? lastTime ?? .min : .min
        guard
            let row = rows.times.firstIndex(where: { time in
                defer { last = time }
                return time < last
            })
        else { return }
        let number = rows.first + UInt64(row)
        result.damage.append(
            .init(
                .order, rows: number..<number + 1, event: event,
                detail: "row \(number) is of \(UTCText.milliseconds(rows.times[row])), earlier than the row before it"))
    }

    /// Checks a block of captured bytes.
    mutating func compare(_ block: StoredBlock, _ content: BlockContent<Capture>) {
        let bytes = block.first..<block.first + block.count
        follow(bytes: bytes, event: block.event)
        switch content {
        case .here: result.captureByteCount += block.count
        case .withheld: result.withheldByteCount += block.count
        case .lost: damage(bytes, block.event, "are lost: their event is not in the log")
        case .another:
            damage(
                bytes, block.event,
                "differ from those in the views; delete views.mdb in the store: it is rebuilt from the log")
        case .unreadable(let reason): damage(bytes, block.event, "cannot be read: \(reason)")
        }
    }

    /// Adds bytes that are not in the log yet.
    mutating func add(tail capture: Capture) {
        follow(bytes: capture.first..<capture.first + UInt64(capture.byteCount), event: nil)
        result.captureByteCount += UInt64(capture.byteCount)
    }

    private mutating func follow(bytes: Range<UInt64>, event: EventID?) {
        if bytes.lowerBound > nextByte {
            damage(nextByte..<bytes.lowerBound, nil, "are lost, or have not arrived yet")
        } else if bytes.lowerBound < nextByte {
            damage(bytes.lowerBound..<min(nextByte, bytes.upperBound), event, "are there twice")
        }
        nextByte = max(nextByte, bytes.upperBound)
    }

    private mutating func damage(_ bytes: Range<UInt64>, _ event: EventID?, _ what: String) {
        let named = "the bytes \(bytes.lowerBound) to \(bytes.upperBound - 1) sent to or by the meter"
        result.damage.append(.init(.capture, event: event, detail: "\(named) \(what)"))
    }

    /// Compares the end of `trace` with the last row.
    mutating func finish(_ trace: Trace) {
        guard let ended = trace.ended, let lastTime, ended != lastTime, !hidden.contains(ended) else { return }
        result.damage.append(
            .init(
                .end,
                detail:
                    "the trace is recorded as ending at \(UTCText.milliseconds(ended)), but its last row is of "
                    + UTCText.milliseconds(lastTime)))
    }

    private mutating func follow(_ rows: Range<UInt64>, event: EventID?) {
        let isErased = replaced.contains { $0.lowerBound <= next && $0.upperBound >= rows.lowerBound }
        if rows.lowerBound > next, !isErased {
            result.damage.append(
                .init(
                    .missingRows, rows: next..<rows.lowerBound,
                    detail: "no block has these rows: one is lost, or has not arrived yet"))
        } else if rows.lowerBound < next, !replaced.contains(where: { $0.overlaps(rows) }) {
            result.damage.append(
                .init(
                    .overlap, rows: rows.lowerBound..<min(next, rows.upperBound), event: event,
                    detail: "another block has these rows too"))
        }
        next = max(next, rows.upperBound)
    }
}

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
        let traces = try read { view in
            var traces: [Trace] = []
            try view.forEachRecord(of: Metering.trace.name) { record in
                if record.isVisible { traces.append(Trace(record)) }
                return true
            }
            return traces
        }
        return traces.sorted { ($0.started ?? 0, $0.id) < ($1.started ?? 0, $1.id) }
    }

    /// Whether the samples of `trace` travel: what it says itself, else what its meter says; else they stay.
    public func sharing(of trace: Trace) throws -> SampleSharing {
        try samples.isShared(trace.id) ? .synced : .local
    }

    /// Sets what a trace is called, and whether its samples travel; `nil` leaves that as it is, an empty name takes it away.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is no such trace.
    public func edit(
        trace: RecordID, name: String? = nil, sharing: SampleSharing? = nil, note: String = "", author: String? = nil
    ) async throws {
        guard try record(Metering.trace.name, trace)?.isVisible == true else {
            throw StoreError(
                .notFound, "There is no trace \(trace.short).", hint: "groundwave trace list lists them.")
        }
        var fields: [Assignment] = []
        if let name { fields.append(Assignment("NAME", name.isEmpty ? nil : Array(name.utf8))) }
        if let sharing { fields.append(Assignment("SAMPLES", text: sharing.rawValue)) }
        let assignments = fields
        try await write(note: note, author: author) { try $0.set(Metering.trace.name, trace, assignments) }
    }

    /// What is said of the rows of `trace`, those of a recording that goes on here included.
    ///
    /// - Complexity: O(blocks), about 2 us each.
    public func summary(of trace: RecordID) throws -> TraceSummary {
        // Before the blocks: what goes into the log meanwhile is met twice then, and not never.
        let tail = Tails.rows(of: trace, in: self)
        var (summary, next) = try read { view in
            var (summary, next) = (TraceSummary(), UInt64(0))
            try view.forEachBlock(of: Metering.trace.name, trace) { block, bytes in
                summary.blockCount += 1
                next = max(next, block.first + block.count)
                if let found = try? BlockSummary(bytes) { summary.add(found) } else { summary.unreadCount += 1 }
                return true
            }
            return (summary, next)
        }
        for rows in Self.rows(of: tail, from: next) {
            summary.tailCount += rows.count
            summary.add(BlockSummary(of: rows, after: nil))
        }
        return summary
    }

    /// Hands out the rows of `trace` in order, a block at a time, until `body` says `false`; those of a recording that goes
    /// on here come last.
    ///
    /// - Parameters:
    ///   - start: Rows before this time are left out: milliseconds since 1970.
    ///   - end: Rows from this time on are left out.
    /// - Complexity: O(rows); memory for one block.
    public func forEachPiece(
        of trace: RecordID, from start: Int64 = .min, to end: Int64 = .max, _ body: (TracePiece) throws -> Bool
    ) throws {
        try forEachBlock(of: trace) { summary, rows in
            guard summary.greatestTime >= start, summary.leastTime < end else { return true }
            guard let rows = try rows() else { return try body(.withheld(summary)) }
            return try give(rows, start, end, body)
        }
    }

    /// Hands out what is said of each block of `trace` in order, those of a recording that goes on here last, with a way to
    /// its rows, which are `nil` where they are not here; until `body` says `false`.
    ///
    /// Cost: O(blocks), about 2 us each; the rows that are asked for, one block at a time.
    func forEachBlock(
        of trace: RecordID, _ body: (_ summary: BlockSummary, _ rows: () throws -> TraceRows?) throws -> Bool
    ) throws {
        // Before the blocks: what goes into the log meanwhile is met twice then, and not never.
        let tail = Tails.rows(of: trace, in: self)
        let (blocks, next) = try read { view in
            var (blocks, next) = ([(position: Position, summary: BlockSummary)](), UInt64(0))
            try view.forEachBlock(of: Metering.trace.name, trace) { block, bytes in
                next = max(next, block.first + block.count)
                if let summary = try? BlockSummary(bytes) { blocks.append((block.position, summary)) }
                return true
            }
            return (blocks, next)
        }
        for block in blocks {
            guard try body(block.summary, { try rows(at: block.position, of: block.summary) }) else { return }
        }
        for rows in Self.rows(of: tail, from: next) {
            guard try body(BlockSummary(of: rows, after: nil), { rows }) else { return }
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

    /// The rows of the block whose event stands at `position`; `nil` where they are not here.
    private func rows(at position: Position, of summary: BlockSummary) throws -> TraceRows? {
        try withBlockContent(at: position) { try TraceRows($0, of: summary) }
    }

    /// What `body` makes of the items of the block whose event stands at `position`; `nil` where they are not here, or it
    /// throws.
    func withBlockContent<Result>(at position: Position, _ body: (RawSpan) throws -> Result) throws -> Result? {
        guard position > 0 else { return nil }
        return try log.withEvent(at: position) { frame, bytes in
            try? frame.blockContent(in: bytes).map { try body(bytes.extracting($0)) }
        } ?? nil
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

extension Frame {
    /// Where the items stand of the block that the event in `bytes` brings; `nil` where they are withheld.
    ///
    /// - Throws: ``ChangeError`` where it brings none.
    func blockContent(in bytes: RawSpan) throws -> Range<Int>? {
        if isWithheld { return nil }
        let values = bytes.extracting(self.values)
        var reader = try ChangeReader(shape: bytes.extracting(shape), isWithheld: false, by: names(in: bytes))
        try reader.skipNote(in: values)
        guard let content = try reader.blockContent(in: values) else { throw ChangeError.inconsistent }
        return self.values.lowerBound + content.lowerBound..<self.values.lowerBound + content.upperBound
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
    /// Where rows of `trace` are missing, in order. Cost: as of ``summary(of:)``.
    public func gaps(of trace: RecordID) throws -> [TraceGap] {
        var gaps: [TraceGap] = []
        try forEachBlock(of: trace) { summary, _ in
            for mark in summary.marks where mark.kind == .gap {
                gaps.append(TraceGap(row: summary.first + UInt64(mark.row), count: mark.count))
            }
            return true
        }
        return gaps
    }

    /// What the log of this device has of the samples of `trace`.
    ///
    /// - Complexity: A look-up for each block.
    public func storage(of trace: RecordID) throws -> TraceStorage {
        let blocks = try read { view in
            var blocks: [(position: Position, summary: BlockSummary)] = []
            try view.forEachBlock(of: Metering.trace.name, trace) { block, bytes in
                if let summary = try? BlockSummary(bytes) { blocks.append((block.position, summary)) }
                return true
            }
            return blocks
        }
        var storage = TraceStorage()
        for block in blocks {
            let found = try log.withEvent(at: block.position) { frame, _ in
                frame.isWithheld || frame.isLost ? nil : frame.length
            }
            if let found, let length = found {
                storage.byteCount += length
                storage.valueCount += block.summary.count * UInt64(block.summary.layout.channels.count)
            } else {
                storage.withheldCount += block.summary.count
            }
        }
        return storage
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// A piece of a trace, as it is passed to a reader.
public enum TracePiece: Sendable {
    /// Rows.
    case rows(TraceRows)
    /// Rows that are withheld intentionally: removed as old, kept on another device, archived. Their summary is here.
    case withheld(BlockSummary)
    /// The numbers of rows that should be here and cannot be read: damaged, lost, or of a later version of this
    /// program.
    case unreadable(Range<UInt64>)
    /// The number of rows that somebody has hidden or erased: see ``HiddenStretch``.
    case hidden(UInt64)
}

extension Reading {
    /// Returns all traces that show, or all hidden ones, earliest first.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: Reads every trace's record.
    public func traces(hidden: Bool = false) throws -> [Trace] {
        let traces = try read { view in
            var traces: [Trace] = []
            try view.forEachRecord(of: Metering.trace.name) { record in
                if record.isVisible != hidden { traces.append(Trace(record)) }
                return true
            }
            return traces
        }
        return traces.sorted { ($0.started ?? 0, $0.id) < ($1.started ?? 0, $1.id) }
    }

    /// Returns whether the samples of `trace` are synchronised: by its own setting, else by that of its meter; else
    /// not.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A few look-ups.
    public func sharing(of trace: Trace) throws -> SampleSharing {
        try read { try SamplePolicy.isShared(trace.id, in: $0) } ? .synced : .local
    }

    /// Returns the summary of the rows of `trace`, including those of a recording that is running on this device.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(cells): a few microseconds for each 268,435,456 rows whose blocks came in order, and for each
    ///   block of the others.
    public func summary(of trace: RecordID, showing values: TraceValues = .calibrated) throws -> TraceSummary {
        var summary = TraceSummary()
        summary.tail = Tails.state(of: trace, in: self)
        // Sums are corrected as a whole, at the end.
        for stretch in try stretches(of: trace, showing: .measured, takingCells: { _ in true }) {
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
            case .tail(let block, let rows):
                summary.tailCount += rows.count
                summary.rows.append(JoinedSummary(block))
            case .rest(let block, _):
                summary.blockCount += 1
                summary.rows.append(JoinedSummary(block))
            case .hidden(let count, _, _): summary.hiddenCount += count
            }
        }
        let calibration = try calibration(of: trace, showing: values)
        summary.calibration = calibration.limited(to: summary.channels.map(\.channel))
        summary.rows = summary.rows.calibrated(by: calibration)
        return summary
    }

    /// Calls `body` with the rows of `trace` in order, a block at a time, until it returns `false`; those of a
    /// recording that is running on this device come last.
    ///
    /// Damage is not thrown: the rows behind it are passed on too. The times of rows of which nothing can be read are
    /// unknown, so such rows are reported in every range.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - values: Whether values are corrected by the calibration.
    ///   - start: Rows before this time are left out: milliseconds since 1970.
    ///   - end: Rows from this time on are left out.
    ///   - body: Is given each piece, and returns whether to go on.
    /// - Throws: As ``read(_:)``; what `body` throws.
    /// - Complexity: O(rows passed on); their summaries, and a few blocks, in memory.
    public func forEachPiece(
        of trace: RecordID, showing values: TraceValues = .calibrated, from start: Int64 = .min, to end: Int64 = .max,
        _ body: (TracePiece) throws -> Bool
    ) throws {
        try forEachPiece(in: stretches(of: trace, showing: values, from: start, to: end), from: start, to: end, body)
    }

    /// Returns the stretches of `trace`, by block where rows may be from `start` up to `end`.
    func stretches(
        of trace: RecordID, showing values: TraceValues, from start: Int64, to end: Int64
    ) throws -> [TraceStretch] {
        try stretches(of: trace, showing: values) { cell in
            cell.parts.allSatisfy { !$0.mayHaveRows(from: start, to: end) }
        }
    }

    /// As ``forEachPiece(of:showing:from:to:_:)``, with the `stretches` of the trace in this range.
    func forEachPiece(
        in stretches: [TraceStretch], from start: Int64, to end: Int64, _ body: (TracePiece) throws -> Bool
    ) throws {
        func isInside(_ block: BlockSummary) -> Bool { block.mayHaveRows(from: start, to: end) }
        try forEach(stretches, wantingRowsWhere: isInside) { stretch, rows in
            switch stretch {
            // The whole cell is outside of the range.
            case .cell: true
            case .block(let summary, _) where !isInside(summary): true
            case .block(let summary, let block):
                switch rows {
                case .here(let rows): try give(rows, start, end, body)
                case .withheld: try body(.withheld(summary))
                default: try body(.unreadable(block.stored.first..<block.stored.first + block.stored.count))
                }
            case .unread(let block): try body(.unreadable(block.first..<block.first + block.count))
            case .tail(_, let rows), .rest(_, let rows): try give(rows, start, end, body)
            case .hidden(let count, let first, let last):
                if last >= start, first < end { try body(.hidden(count)) } else { true }
            }
        }
    }

    private func give(
        _ rows: TraceRows, _ start: Int64, _ end: Int64, _ body: (TracePiece) throws -> Bool
    ) throws -> Bool {
        try rows.rows(from: start, to: end).map { try body(.rows($0)) } ?? true
    }
}

extension TraceRows {
    /// Returns the rows from the first to the last one with a time from `start` up to but not including `end`, without
    /// the channels that none of them has; `nil` if there is none.
    func rows(from start: Int64, to end: Int64) -> TraceRows? {
        guard let first = times.firstIndex(where: { $0 >= start && $0 < end }),
            let last = times.lastIndex(where: { $0 >= start && $0 < end })
        else { return nil }
        return (first == 0 && last == count - 1 ? self : split(at: last + 1).0.split(at: first).1).compacted()
    }
}

extension BlockSummary {
    /// Whether a row may have a time from `start` up to but not including `end`.
    func mayHaveRows(from start: Int64, to end: Int64) -> Bool { greatestTime >= start && leastTime < end }
}

/// A point of a trace at which rows are missing.
public struct TraceGap: Hashable, Sendable {
    /// The number of the row before which they are missing.
    public let row: UInt64
    /// The number of missing rows.
    public let count: UInt64
    /// How they were told.
    public let kind: Mark.Kind
}

extension Reading {
    /// Returns the gaps of `trace`, in order.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(blocks of the cells in which rows are missing + cells).
    public func gaps(of trace: RecordID) throws -> [TraceGap] {
        var gaps: [TraceGap] = []
        func add(_ marks: [Mark], from first: UInt64) {
            for mark in marks where mark.kind.isGap {
                gaps.append(TraceGap(row: first + UInt64(mark.row), count: mark.count, kind: mark.kind))
            }
        }
        for stretch in try stretches(of: trace, showing: .measured, takingCells: { $0.gapCount == 0 }) {
            switch stretch {
            case .cell, .unread, .hidden: continue
            case .block(let summary, _), .rest(let summary, _), .tail(let summary, _):
                add(summary.marks, from: summary.first)
            }
        }
        return gaps
    }

    /// Returns what the log of this device has of the samples of `trace`.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A look-up for each block.
    public func storage(of trace: RecordID) throws -> TraceStorage {
        var storage = TraceStorage()
        for stretch in try stretches(of: trace, showing: .measured, takingCells: { _ in false }) {
            switch stretch {
            case .block(let summary, let block):
                switch try byteCount(of: block.stored) {
                case .here(let length):
                    storage.byteCount += length
                    storage.valueCount += summary.cells.reduce(0) { $0 + UInt64($1.count) }
                case .withheld: storage.withheldCount += block.stored.count
                default: storage.unreadableCount += block.stored.count
                }
            case .unread(let block): storage.unreadableCount += block.count
            case .cell, .tail, .rest, .hidden: continue
            }
        }
        return storage
    }
}

extension Store {
    /// Sets the name of a trace, and whether its samples are synchronised; `nil` leaves a setting unchanged, an empty
    /// name removes the name.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such trace.
    /// - Complexity: At most one commit.
    public func edit(
        trace: RecordID, name: String? = nil, sharing: SampleSharing? = nil, note: String = "", author: String? = nil
    ) async throws {
        guard try record(Metering.trace.name, trace)?.isVisible == true else {
            throw Self.noTrace(trace)
        }
        var fields: [Assignment] = []
        if let name { fields.append(Assignment("NAME", name.isEmpty ? nil : Array(name.utf8))) }
        if let sharing { fields.append(Assignment("SAMPLES", text: sharing.rawValue)) }
        let assignments = fields
        try await write(note: note, author: author) { try $0.set(Metering.trace.name, trace, assignments) }
    }
}

import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Hides the rows of `trace` with a time from `start` up to but not including `end`, in milliseconds since 1970.
    ///
    /// They stay in the log, and no sum, mean, plot, export or decoded trace has them until the stretch is restored.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if no such trace shows, with code `busy` if a recording of it is running
    ///   on this device, with code `usage` if the stretch is empty.
    /// - Complexity: At most one commit.
    @discardableResult
    public func hide(
        _ trace: RecordID, from start: Int64, to end: Int64, note: String = "", author: String? = nil
    ) async throws -> HiddenStretch {
        try checkStretch(of: trace, from: start, to: end)
        let fields = Self.fields(of: trace, from: start, to: end)
        let added = try await write(note: note, author: author) { try $0.add(Metering.stretch.name, fields) }
        return HiddenStretch(added.value, from: start, to: end)
    }

    /// Shows the rows of the stretches of `trace` that have a moment from `start` up to but not including `end`; what was
    /// erased stays away. The value is these stretches.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such trace.
    /// - Complexity: At most one commit.
    @discardableResult
    public func restoreStretches(
        of trace: RecordID, from start: Int64, to end: Int64, note: String = "", author: String? = nil
    ) async throws -> Written<[HiddenStretch]> {
        guard try record(Metering.trace.name, trace) != nil else { throw Self.noTrace(trace) }
        let found = try hiddenStretches(of: trace).filter { !$0.isErased && $0.start < end && $0.end > start }
        return try await write(note: note, author: author) { batch in
            for stretch in found { _ = try batch.remove(Metering.stretch.name, stretch.id) }
            return found
        }
    }

    /// Erases the rows of `trace` with a time from `start` up to but not including `end` for ever, with the markers in that
    /// time, and with the bytes of the meter that were stored with any of these rows.
    ///
    /// Captured bytes are stored some minutes at a time: those before and behind the stretch go too where they share an
    /// event with it. Rows beside the stretch stay, in new blocks. Summaries stay in the log, as for
    /// ``erase(trace:note:author:)``, but nothing shows them.
    ///
    /// - Throws: As ``erase(_:kind:note:author:)``; ``StoreError`` with code `busy` if a recording of it is running on this
    ///   device; with code `usage` if the stretch is empty, or if the samples of a block across an edge are not here, so
    ///   that the rows beside the stretch could not be kept.
    @discardableResult
    public func erase(
        trace: RecordID, from start: Int64, to end: Int64, note: String = "", author: String? = nil
    ) async throws -> Erased {
        try checkStretch(of: trace, from: start, to: end)
        var erased = Erased()
        let markers = try markers(of: trace, hiddenToo: true).filter { $0.time >= start && $0.time < end }.map(\.id)
        if !markers.isEmpty {
            erased = try await erase(markers, kind: Metering.marker.name, note: note, author: author)
        }
        erased.records = [trace]
        let captured = try capturedPositions(of: trace, from: start, to: end)
        while try await !erase(cut(trace, from: start, to: end), captured, of: trace, start, end, note, author, &erased)
        {}
        try await finishErasing()
        return erased
    }

    /// Writes the erasure of a stretch; returns `false`, and writes nothing, if the blocks of the trace are not those any
    /// more that `cut` was made of.
    private func erase(
        _ cut: Cut, _ captured: [Position], of trace: RecordID, _ start: Int64, _ end: Int64, _ note: String,
        _ author: String?, _ erased: inout Erased
    ) async throws -> Bool {
        let fields =
            Self.fields(of: trace, from: start, to: end) + [
                Assignment("ERASED", text: "1"), Assignment("REPLACED", text: cut.replaced.text),
            ]
        do {
            try await writeErasure(note: note, author: author, into: &erased) { [log] batch in
                var present: [EventID] = []
                try batch.read { view in
                    try view.forEachBlock(of: Metering.trace.name, trace) { block, _ in
                        present.append(block.event)
                        return true
                    }
                }
                guard present == cut.blocks else { throw BlocksChanged() }
                var events = EventSet()
                try log.collectErasable(at: cut.positions, of: trace, into: &events)
                try log.collectErasable(at: captured, of: trace, into: &events)
                for block in cut.rest {
                    try batch.append(Change(kind: Metering.trace.name, record: trace, block: block))
                }
                if !events.isEmpty { _ = try batch.add(Metering.stretch.name, fields) }
                return events
            }
            return true
        } catch is BlocksChanged {
            return false
        }
    }

    /// Another process has erased a stretch of the same trace meanwhile.
    private struct BlocksChanged: Error {}

    private func checkStretch(of trace: RecordID, from start: Int64, to end: Int64) throws {
        guard try record(Metering.trace.name, trace)?.isVisible == true else { throw Self.noTrace(trace) }
        try checkNotRecording(trace)
        guard start < end else { throw StoreError(.usage, "The stretch is empty: it ends before it begins.") }
    }

    private static func fields(of trace: RecordID, from start: Int64, to end: Int64) -> [Assignment] {
        [Assignment("TRACE", text: "\(trace)"), Assignment("FROM", text: "\(start)"), Assignment("TO", text: "\(end)")]
    }

    /// What is left of a trace without a stretch.
    private struct Cut: Sendable {
        /// The positions of the events with rows of the stretch.
        var positions: [Position] = []
        /// Those of them that also have other rows.
        var replaced = EventSet()
        /// New blocks of these other rows.
        var rest: [SeriesBlock] = []
        /// The events of all blocks that it was made of.
        var blocks: [EventID] = []
    }

    private func cut(_ trace: RecordID, from start: Int64, to end: Int64) throws -> Cut {
        let hidden = HiddenRows(try hiddenStretches(of: trace))
        var cut = Cut()
        var blocks: [(block: StoredBlock, summary: BlockSummary)] = []
        try read { view in
            try view.forEachBlock(of: Metering.trace.name, trace) { block, bytes in
                cut.blocks.append(block.event)
                if !hidden.replaces(block.event), let summary = try? BlockSummary(bytes) {
                    blocks.append((block, summary))
                }
                return true
            }
        }
        var before: BlockSummary?
        for (block, summary) in blocks {
            defer { before = summary }
            guard summary.mayHaveRows(from: start, to: end), !hidden.hasErased(summary) else { continue }
            if summary.leastTime >= start && summary.greatestTime < end {
                cut.positions.append(block.position)
                continue
            }
            guard let rows = try measuredRows(of: block, summary).items else {
                throw StoreError(
                    .usage, "The samples of \(block.count) rows across an edge of the stretch are not here.",
                    hint: "Erase a longer stretch, or do it on the device that recorded the trace.")
            }
            let first = rows.times.firstIndex { $0 >= start } ?? rows.count
            let behind = rows.times.firstIndex { $0 >= end } ?? rows.count
            // The stretch may lie between two rows.
            if first == behind { continue }
            cut.positions.append(block.position)
            cut.replaced.insert(block.event)
            let isNext = before?.end == rows.first
            for (part, after) in [
                (rows.split(at: first).0, isNext ? before?.lastRow : nil), (rows.split(at: behind).1, nil),
            ] where part.count > 0 {
                cut.rest.append(SealedBlock(part.compacted(), after: after).block)
            }
        }
        return cut
    }

    /// Returns the positions of the events with captured bytes of this time.
    private func capturedPositions(of trace: RecordID, from start: Int64, to end: Int64) throws -> [Position] {
        try captures(of: trace).blocks.compactMap { block, summary in
            guard let capture = try capture(of: block, summary).items else { return nil }
            return capture.pieces.contains { $0.time >= start && $0.time < end } ? block.position : nil
        }
    }
}

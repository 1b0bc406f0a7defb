import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

/// Records one trace: takes rows as they come, and writes them to the log as events, block by block.
///
/// A row is on the disk of this device within a second of the call that brought it, if calls keep coming or
/// ``flush()`` is called each second. After a crash, the next open moves these rows into the log. A call suspends
/// while the disk is slow; nothing is dropped. Calls from several tasks run one after the other.
///
/// If a call throws, recording has stopped: what was on the disk stays, and further calls throw the same error.
/// ``stop()`` then moves what was received into the log, if there is room for it.
public actor TraceRecorder {
    /// The trace.
    public nonisolated let trace: RecordID

    private let store: Store
    private let tailPath: String
    private let lock: TailLock
    private var tail: TailFile
    /// The number of bytes in the event of a block beside the block.
    private let envelope: Int
    private var block: OpenBlock?
    /// The row before the first one of the block, for the totals.
    private var before: TraceRows?
    private var nextRow: UInt64 = 0
    /// The number of rows of the block that are in the tail.
    private var keptCount = 0
    /// The captured line traffic that is not in the log; `nil` if none is captured.
    private var capture: Capture?
    /// The number of its pieces that are in the tail.
    private var keptPieceCount = 0
    private var lastFlush = ContinuousClock.now
    private var failure: (any Error)?
    private var isFinished = false
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The age of the first row of a block at which the block is sealed.
    private static let blockMilliseconds: Int64 = 600_000
    /// The time since the last write to the tail after which rows are written to it again.
    private static let flushInterval = Duration.milliseconds(500)
    /// Room for the observed heads of other devices in an event: one, as a rule.
    private static let observedByteCount = 32

    init(_ store: Store, trace: RecordID, isKeepingCapture: Bool) throws {
        (self.store, self.trace) = (store, trace)
        capture = isKeepingCapture ? Capture() : nil
        tailPath = try Tails.path(of: trace, in: store.files)
        guard let lock = try TailLock(tailPath) else {
            throw StoreError(.busy, "Another process is recording the trace \(trace.short).")
        }
        self.lock = lock
        let isAlone = try store.log.vector().entries.count <= 1
        envelope = SealedBlock.envelope + store.author.utf8.count + (isAlone ? 0 : Self.observedByteCount)
        tail = try TailFile(tailPath, log: store.log.id, trace: trace)
    }

    /// The number of rows received, without missing and repeated ones.
    public var rowCount: UInt64 { nextRow + UInt64(block?.rows.count ?? 0) }

    /// The last row; `nil` before the first one of a block.
    public var lastRow: (layout: Layout, values: [Int64])? {
        guard let rows = block?.rows, let last = rows.times.indices.last else { return nil }
        return (rows.layout, rows.columns.map { $0[last] })
    }

    /// Appends rows that were decoded from bytes which have just reached the host.
    ///
    /// - Throws: ``StoreError`` if the disk is full or reports an error.
    public func append(_ rows: DecodedRows) async throws {
        var times = RowTimes.at(now)
        try await append(rows, &times)
    }

    /// Appends rows that were decoded from bytes which came at the times of `times`.
    ///
    /// - Parameter pieces: The bytes themselves, and the commands sent to the meter before them: captured if this was
    ///   requested when the recording began.
    /// - Returns: `times`, advanced behind these rows.
    public func append(_ rows: DecodedRows, times: RowTimes, of pieces: [CapturedBytes] = []) async throws -> RowTimes {
        var times = times
        try await append(rows, &times, pieces)
        return times
    }

    private func append(_ rows: DecodedRows, _ times: inout RowTimes, _ pieces: [CapturedBytes] = []) async throws {
        var next = times
        try await alone {
            for piece in pieces { capture?.append(piece) }
            if let capture, capture.byteCount >= Capture.sealedByteCount { try await seal(capture) }
            for run in rows.runs { try await append(run, &next) }
            try await keep(isDue: ContinuousClock.now - lastFlush >= Self.flushInterval)
        }
        times = next
    }

    /// Appends rows that were recorded elsewhere; they get the next numbers of this trace.
    public func append(recorded rows: TraceRows) async throws {
        try await alone {
            var rest = rows
            while rest.count > 0 {
                if let layout = block?.rows.layout, layout != rest.layout {
                    try await sealAll()
                    (block, before) = (nil, nil)
                }
                if block == nil { block = OpenBlock(rest.layout, first: nextRow) }
                let room = SampleBlock.rowLimit - (block?.rows.count ?? 0)
                let (head, tail) = rest.split(at: min(room, rest.count))
                _ = block?.append(head)
                rest = tail
                if let count = block?.rows.count, count >= SampleBlock.rowLimit { try await seal() }
            }
            try await keep(isDue: ContinuousClock.now - lastFlush >= Self.flushInterval)
        }
    }

    /// Writes to the disk what is not there yet.
    public func flush() async throws { try await alone { try await keep(isDue: true) } }

    /// Ends the recording: everything received is in the log when this returns.
    public func finish() async throws { try await end(.finished) }

    /// Ends a recording that cannot continue, because the meter is gone or the disk is full: everything received is
    /// in the log when this returns, and the trace records that it was stopped. May be called after another call has
    /// thrown.
    ///
    /// - Throws: ``StoreError`` if the log cannot be written. What had reached the disk stays there, and the next
    ///   open of the store moves it into the log.
    public func stop() async throws { try await end(.stopped) }

    private func end(_ end: TraceEnd) async throws {
        try await alone(isLast: true) {
            block?.end()
            try await sealAll()
            let (trace, last) = (trace, before?.times.last ?? now)
            try await store.write { try $0.endTrace(trace, at: last, end) }
            try Tails.remove(tailPath)
            lock.remove()
            isFinished = true
        }
    }

    private var now: Int64 { Int64(store.surroundings.now().wallMilliseconds) }

    /// Runs `body` after the earlier calls; if one of them has thrown, only if `isLast` is `true`.
    private func alone(isLast: Bool = false, _ body: () async throws -> Void) async throws {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer {
            isTaken = !waiting.isEmpty
            if isTaken { waiting.removeFirst().resume() }
        }
        if let failure, !isLast { throw failure }
        guard !isFinished else { throw StoreError(.usage, "The recording of the trace \(trace.short) has ended.") }
        do { try await body() } catch {
            failure = error
            throw error
        }
    }

    private func append(_ run: DecodedRows.Run, _ times: inout RowTimes) async throws {
        if let block, block.rows.layout != run.layout {
            try await sealAll()
            self.block = nil
            before = nil
        }
        for row in 0..<run.count {
            if block == nil { block = OpenBlock(run.layout, first: nextRow) }
            let tick = run.ticks.isEmpty ? nil : run.ticks[row]
            let time = times.next(tick: tick, of: run.layout)
            block?.append(run.row(row), tick: tick, at: time)
            if let first = block?.rows.times.first, time &- first >= Self.blockMilliseconds { try await seal() }
            if let count = block?.rows.count, count >= SampleBlock.rowLimit { try await seal() }
        }
    }

    private func sealAll() async throws {
        if let capture, !capture.pieces.isEmpty { try await seal(capture) }
        while let rows = block?.rows, rows.count > 0 { try await seal() }
    }

    /// Writes captured line traffic to the log as an event.
    private func seal(_ said: Capture) async throws {
        let change = Change(kind: Metering.capture.name, record: Metering.captureID(trace), block: said.block)
        try await store.write { try $0.append(change) }
        capture?.removeAll()
        try beginTail()
    }

    /// Starts the tail again, with what is not in the log.
    private func beginTail() throws {
        tail = try TailFile(tailPath, log: store.log.id, trace: trace, rows: block?.rows, capture: capture)
        (keptCount, keptPieceCount) = (block?.rows.count ?? 0, capture?.pieces.count ?? 0)
        lastFlush = .now
    }

    /// Writes the first rows to the log as an event, as many as fill pages of the log.
    private func seal() async throws {
        // The bytes that rows came from reach the disk before the rows do: a kill in between loses nothing of either.
        if let count = capture?.pieces.count, count > keptPieceCount { try await keep(isDue: true) }
        guard let rows = block?.rows else { return }
        let sealed = SealedBlock.filling(pagesWith: rows, after: before, envelope: envelope)
        let (trace, change) = (trace, sealed.block.block)
        try await store.write { try $0.append(Change(kind: Metering.trace.name, record: trace, block: change)) }
        let taken = block?.removeFirst(sealed.count)
        nextRow += UInt64(sealed.count)
        before = taken?.split(at: sealed.count - 1).1
        try beginTail()
    }

    /// Appends to the tail what is not in it yet.
    private func keep(isDue: Bool) async throws {
        guard isDue else { return }
        let rows = block?.rows
        let (count, pieceCount) = (rows?.count ?? 0, capture?.pieces.count ?? 0)
        guard count > keptCount || pieceCount > keptPieceCount else { return }
        try tail.append(
            count > keptCount ? (keptCount == 0 ? rows : rows?.split(at: keptCount).1) : nil,
            pieceCount > keptPieceCount ? capture?.dropFirst(keptPieceCount) : nil)
        (keptCount, keptPieceCount) = (count, pieceCount)
        lastFlush = .now
    }
}

extension WriteBatch {
    /// Records when and how a trace ended.
    mutating func endTrace(_ trace: RecordID, at milliseconds: Int64, _ end: TraceEnd) throws {
        try set(
            Metering.trace.name, trace,
            [Assignment("ENDED", text: "\(milliseconds)"), Assignment("END", text: end.rawValue)])
    }
}

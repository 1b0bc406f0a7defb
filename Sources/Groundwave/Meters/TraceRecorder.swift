import Events
import Foundation
import Metering
import Records

/// Records one trace: takes rows as they come, and makes events of them by the block.
///
/// A row is on the disk of this device within a second of the call that brought it, as long as calls come, or
/// ``flush()`` is called each second; after a crash the next opening takes what is there into the log. A call suspends
/// while the disk is slow; nothing is dropped. Calls from several tasks are taken one after the other.
///
/// Where a call throws, recording has stopped: what was on the disk before stays, and further calls throw the same.
public actor TraceRecorder {
    /// The trace.
    public nonisolated let trace: RecordID

    private let store: Store
    private let tailPath: String
    private let lock: TailLock
    private var tail: TailFile
    private var block: OpenBlock?
    /// The row before the first one of the block, for the totals.
    private var before: TraceRows?
    private var nextRow: UInt64 = 0
    /// How many rows of the block are in the tail.
    private var keptCount = 0
    private var lastFlush = ContinuousClock.now
    private var failure: (any Error)?
    private var isFinished = false
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A block is sealed when its first row is this old.
    private static let blockMilliseconds: Int64 = 600_000
    /// Rows are put on the disk when the last ones were put there so long ago.
    private static let flushInterval = Duration.milliseconds(500)

    init(_ store: Store, trace: RecordID) throws {
        (self.store, self.trace) = (store, trace)
        tailPath = try Tails.path(of: trace, in: store.files)
        guard let lock = try TailLock(tailPath) else {
            throw StoreError(.busy, "Another process records the trace \(trace.short).")
        }
        self.lock = lock
        tail = try TailFile(tailPath, log: store.log.id, trace: trace, rows: nil)
    }

    /// How many rows have come, those that are missing or came again left out.
    public var rowCount: UInt64 { nextRow + UInt64(block?.rows.count ?? 0) }

    /// The last row; `nil` before the first one of a block.
    public var lastRow: (layout: Layout, values: [Int64])? {
        guard let rows = block?.rows, let last = rows.times.indices.last else { return nil }
        return (rows.layout, rows.columns.map { $0[last] })
    }

    /// Adds what a decoder made of bytes that have just reached the host.
    ///
    /// - Throws: ``StoreError`` where the disk is full or refuses.
    public func append(_ rows: DecodedRows) async throws {
        var times = RowTimes.at(now)
        try await append(rows, &times)
    }

    /// Adds what a decoder made of bytes that came when `times` says.
    ///
    /// - Returns: `times` behind these rows.
    public func append(_ rows: DecodedRows, times: RowTimes) async throws -> RowTimes {
        var times = times
        try await append(rows, &times)
        return times
    }

    private func append(_ rows: DecodedRows, _ times: inout RowTimes) async throws {
        var next = times
        try await alone {
            for run in rows.runs { try await append(run, &next) }
            try await keep(isDue: ContinuousClock.now - lastFlush >= Self.flushInterval)
        }
        times = next
    }

    /// Adds rows that were recorded elsewhere; they get the next numbers of this trace.
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

    /// Puts on the disk what is not there yet.
    public func flush() async throws { try await alone { try await keep(isDue: true) } }

    /// Ends the recording: all that came is in the log when this returns.
    public func finish() async throws { try await end(.finished) }

    /// Ends the recording, and says how it ended.
    func end(_ end: TraceEnd) async throws {
        try await alone {
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

    /// Runs `body` when the calls before are done.
    private func alone(_ body: () async throws -> Void) async throws {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer {
            isTaken = !waiting.isEmpty
            if isTaken { waiting.removeFirst().resume() }
        }
        if let failure { throw failure }
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

    private func sealAll() async throws { while let rows = block?.rows, rows.count > 0 { try await seal() } }

    /// Makes an event of the first rows, as many as fill pages of the log.
    private func seal() async throws {
        guard let rows = block?.rows else { return }
        let sealed = SealedBlock.filling(pagesWith: rows, after: before)
        let (trace, change) = (trace, sealed.block.block)
        try await store.write { try $0.append(Change(kind: Metering.trace.name, record: trace, block: change)) }
        let taken = block?.removeFirst(sealed.count)
        nextRow += UInt64(sealed.count)
        before = taken?.split(at: sealed.count - 1).1
        tail = try TailFile(tailPath, log: store.log.id, trace: trace, rows: block?.rows)
        keptCount = block?.rows.count ?? 0
        lastFlush = .now
    }

    /// Puts the rows that are not in the tail yet there.
    private func keep(isDue: Bool) async throws {
        guard isDue, let rows = block?.rows, rows.count > keptCount else { return }
        try tail.append(keptCount == 0 ? rows : rows.split(at: keptCount).1)
        keptCount = rows.count
        lastFlush = .now
    }
}

extension WriteBatch {
    /// Says when and how a trace ended.
    mutating func endTrace(_ trace: RecordID, at milliseconds: Int64, _ end: TraceEnd) throws {
        try set(
            Metering.trace.name, trace,
            [Assignment("ENDED", text: "\(milliseconds)"), Assignment("END", text: end.rawValue)])
    }
}

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
    private var state: RecordingState
    private var failure: (any Error)?
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Room for the observed heads of other devices in an event: one, as a rule.
    private static let observedByteCount = 32

    init(_ store: Store, trace: RecordID, isKeepingCapture: Bool) throws {
        (self.store, self.trace) = (store, trace)
        tailPath = try Tails.path(of: trace, in: store.files)
        guard let lock = try TailLock(tailPath) else {
            throw StoreError(.busy, "Another process is recording the trace \(trace.short).")
        }
        self.lock = lock
        let isOnlyReplica = try store.log.vector().entries.count <= 1
        let envelope = SealedBlock.envelope + store.author.utf8.count + (isOnlyReplica ? 0 : Self.observedByteCount)
        state = RecordingState(
            of: trace, envelope: envelope, isKeepingCapture: isKeepingCapture,
            at: store.surroundings.now().monotonicMilliseconds)
        tail = try TailFile(tailPath, log: store.log.id, trace: trace)
    }

    /// The number of rows received, without missing and repeated ones.
    public var rowCount: UInt64 { state.rowCount }

    /// The last row; `nil` before the first one of a block.
    public var lastRow: (layout: Layout, values: [Int64])? {
        guard let rows = state.openRows, let last = rows.times.indices.last else { return nil }
        return (rows.layout, rows.columns.map { $0[last] })
    }

    /// Appends rows that were decoded from bytes which have just reached the host.
    ///
    /// - Throws: ``StoreError`` if the disk is full or reports an error.
    public func append(_ rows: DecodedRows) async throws {
        _ = try await append(rows, times: .at(now.wallMilliseconds))
    }

    /// Appends rows that were decoded from bytes which came at the times of `times`.
    ///
    /// - Parameter pieces: The bytes themselves, and the commands sent to the meter before them: captured if this was
    ///   requested when the recording began.
    /// - Returns: `times`, advanced behind these rows.
    public func append(_ rows: DecodedRows, times: RowTimes, of pieces: [CapturedBytes] = []) async throws -> RowTimes {
        var times = times
        try await exclusively {
            state.receive(rows, &times, of: pieces)
            try await performAndFlush()
        }
        return times
    }

    /// Appends rows that were recorded elsewhere; they get the next numbers of this trace.
    public func append(recorded rows: TraceRows) async throws {
        try await exclusively {
            state.receive(recorded: rows)
            try await performAndFlush()
        }
    }

    /// Writes to the disk what is not there yet.
    public func flush() async throws {
        try await exclusively {
            state.flush()
            try await perform()
        }
    }

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
        try await exclusively(isLast: true) {
            state.end(end)
            try await perform()
        }
    }

    private var now: Arrival { store.surroundings.now() }

    /// Runs `body` after the earlier calls; if one of them has thrown, only if `isLast` is `true`.
    private func exclusively(isLast: Bool = false, _ body: () async throws -> Void) async throws {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer {
            isTaken = !waiting.isEmpty
            if isTaken { waiting.removeFirst().resume() }
        }
        if let failure, !isLast { throw failure }
        guard !state.hasEnded else { throw StoreError(.usage, "The recording of the trace \(trace.short) has ended.") }
        do { try await body() } catch {
            failure = error
            throw error
        }
    }

    /// Performs the actions that are due, then writes to the tail if the last write is long enough ago.
    private func performAndFlush() async throws {
        try await perform()
        state.flush(ifDueAt: now.monotonicMilliseconds)
        try await perform()
    }

    /// Performs the actions that are due.
    private func perform() async throws {
        while let action = state.next() {
            try await perform(action)
            state.succeeded(at: now.monotonicMilliseconds)
        }
    }

    private func perform(_ action: RecordingState.Action) async throws {
        switch action {
        case .keep(let rows, let capture): try tail.append(rows, capture)
        case .sealRows(let change, _), .sealCapture(let change): try await store.write { try $0.append(change) }
        case .beginTail(let rows, let capture):
            tail = try TailFile(tailPath, log: store.log.id, trace: trace, rows: rows, capture: capture)
        case .end(let end, let time):
            let (trace, time) = (trace, time ?? now.wallMilliseconds)
            try await store.write { try $0.endTrace(trace, at: time, end) }
            try Tails.remove(tailPath)
            lock.remove()
        }
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

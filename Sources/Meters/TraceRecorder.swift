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
    private let meterLock: TailLock?
    private var tail: TailFile
    private var state: RecordingState
    private var failure: (any Error)?
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Room for the observed heads of other devices in an event: one, as a rule.
    private static let observedByteCount = 32

    init(
        _ store: Store, trace: RecordID, _ source: RowSource, isKeepingCapture: Bool, until conditions: [StopCondition],
        meterLock: TailLock?
    ) throws {
        (self.store, self.trace, self.meterLock) = (store, trace, meterLock)
        tailPath = try Tails.path(of: trace, in: store.files)
        guard let lock = try TailLock(tailPath) else {
            throw StoreError(.busy, "Another process is recording the trace \(trace.short).")
        }
        self.lock = lock
        let isOnlyReplica = try store.log.vector().entries.count <= 1
        let envelope = SealedBlock.envelope + store.author.utf8.count + (isOnlyReplica ? 0 : Self.observedByteCount)
        state = RecordingState(
            of: trace, source, envelope: envelope, isKeepingCapture: isKeepingCapture, until: conditions,
            at: store.surroundings.now().monotonicMilliseconds)
        tail = try TailFile(tailPath, log: store.log.id, trace: trace)
    }

    /// The number of rows received, without missing and repeated ones.
    public var rowCount: UInt64 { state.rowCount }

    /// The condition of ``Store/record(meter:model:over:name:source:rate:isKeepingCapture:isExclusive:until:started:author:)`` that
    /// the last row meets; `nil` as long as none is met. Rows behind that row are left out.
    public var metCondition: StopCondition? { state.metCondition }

    /// Appends rows that were decoded from bytes which have just reached the host.
    ///
    /// - Throws: ``StoreError`` if the disk is full or reports an error.
    public func append(_ rows: DecodedRows) async throws {
        try await append(rows, by: Reception(ReadMoment(now)))
    }

    /// Appends rows that were decoded from what was received as `reception` tells. Receptions without rows matter too.
    ///
    /// The first reception sets the clock of the trace to its wall clock; from then on the steady clock counts. If the
    /// recording has a rate, the rows of later receptions follow at it.
    ///
    /// - Parameters:
    ///   - rows: The rows; none, if nothing was decoded.
    ///   - reception: When their bytes came.
    ///   - pieces: The bytes themselves, and the commands sent to the meter before them, with their times by the wall
    ///     clock: captured if this was requested when the recording began.
    /// - Throws: ``StoreError`` if the disk is full or reports an error.
    public func append(_ rows: DecodedRows, by reception: Reception, of pieces: [CapturedBytes] = []) async throws {
        try await exclusively {
            state.receive(rows, by: reception, of: pieces)
            try await performAndFlush()
        }
    }

    /// Appends rows that were recorded elsewhere; they get the next numbers of this trace.
    ///
    /// - Throws: ``StoreError`` with code `usage` if a row is earlier than the one before it; and if the disk is full or
    ///   reports an error.
    public func append(recorded rows: TraceRows) async throws {
        try await exclusively {
            try checkOrder(rows)
            state.receive(recorded: rows)
            try await performAndFlush()
        }
    }

    /// Writes to the disk what is not there yet.
    ///
    /// - Throws: ``StoreError`` if the disk is full or reports an error. What had reached the disk stays there.
    public func flush() async throws {
        try await exclusively {
            state.flush()
            try await perform()
        }
    }

    /// Ends the recording: everything received is in the log when this returns.
    ///
    /// - Throws: As ``stop()``.
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

    private func checkOrder(_ rows: TraceRows) throws {
        var last = state.lastTime ?? .min
        for (row, time) in rows.times.enumerated() {
            guard time >= last else {
                throw StoreError(
                    .usage, "Row \(state.rowCount + UInt64(row)) is earlier than the row before it.",
                    hint: "Sort the rows by time, or record them as two traces.")
            }
            last = time
        }
    }

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
            let (trace, time, condition) = (trace, time ?? now.wallMilliseconds, metCondition)
            try await store.write { try $0.endTrace(trace, at: time, end, by: condition) }
            try Tails.remove(tailPath)
            lock.remove()
            meterLock?.remove()
        }
    }
}

extension ReadMoment {
    /// The moment that `arrival` names.
    init(_ arrival: Arrival) { self.init(steady: arrival.monotonicMilliseconds, wall: arrival.wallMilliseconds) }
}

extension WriteBatch {
    /// Records when and how a trace ended, and by which condition, if by one.
    mutating func endTrace(
        _ trace: RecordID, at milliseconds: Int64, _ end: TraceEnd, by condition: StopCondition? = nil
    ) throws {
        var fields = [Assignment("ENDED", text: "\(milliseconds)"), Assignment("END", text: end.rawValue)]
        if let condition { fields.append(Assignment("STOPPED_BY", text: condition.description)) }
        try set(Metering.trace.name, trace, fields)
    }
}

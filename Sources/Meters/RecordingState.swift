import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords

/// The decisions of a recording: which row goes into which block, when blocks are sealed, and when the tail is written.
///
/// Does no I/O and reads no clock. Its driver passes in what was received, performs the actions of ``next()`` one by
/// one, and calls ``succeeded(at:)`` after each. An action that failed has changed nothing: it is returned again, or
/// ``end(_:)`` drops it. Monotonic times are in milliseconds.
struct RecordingState: Sendable {
    /// What the driver does next.
    enum Action: Hashable, Sendable {
        /// Append these rows and captured bytes to the tail.
        case keep(TraceRows?, Capture?)
        /// Write a block of the first `count` rows to the log.
        case sealRows(Change, count: Int)
        /// Write the captured bytes to the log.
        case sealCapture(Change)
        /// Begin the tail again, with these rows and captured bytes: those that are not in the log.
        case beginTail(TraceRows?, Capture?)
        /// Record the end of the trace, at the time of its last row, or now if there is none; then remove the tail.
        case end(TraceEnd, at: Int64?)
    }

    /// The time since the last write to the tail after which rows are written to it again.
    static let flushMilliseconds: Int64 = 500

    /// Whether the end of the trace is recorded.
    private(set) var hasEnded = false

    private let trace: RecordID
    /// The number of bytes in the event of a block beside the block.
    private let envelope: Int
    private var block: OpenBlock?
    /// The row before the first one of the block, for the totals.
    private var before: RowBefore?
    /// Gives rows their times and tells what is missing, as long as the recording lasts.
    private var intake: RowIntake
    private var nextRow: UInt64 = 0
    /// The number of rows of the block that are in the tail.
    private var keptCount = 0
    /// The captured line traffic that is not in the log; `nil` if none is captured.
    private var capture: Capture?
    /// The number of its pieces that are in the tail.
    private var keptPieceCount = 0
    private var lastFlush: Int64
    private var received = ReceivedRows()
    /// The time of the last captured piece.
    private var lastPiece: Int64 = .min
    private var isSealDue = false
    /// Whether the tail still has what is in the log.
    private var isTailOld = false
    /// Whether the tail has marks that were changed since.
    private var isTailCorrected = false
    private var isFlushDue = false
    /// Ends the recording at the row that meets a condition.
    private var judge: StopJudge
    private var end: TraceEnd?
    /// The action that has not succeeded yet.
    private var pending: Action?

    /// Creates the state of a recording of rows of `source` whose tail was begun at the monotonic time `now`. The row
    /// that meets one of the `conditions` is the last one.
    init(
        of trace: RecordID, _ source: RowSource, envelope: Int, isKeepingCapture: Bool,
        until conditions: [StopCondition] = [], at now: Int64
    ) {
        (self.trace, self.envelope, lastFlush) = (trace, envelope, now)
        intake = RowIntake(source)
        judge = StopJudge(conditions)
        capture = isKeepingCapture ? Capture() : nil
    }

    /// The rows that are not in the log; `nil` before the first one.
    var openRows: TraceRows? { block?.rows }

    /// The number of rows of all blocks, sealed or not.
    var rowCount: UInt64 { nextRow + UInt64(block?.rows.count ?? 0) }

    /// The time of the last row; `nil` before the first one.
    var lastTime: Int64? { block?.rows.times.last ?? before?.time }

    /// The condition that the last row meets; `nil` if none does.
    var metCondition: StopCondition? { judge.met }

    /// Receives rows, decoded from the bytes of `pieces`, whose times are by the wall clock.
    mutating func receive(_ rows: DecodedRows, by reception: Reception, of pieces: [CapturedBytes]) {
        let time = intake.time(of: reception.moment)
        for piece in pieces {
            // By the clock of the trace, as the rows are.
            lastPiece = max(lastPiece, time &+ min(0, piece.time &- reception.moment.wall))
            capture?.append(CapturedBytes(piece.direction, at: lastPiece, piece.bytes))
        }
        received.append(rows, by: reception)
    }

    /// Receives rows that were recorded elsewhere.
    mutating func receive(recorded rows: TraceRows) { received.append(recorded: rows) }

    /// Requests that everything received is in the tail or in the log.
    mutating func flush() { isFlushDue = true }

    /// Requests this if the last write to the tail is at least ``flushMilliseconds`` ago.
    mutating func flush(ifDueAt now: Int64) {
        if now &- lastFlush >= Self.flushMilliseconds { flush() }
    }

    /// Ends the recording: the rows of the block and the captured bytes go into the log. An action that has not
    /// succeeded is dropped, with the rows that were waiting for it.
    mutating func end(_ end: TraceEnd) {
        (received, pending) = (ReceivedRows(), nil)
        (isSealDue, isTailOld, isFlushDue) = (false, false, false)
        intake.end(number: rowCount)
        makeChanges()
        self.end = end
    }

    /// Returns the next action, the same one until it has succeeded; `nil` if there is nothing to do.
    mutating func next() -> Action? {
        if pending == nil { pending = decide() }
        return pending
    }

    /// Records that the action of ``next()`` has succeeded, at the monotonic time `now`.
    mutating func succeeded(at now: Int64) {
        guard let action = pending else { preconditionFailure("An action succeeds after next() has returned it.") }
        pending = nil
        switch action {
        case .keep, .beginTail:
            (keptCount, keptPieceCount) = (block?.rows.count ?? 0, capture?.pieces.count ?? 0)
            lastFlush = now
            if case .beginTail = action { (isTailOld, isTailCorrected) = (false, false) }
        case .sealRows(_, let count):
            if let rows = block?.removeFirst(count) {
                judge.seal(rows, after: before)
                before = rows.lastRow
            }
            nextRow += UInt64(count)
            (isSealDue, isTailOld) = (false, true)
        case .sealCapture:
            capture?.removeAll()
            isTailOld = true
        case .end: hasEnded = true
        }
    }

    private mutating func decide() -> Action? {
        if hasEnded { return nil }
        if isTailOld { return .beginTail(block?.rows, capture) }
        if let capture, capture.byteCount >= Capture.sealedByteCount { return sealCapture() }
        if let action = takeReceived() { return action }
        if let end { return sealAll() ?? .end(end, at: before?.time) }
        defer { isFlushDue = false }
        guard isFlushDue else { return nil }
        return isTailCorrected ? .beginTail(block?.rows, capture) : keep()
    }

    /// Moves received rows into the block until something must be sealed.
    private mutating func takeReceived() -> Action? {
        while true {
            if isSealDue { return keepCapture() ?? sealRows() }
            received.begin(&intake)
            guard let layout = received.layout else { return nil }
            if block == nil { block = OpenBlock(layout, first: nextRow) }
            let move = received.move(into: &block!, by: &intake)
            isSealDue = move == .full
            if isSealDue { intake.settle() }
            makeChanges()
            if let rows = block?.rows, let count = judge.judge(rows, after: before) {
                block?.keepFirst(count)
                received.end()
                continue
            }
            guard move == .refused else { continue }
            // The block goes into the log first, whole.
            if let action = sealAll() { return action }
            block = OpenBlock(layout, first: nextRow)
        }
    }

    /// Makes the changes of marks that are due. Rows that are in the log keep theirs.
    private mutating func makeChanges() {
        if intake.changes.isEmpty { return }
        for change in intake.takeChanges() where block?.make(change) == true {
            if change.row < nextRow + UInt64(keptCount) { isTailCorrected = true }
        }
    }

    private func sealAll() -> Action? { sealCapture() ?? sealRows() }

    private func sealCapture() -> Action? {
        guard let capture, !capture.pieces.isEmpty else { return nil }
        return .sealCapture(
            Change(kind: Metering.capture.name, record: Metering.captureID(trace), block: capture.block))
    }

    /// Seals the first rows, as many as fill pages of the log.
    private func sealRows() -> Action? {
        guard let rows = block?.rows, rows.count > 0 else { return nil }
        let sealed = SealedBlock.filling(
            pagesWith: rows, after: before, envelope: envelope, isLast: end != nil)
        return .sealRows(
            Change(kind: Metering.trace.name, record: trace, block: sealed.block.block), count: sealed.count)
    }

    /// The bytes that rows came from reach the disk before the rows do: a kill in between loses nothing of either.
    private func keepCapture() -> Action? {
        guard let count = capture?.pieces.count, count > keptPieceCount else { return nil }
        return keep()
    }

    /// Appends to the tail what is not in it yet.
    private func keep() -> Action? {
        let rows = block?.rows
        let (count, pieceCount) = (rows?.count ?? 0, capture?.pieces.count ?? 0)
        guard count > keptCount || pieceCount > keptPieceCount else { return nil }
        return .keep(
            count > keptCount ? (keptCount == 0 ? rows : rows?.split(at: keptCount).1) : nil,
            pieceCount > keptPieceCount ? capture?.dropFirst(keptPieceCount) : nil)
    }
}

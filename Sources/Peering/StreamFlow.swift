/// What happens to a ``StreamConnection``.
enum StreamEvent: Sendable {
    case arrived([UInt8])
    /// Nothing further arrives, for this reason.
    case ended(ConnectionError)
    case sent(Int)
    case logChanged
    case stop(String)
    /// A time limit may have passed.
    case time
}

/// The order of work of a ``StreamConnection``, without I/O: what comes next, and when to read.
struct StreamFlow {
    private let limits: ConnectionLimits
    private var flow: Flow
    private var arrived: [UInt8] = []
    private var isReading = false
    /// Why nothing further arrives.
    private var inputEnd: ConnectionError?
    private var isLogChanged = false
    private var isPostponed = false
    private var stopReason: String?

    init(limits: ConnectionLimits) {
        self.limits = limits
        flow = Flow(limits: limits, now: .now)
    }

    /// The maximum number of bytes that were in memory.
    var peakBytes: Int { flow.peakBytes }

    /// The number of bytes of an answer after which no further range is added to it.
    var room: Int { flow.room }

    /// What the peer is expected to do first, and the deadline.
    var wait: (expectation: ConnectionError.Expectation, until: SuspendingClock.Instant)? { flow.wait }

    /// Records that the session starts to work.
    mutating func began() { flow.began() }

    /// Records the result of a work step, whose bytes are being written.
    mutating func ended(_ step: Step) {
        if !step.bytes.isEmpty { flow.queued(step.bytes.count, now: .now) }
        flow.worked(
            heldBytes: step.heldBytes, hasHello: step.standing.remote != nil, isDone: step.standing.isDone, now: .now)
        isPostponed = step.isPostponed
    }

    /// Records an event.
    ///
    /// - Throws: ``ConnectionError`` `silent` if a time limit has passed.
    mutating func handle(_ event: StreamEvent) throws(ConnectionError) {
        switch event {
        case .arrived(let bytes):
            isReading = false
            arrived = bytes
            flow.arrived(bytes.count, now: .now)
        case .ended(let reason): inputEnd = reason
        case .sent(let count): flow.sent(count, now: .now)
        case .logChanged: isLogChanged = true
        case .stop(let reason): stopReason = stopReason ?? reason
        case .time: if let wait = flow.wait, wait.until <= .now { throw .silent(wait.expectation) }
        }
    }

    /// Returns the next work; `nil` if there is none until something happens.
    ///
    /// - Throws: ``ConnectionError`` if the stream has ended.
    mutating func nextWork() throws(ConnectionError) -> Work? {
        if !arrived.isEmpty {
            defer { arrived = [] }
            return .received(arrived)
        }
        if let stopReason { return .stop(stopReason) }
        if let inputEnd { throw inputEnd }
        if isLogChanged {
            isLogChanged = false
            return .logChanged
        }
        return isPostponed && flow.room >= limits.unsentBytes / 2 ? .resume : nil
    }

    /// Returns whether to read now; then a read is running until its bytes have arrived.
    mutating func takesRead() -> Bool {
        guard !isReading, inputEnd == nil, flow.mayRead else { return false }
        isReading = true
        return true
    }
}

/// The memory use and the timeouts of a connection, without I/O or clock. While the machine sleeps, no time passes.
///
/// Bytes are read only if all earlier ones were processed and not too many wait to be sent. So memory holds at most the
/// bytes of one read, one incomplete message, one range to be sent, and the unsent bytes.
package struct Flow {
    private let limits: ConnectionLimits
    /// The bytes received and not processed.
    package private(set) var arrivedBytes = 0
    /// The bytes buffered by the session: an incomplete message.
    package private(set) var heldBytes = 0
    /// The bytes handed to the channel and not sent yet.
    package private(set) var unsentBytes = 0
    /// The maximum of the sum of all these.
    package private(set) var peakBytes = 0
    /// Whether the session is working on its queue.
    package private(set) var isWorking = false
    private var hasHello = false
    private var isDone = false
    /// The start of the time limit for the peer's hello: the end of the first work step.
    private var opened: SuspendingClock.Instant?
    /// When bytes were last received, or a work step ended.
    private var lastArrival: SuspendingClock.Instant
    /// When bytes were last sent, or the first unsent bytes were queued.
    private var lastDeparture: SuspendingClock.Instant

    /// Creates the flow of a connection that is opened now.
    package init(limits: ConnectionLimits, now: SuspendingClock.Instant) {
        self.limits = limits
        lastArrival = now
        lastDeparture = now
    }

    /// The bytes in memory now.
    package var bufferedBytes: Int { arrivedBytes + heldBytes + unsentBytes }

    /// Whether more bytes should be read.
    package var mayRead: Bool { !isWorking && arrivedBytes == 0 && unsentBytes < limits.unsentByteLimit }

    /// The number of bytes of an answer after which no further range is added to it.
    package var room: Int { max(0, limits.unsentBytes - unsentBytes) }

    /// Records received bytes.
    package mutating func arrived(_ count: Int, now: SuspendingClock.Instant) {
        arrivedBytes += count
        lastArrival = now
        updatePeak()
    }

    /// Records that the session starts to process the received bytes.
    package mutating func began() {
        isWorking = true
        heldBytes += arrivedBytes
        arrivedBytes = 0
    }

    /// Records that the session has finished processing.
    package mutating func worked(heldBytes: Int, hasHello: Bool, isDone: Bool, now: SuspendingClock.Instant) {
        isWorking = false
        self.heldBytes = heldBytes
        self.hasHello = hasHello
        self.isDone = isDone
        // The time of processing here does not count against the peer. Partial greetings do not extend the deadline.
        lastArrival = now
        if opened == nil { opened = now }
        updatePeak()
    }

    /// Records bytes handed to the channel.
    package mutating func queued(_ count: Int, now: SuspendingClock.Instant) {
        if unsentBytes == 0 { lastDeparture = now }
        unsentBytes += count
        updatePeak()
    }

    /// Records bytes sent by the channel.
    package mutating func sent(_ count: Int, now: SuspendingClock.Instant) {
        unsentBytes -= count
        lastDeparture = now
    }

    /// What the peer is expected to do first, and the deadline; `nil` if it need not act, or while the session works.
    package var wait: (expectation: ConnectionError.Expectation, until: SuspendingClock.Instant)? {
        guard !isWorking, let opened else { return nil }
        let readDeadline = unsentBytes > 0 ? lastDeparture + limits.silence : nil
        let message: (ConnectionError.Expectation, SuspendingClock.Instant)? =
            if !hasHello { (.hello, opened + limits.hello) } else if !isDone {
                (.answer, max(lastArrival, lastDeparture) + limits.silence)
            } else { nil }
        guard let readDeadline else { return message }
        guard let message, message.1 < readDeadline else { return (.reading, readDeadline) }
        return message
    }

    private mutating func updatePeak() { peakBytes = max(peakBytes, bufferedBytes) }
}

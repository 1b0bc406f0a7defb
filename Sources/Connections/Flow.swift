import NIOCore

/// The memory use and the timeouts of a connection, without I/O or clock.
///
/// Bytes are read only if all earlier ones were processed and not too many wait to be sent. So memory holds at most the
/// bytes of one read, one incomplete message, one range to be sent, and the unsent bytes.
struct Flow {
    private let limits: ConnectionLimits
    /// The bytes received and not processed.
    private(set) var arrivedBytes = 0
    /// The bytes buffered by the session: an incomplete message.
    private(set) var heldBytes = 0
    /// The bytes handed to the channel and not sent yet.
    private(set) var unsentBytes = 0
    /// The maximum of the sum of all these.
    private(set) var peakBytes = 0
    /// Whether the session is working on its queue.
    private(set) var isWorking = false
    private var hasHello = false
    private var isDone = false
    /// The start of the time limit for the peer's hello: the end of the first work step.
    private var opened: NIODeadline?
    /// When bytes were last received, or a work step ended.
    private var lastArrival: NIODeadline
    /// When bytes were last sent, or the first unsent bytes were queued.
    private var lastDeparture: NIODeadline

    init(limits: ConnectionLimits, now: NIODeadline) {
        self.limits = limits
        lastArrival = now
        lastDeparture = now
    }

    /// The bytes in memory now.
    var bufferedBytes: Int { arrivedBytes + heldBytes + unsentBytes }

    /// Whether more bytes should be read.
    var mayRead: Bool { !isWorking && arrivedBytes == 0 && unsentBytes < limits.unsentByteLimit }

    /// The number of bytes of an answer after which no further range is added to it.
    var room: Int { max(0, limits.unsentBytes - unsentBytes) }

    /// Records received bytes.
    mutating func arrived(_ count: Int, now: NIODeadline) {
        arrivedBytes += count
        lastArrival = now
        updatePeak()
    }

    /// Records that the session starts to process the received bytes.
    mutating func began() {
        isWorking = true
        heldBytes += arrivedBytes
        arrivedBytes = 0
    }

    /// Records that the session has finished processing.
    mutating func worked(heldBytes: Int, hasHello: Bool, isDone: Bool, now: NIODeadline) {
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
    mutating func queued(_ count: Int, now: NIODeadline) {
        if unsentBytes == 0 { lastDeparture = now }
        unsentBytes += count
        updatePeak()
    }

    /// Records bytes sent by the channel.
    mutating func sent(_ count: Int, now: NIODeadline) {
        unsentBytes -= count
        lastDeparture = now
    }

    /// What the peer is expected to do first, and the deadline; `nil` if it need not act, or while the session works.
    var wait: (expectation: ConnectionError.Expectation, until: NIODeadline)? {
        guard !isWorking, let opened else { return nil }
        let readDeadline = unsentBytes > 0 ? lastDeparture + TimeAmount(limits.silence) : nil
        let message: (ConnectionError.Expectation, NIODeadline)? =
            if !hasHello { (.hello, opened + TimeAmount(limits.hello)) } else if !isDone {
                (.answer, max(lastArrival, lastDeparture) + TimeAmount(limits.silence))
            } else { nil }
        guard let readDeadline else { return message }
        guard let message, message.1 < readDeadline else { return (.reading, readDeadline) }
        return message
    }

    private mutating func updatePeak() { peakBytes = max(peakBytes, bufferedBytes) }
}

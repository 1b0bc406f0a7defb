import NIOCore

/// What a connection holds, and what it waits for: without I/O or clock.
///
/// Bytes are read when nothing that came is still being worked on, and what waits to be sent is not too much. So at most
/// one reading, one message that is not whole, one range that was made and what waits to be sent are ever in memory.
struct Flow {
    private let limits: ConnectionLimits
    /// Bytes that came and were not worked on.
    private(set) var arrivedBytes = 0
    /// Bytes that the session keeps: the beginning of a message.
    private(set) var heldBytes = 0
    /// Bytes that were handed to the channel and have not left it.
    private(set) var unsentBytes = 0
    /// The most bytes that there were of all these together.
    private(set) var peakBytes = 0
    /// Whether the session is being worked with, on its queue.
    private(set) var isWorking = false
    private var hasHello = false
    private var isDone = false
    /// Since when the peer's hello is waited for.
    private var opened: NIODeadline?
    /// When bytes came last, or work with them ended here.
    private var lastArrival: NIODeadline
    /// When bytes went last, or began to wait.
    private var lastDeparture: NIODeadline

    init(limits: ConnectionLimits, now: NIODeadline) {
        self.limits = limits
        lastArrival = now
        lastDeparture = now
    }

    /// Bytes in memory now.
    var bufferedBytes: Int { arrivedBytes + heldBytes + unsentBytes }

    /// Whether more should be read.
    var mayRead: Bool { !isWorking && arrivedBytes == 0 && unsentBytes < limits.unsentByteLimit }

    /// How many more bytes an answer may have before no further range is made.
    var room: Int { max(0, limits.unsentBytes - unsentBytes) }

    /// Bytes have come.
    mutating func arrived(_ count: Int, now: NIODeadline) {
        arrivedBytes += count
        lastArrival = now
        notice()
    }

    /// The session is worked with; with it what had come.
    mutating func began() {
        isWorking = true
        heldBytes += arrivedBytes
        arrivedBytes = 0
    }

    /// The session was worked with.
    mutating func worked(heldBytes: Int, hasHello: Bool, isDone: Bool, now: NIODeadline) {
        isWorking = false
        self.heldBytes = heldBytes
        self.hasHello = hasHello
        self.isDone = isDone
        // The time that the work took here is not the peer's. Who drips a greeting byte by byte has no more time for it.
        lastArrival = now
        if opened == nil { opened = now }
        notice()
    }

    /// Bytes were handed to the channel.
    mutating func queued(_ count: Int, now: NIODeadline) {
        if unsentBytes == 0 { lastDeparture = now }
        unsentBytes += count
        notice()
    }

    /// Bytes have left the channel.
    mutating func sent(_ count: Int, now: NIODeadline) {
        unsentBytes -= count
        lastDeparture = now
    }

    /// What the peer is waited for, and until when; `nil` where it is not its turn.
    var wait: (expectation: ConnectionError.Expectation, until: NIODeadline)? {
        guard !isWorking, let opened else { return nil }
        let reading = unsentBytes > 0 ? lastDeparture + TimeAmount(limits.silence) : nil
        let saying: (ConnectionError.Expectation, NIODeadline)? =
            if !hasHello { (.hello, opened + TimeAmount(limits.hello)) } else if !isDone {
                (.answer, max(lastArrival, lastDeparture) + TimeAmount(limits.silence))
            } else { nil }
        guard let reading else { return saying }
        guard let saying, saying.1 < reading else { return (.reading, reading) }
        return saying
    }

    private mutating func notice() { peakBytes = max(peakBytes, bufferedBytes) }
}

import GroundwaveLogFormat
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveStore

/// Reads a meter: sends the commands that it needs, when they are due, and decodes its output.
///
/// A meter that is asked is drained first: until nothing has come for a tenth of a second, for a second at most, what
/// comes is of an earlier connection and gives no rows. A line without a device behind it is only read, as a file is.
///
/// A device that was disconnected is waited for, for as long as steps are asked for, and then begun anew.
///
/// Not thread-safe.
public struct MeterFeed {
    /// The result of waiting.
    public struct Step: Sendable {
        /// The bytes on the line in both directions, except those that only keep the meter sending.
        public var pieces: [CapturedBytes] = []
        /// When the bytes came, and the requests that were sent before.
        public var reception = Reception(ReadMoment(0))
        /// The rows decoded from them.
        public var rows = DecodedRows()
        /// Whether the input has ended.
        public var isAtEnd = false
        /// Whether the meter is disconnected. The next steps look for it.
        public var isAway = false
    }

    /// The number of received bytes that gave no row, not counting frames that carry no measurement.
    public private(set) var refusedByteCount = 0

    private let line: any MeterPort
    private let now: @Sendable () -> Arrival
    private let conversation: MeterConversation
    private var decoder: MeterDecoder
    private var phase = Phase.opening
    // Whether no row has come since the meter was disconnected.
    private var isReconnected = false
    private var transaction: UInt8 = 0
    // When commands are due, in milliseconds of the monotonic clock.
    private var nextPoll: Int64 = 0
    private var nextKeepAlive: Int64 = 0

    private enum Phase {
        /// Nothing was read or sent.
        case opening
        /// The line is emptied until the first of these moments, of which bytes that come put off the first.
        case draining(quietAt: Int64, endsAt: Int64)
        /// The meter was asked.
        case running
        /// The meter was disconnected.
        case away
    }

    private static let quietMilliseconds: Int64 = 100
    /// The longest time from the first look at a line to the first request.
    static let longestDrainMilliseconds: Int64 = 1_000
    private static let lookMilliseconds = 500

    /// Creates a feed of what `model` sends over `link`, received on `line`.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - link: Its link.
    ///   - line: The line on which it is received.
    ///   - now: Returns the present time. The wall clock gives the times of the bytes; commands are due by the
    ///     monotonic clock.
    public init(
        _ model: MeterModel, over link: MeterModel.Link, by line: MeterLine,
        now: @escaping @Sendable () -> Arrival = Surroundings.system.now
    ) {
        self.init(model, over: link, from: line, now: now)
    }

    /// Creates a feed of what `model` sends as a USB HID, received on `line`; see ``init(_:over:by:now:)``.
    public init(
        _ model: MeterModel, by line: HIDLine, now: @escaping @Sendable () -> Arrival = Surroundings.system.now
    ) {
        self.init(model, over: .usb, from: line, now: now)
    }

    /// Creates a feed of what `model` sends over `link`, received on `port`; see ``init(_:over:by:now:)``.
    package init(
        _ model: MeterModel, over link: MeterModel.Link, from port: any MeterPort,
        now: @escaping @Sendable () -> Arrival
    ) {
        (line, self.now) = (port, now)
        conversation = model.conversation(over: link)
        decoder = model.makeDecoder(over: link)
    }

    /// Sends the commands that are due, or waits at most `limit` milliseconds for bytes: so the moment of a step with a
    /// request is that of the request.
    ///
    /// - Throws: ``StoreError`` if the line reports an error.
    public mutating func next(waitingMilliseconds limit: Int = 250) throws -> Step {
        var step = Step()
        defer { refusedByteCount += step.rows.refusedByteCount }
        if case .away = phase, try !comesBack(within: limit) {
            (step.isAway, step.reception.moment) = (true, ReadMoment(now()))
            return step
        }
        if line.canSend { try exchange(&step) }
        guard step.pieces.isEmpty else {
            step.reception.moment = ReadMoment(now())
            return step
        }
        switch try line.read(waitingMilliseconds: line.isFile ? 0 : min(limit, untilDue())) {
        case .nothing: break
        case .end:
            decoder.finish(into: &step.rows)
            step.isAway = line.canReturn
            step.isAtEnd = !step.isAway
            if step.isAway { phase = .away }
        case .bytes(let bytes):
            step.reception.moment = ReadMoment(now())
            step.pieces.append(CapturedBytes(.received, at: step.reception.moment.wall, bytes))
            step.reception.hasMore = line.hasMore()
            step.reception.isNewConnection = isReconnected
            decoder.consume(bytes.span.bytes, into: &step.rows)
            if !step.rows.runs.isEmpty { isReconnected = false }
            putOffAsking()
            return step
        }
        step.reception.moment = ReadMoment(now())
        return step
    }

    /// Ends reading: decodes a frame that was held back because more of it might follow. One of which a part has come is
    /// left out, and not counted as refused: its rest was not waited for.
    public mutating func finish() -> Step {
        var step = Step()
        decoder.finish(into: &step.rows)
        (step.reception.moment, step.isAtEnd) = (ReadMoment(now()), true)
        return step
    }

    // Whether the meter is there again: then all begins as it did at first.
    private mutating func comesBack(within limit: Int) throws -> Bool {
        guard try line.reopen(waitingMilliseconds: min(limit, Self.lookMilliseconds)) else { return false }
        (phase, isReconnected) = (.opening, true)
        return true
    }

    private mutating func exchange(_ step: inout Step) throws {
        let present = now().monotonicMilliseconds
        guard try isRunning(&step, at: present) else { return }
        if let poll = conversation.poll, present >= nextPoll {
            transaction &+= 1
            try send(poll.bytes(transaction: transaction), &step)
            step.reception.requestCount += 1
            decoder.asked(transaction: poll.transactionOffset == nil ? nil : transaction)
            nextPoll = present + Int64(poll.intervalMilliseconds)
        }
        if let keepAlive = conversation.keepAlive, present >= nextKeepAlive {
            // Not captured: this command only keeps the meter sending, and does not affect decoding.
            try line.send(keepAlive.bytes(transaction: 0))
            nextKeepAlive = present + Int64(keepAlive.intervalMilliseconds)
        }
    }

    // Whether the line was emptied: then the meter is asked, at the first call after that.
    private mutating func isRunning(_ step: inout Step, at present: Int64) throws -> Bool {
        switch phase {
        case .running: return true
        case .away: return false
        case .opening where conversation.poll == nil && conversation.start.isEmpty: break
        case .opening:
            decoder.begin(into: &step.rows)
            phase = .draining(
                quietAt: present + Self.quietMilliseconds, endsAt: present + Self.longestDrainMilliseconds)
            return false
        case .draining(let quietAt, let endsAt):
            guard present >= min(quietAt, endsAt) else { return false }
            // The beginning of a frame that has come is of one that nobody has asked for yet.
            decoder.begin(into: &step.rows)
        }
        phase = .running
        for bytes in conversation.start { try send(bytes, &step) }
        decoder.asked()
        (nextPoll, nextKeepAlive) = (present, present)
        return true
    }

    private mutating func putOffAsking() {
        guard case .draining(_, let endsAt) = phase else { return }
        phase = .draining(quietAt: now().monotonicMilliseconds + Self.quietMilliseconds, endsAt: endsAt)
    }

    private func send(_ bytes: [UInt8], _ step: inout Step) throws {
        try line.send(bytes)
        step.pieces.append(CapturedBytes(.sent, at: now().wallMilliseconds, bytes))
    }

    /// Returns the time until the next command is due, in milliseconds.
    private func untilDue() -> Int {
        var due: [Int64] = []
        switch phase {
        case .opening, .away: break
        case .draining(let quietAt, let endsAt): due = [quietAt, endsAt]
        case .running:
            if conversation.poll != nil { due.append(nextPoll) }
            if conversation.keepAlive != nil { due.append(nextKeepAlive) }
        }
        guard let next = due.min() else { return .max }
        return max(1, Int(next - now().monotonicMilliseconds))
    }
}

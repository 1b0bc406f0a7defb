import Foundation
import Metering

/// Reads a meter: sends the commands that it needs, when they are due, and decodes its output.
///
/// Not thread-safe.
public struct MeterFeed {
    /// The result of waiting.
    public struct Step: Sendable {
        /// The bytes on the line in both directions, except those that only keep the meter sending.
        public var pieces: [CapturedBytes] = []
        /// When the bytes came, in milliseconds since 1970.
        public var time: Int64 = 0
        /// The rows decoded from them.
        public var rows = DecodedRows()
        /// Whether the input has ended.
        public var isAtEnd = false
    }

    /// The number of received bytes that gave no row, not counting frames that carry no measurement.
    public private(set) var refusedByteCount = 0

    private let line: MeterLine
    private let conversation: MeterConversation
    private var decoder: MeterDecoder
    private var hasStarted = false
    private var transaction: UInt8 = 0
    private var nextPoll = ContinuousClock.now
    private var nextKeepAlive = ContinuousClock.now

    /// Creates a feed of what `model` sends over `link`, received on `line`.
    public init(_ model: MeterModel, over link: MeterModel.Link, by line: MeterLine) {
        self.line = line
        conversation = model.conversation(over: link)
        decoder = model.makeDecoder(over: link)
    }

    /// Sends the commands that are due, then waits at most `limit` milliseconds for bytes.
    ///
    /// - Throws: ``StoreError`` if the meter is gone.
    public mutating func next(waitingMilliseconds limit: Int = 250) throws -> Step {
        var step = Step()
        if !line.isFile { try converse(&step) }
        switch try line.read(waitingMilliseconds: line.isFile ? 0 : min(limit, untilDue())) {
        case .nothing: break
        case .end:
            decoder.finish(into: &step.rows)
            step.isAtEnd = true
        case .bytes(let bytes):
            step.pieces.append(CapturedBytes(.received, at: Self.now, bytes))
            decoder.take(bytes.span.bytes, into: &step.rows)
        }
        refusedByteCount += step.rows.refusedByteCount
        step.time = step.pieces.last?.time ?? Self.now
        return step
    }

    /// Ends reading: decodes a frame that was held back because more of it might follow.
    public mutating func finish() -> Step {
        var step = Step()
        decoder.finish(into: &step.rows)
        refusedByteCount += step.rows.refusedByteCount
        (step.time, step.isAtEnd) = (Self.now, true)
        return step
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private mutating func converse(_ step: inout Step) throws {
        let now = ContinuousClock.now
        if !hasStarted {
            hasStarted = true
            // Bytes still in a buffer on the way belong to an earlier connection.
            if conversation.poll != nil || !conversation.start.isEmpty { decoder.begin(into: &step.rows) }
            for bytes in conversation.start { try send(bytes, &step) }
            decoder.asked()
            (nextPoll, nextKeepAlive) = (now, now)
        }
        if let poll = conversation.poll, now >= nextPoll {
            transaction &+= 1
            try send(poll.bytes(transaction: transaction), &step)
            decoder.asked(transaction: poll.transactionOffset == nil ? nil : transaction)
            nextPoll = now + .milliseconds(poll.intervalMilliseconds)
        }
        if let keepAlive = conversation.keepAlive, now >= nextKeepAlive {
            // Not captured: this command only keeps the meter sending, and does not affect decoding.
            try line.send(keepAlive.bytes(transaction: 0))
            nextKeepAlive = now + .milliseconds(keepAlive.intervalMilliseconds)
        }
    }

    private func send(_ bytes: [UInt8], _ step: inout Step) throws {
        try line.send(bytes)
        step.pieces.append(CapturedBytes(.sent, at: Self.now, bytes))
    }

    /// Returns the time until the next command is due, in milliseconds.
    private func untilDue() -> Int {
        var due: [ContinuousClock.Instant] = []
        if conversation.poll != nil { due.append(nextPoll) }
        if conversation.keepAlive != nil { due.append(nextKeepAlive) }
        guard let next = due.min() else { return .max }
        return max(1, Int((next - .now) / .milliseconds(1)))
    }
}

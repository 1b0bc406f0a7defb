import Foundation
import GroundwaveMeterProtocols
import GroundwaveMetering

/// Reads a meter: sends what it wants to hear, when it wants to hear it, and decodes what it says.
///
/// Not for several threads.
public struct MeterFeed {
    /// What came of waiting.
    public struct Step: Sendable {
        /// What went over the line, both ways, but for what only keeps the meter talking.
        public var pieces: [CapturedBytes] = []
        /// When the bytes came: milliseconds since 1970.
        public var time: Int64 = 0
        /// What was made of them.
        public var rows = DecodedRows()
        /// Whether no more bytes come.
        public var isAtEnd = false
    }

    /// How many bytes have come that gave no row, those left out that no meter means as one.
    public private(set) var refusedByteCount = 0

    private let line: MeterLine
    private let conversation: MeterConversation
    private var decoder: MeterDecoder
    private var hasStarted = false
    private var transaction: UInt8 = 0
    private var nextPoll = ContinuousClock.now
    private var nextKeepAlive = ContinuousClock.now

    /// A feed of what `model` sends over `link`, which comes by `line`.
    public init(_ model: MeterModel, over link: MeterModel.Link, by line: MeterLine) {
        self.line = line
        conversation = model.conversation(over: link)
        decoder = model.makeDecoder(over: link)
    }

    /// Waits for bytes, at most so long, and sends what is due before.
    ///
    /// - Throws: ``StoreError`` where the meter is gone.
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

    /// Ends listening: a frame that waited for what might follow it counts.
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
            // What lies in a buffer on the way is of an earlier connection.
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
            // It keeps the meter talking, and says nothing of what is said.
            try line.send(keepAlive.bytes(transaction: 0))
            nextKeepAlive = now + .milliseconds(keepAlive.intervalMilliseconds)
        }
    }

    private func send(_ bytes: [UInt8], _ step: inout Step) throws {
        try line.send(bytes)
        step.pieces.append(CapturedBytes(.sent, at: Self.now, bytes))
    }

    /// How long nothing has to be sent, in milliseconds.
    private func untilDue() -> Int {
        var due: [ContinuousClock.Instant] = []
        if conversation.poll != nil { due.append(nextPoll) }
        if conversation.keepAlive != nil { due.append(nextKeepAlive) }
        guard let next = due.min() else { return .max }
        return max(1, Int((next - .now) / .milliseconds(1)))
    }
}

import Foundation
import Metering

/// Reads a meter: sends what it wants to hear, when it wants to hear it, and decodes what it says.
///
/// Not for several threads.
public struct MeterFeed {
    /// What came of waiting.
    public struct Step: Sendable {
        /// The bytes as they came.
        public var bytes: [UInt8] = []
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
        if !line.isFile { try converse(&step.rows) }
        switch try line.read(waitingMilliseconds: line.isFile ? 0 : min(limit, untilDue())) {
        case .nothing: break
        case .end:
            decoder.finish(into: &step.rows)
            step.isAtEnd = true
        case .bytes(let bytes):
            step.bytes = bytes
            decoder.take(bytes.span.bytes, into: &step.rows)
        }
        for refusal in step.rows.refusals where refusal.reason != .noMeasurement {
            refusedByteCount += refusal.byteCount
        }
        return step
    }

    private mutating func converse(_ rows: inout DecodedRows) throws {
        let now = ContinuousClock.now
        if !hasStarted {
            hasStarted = true
            // What lies in a buffer on the way is of an earlier connection.
            if conversation.poll != nil || !conversation.start.isEmpty { decoder.begin(into: &rows) }
            for bytes in conversation.start { try line.send(bytes) }
            decoder.asked()
            (nextPoll, nextKeepAlive) = (now, now)
        }
        if let poll = conversation.poll, now >= nextPoll {
            transaction &+= 1
            try line.send(poll.bytes(transaction: transaction))
            decoder.asked(transaction: poll.transactionOffset == nil ? nil : transaction)
            nextPoll = now + .milliseconds(poll.intervalMilliseconds)
        }
        if let keepAlive = conversation.keepAlive, now >= nextKeepAlive {
            try line.send(keepAlive.bytes(transaction: 0))
            nextKeepAlive = now + .milliseconds(keepAlive.intervalMilliseconds)
        }
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

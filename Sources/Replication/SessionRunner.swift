import GroundwaveEventLog
import GroundwaveEvents

/// Does what a ``Session`` says with a log: everything but carrying the bytes.
///
/// Blocks while the log commits. Not for two threads at once.
public struct SessionRunner<Log: ReplicatedLog> {
    /// The conversation.
    public private(set) var session: Session
    /// After so many bytes of one answer no further range is made before ``goOn()``: for whoever has no room for more.
    /// Confirmations are always given, so that two sides that both have no room do not wait for each other.
    public var answerLimit = Int.max
    private var postponed: Session.Action?
    private let log: Log
    private let identity: Identity
    private let now: @Sendable () -> Arrival
    /// How it ended; `nil` while it goes on.
    public private(set) var ending: Session.Ending?
    /// What was received, all together.
    public private(set) var received = Received()

    /// A conversation about `log`, in which this side signs as `identity`.
    public init(
        _ log: Log, as identity: Identity,
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void = {
            head throws(SignedHeadError) in try head.check()
        },
        now: @escaping @Sendable () -> Arrival
    ) throws {
        self.log = log
        self.identity = identity
        self.now = now
        session = Session(
            log: log.id, local: try Statement(of: log, as: identity, milliseconds: now().wallMilliseconds),
            checkSignature: checkSignature)
    }

    /// Begins; returns what to send.
    public mutating func start() throws -> [UInt8] { try perform(session.start()) }

    /// Bytes have come; returns what to send.
    public mutating func received(_ bytes: [UInt8]) throws -> [UInt8] { try perform(session.received(bytes)) }

    /// The log may have changed; returns what to send.
    public mutating func logChanged() throws -> [UInt8] { try perform(session.changed(to: statement())) }

    /// There is room for more; returns what to send.
    public mutating func goOn() throws -> [UInt8] {
        let action = postponed
        postponed = nil
        return try perform(action.map { [$0] } ?? [])
    }

    /// Whether a range is made only after ``goOn()``.
    public var isPostponed: Bool { postponed != nil }

    /// Whether events of this side's own came that were not here: the store was put back to an earlier state. The
    /// conversation is over then, since what would be signed in it may have been signed before.
    public var wasPutBack: Bool { received.isOfOwn(identity.replica) }

    /// Ends it; returns what to send.
    public mutating func stop(reason: String = "") throws -> [UInt8] { try perform(session.stop(reason: reason)) }

    private func statement() throws -> Statement {
        try Statement(of: log, as: identity, milliseconds: now().wallMilliseconds)
    }

    private mutating func perform(_ actions: [Session.Action]) throws -> [UInt8] {
        var (queue, bytes) = (actions[...], [UInt8]())
        while let action = queue.popFirst() {
            switch action {
            case .send(let message): bytes += message
            case .end(let ending): self.ending = ending
            case .make where bytes.count >= answerLimit, .find where bytes.count >= answerLimit: postponed = action
            case .make(let range):
                let frame = try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
                queue += session.provide(frame, of: range)
            case .makeAgain(let range):
                let frame = try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
                queue += session.provide(frame.flatMap { $0.hasValues ? $0 : nil }, of: range)
            case .find(let kept):
                queue += session.provide(try log.keptFrames().first { KeptRange($0) == kept }, of: kept.range)
            case .take(let frame):
                let result = try log.receive([frame], arrival: now())
                received.add(result)
                queue =
                    wasPutBack
                    ? session.stop(reason: Session.newName)[...]
                    : queue + session.took(result, now: try statement())
            }
        }
        return bytes
    }
}

extension SessionRunner: Sendable where Log: Sendable {}

extension Received {
    /// Adds what became of later ranges.
    mutating func add(_ other: Received) {
        appendedCount += other.appendedCount
        repeatedCount += other.repeatedCount
        parked += other.parked
        apart += other.apart
        filledCount += other.filledCount
        returnedCount += other.returnedCount
        placedCount += other.placedCount
        refused += other.refused
        replicas.formUnion(other.replicas)
    }
}

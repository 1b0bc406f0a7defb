import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

/// Executes the actions of a ``Session`` with a log: everything but transmitting the bytes.
///
/// Blocks while the log commits. Not for concurrent use by two threads.
public struct SessionRunner<Log: ReplicatedLog> {
    /// The protocol state.
    public private(set) var session: Session
    /// The bytes of an answer after which no further range is made until ``resume()``, for a caller with limited send
    /// room. Acknowledgements are always sent, so that two sides without room do not wait for each other.
    public var answerLimit = Int.max
    private var postponed: Session.Action?
    private let log: Log
    private let identity: Identity
    private let now: @Sendable () -> Arrival
    /// How the connection ended; `nil` while it continues.
    public private(set) var ending: Session.Ending?
    /// The sum of what was received.
    public private(set) var received = Received()

    /// Creates a runner for a connection about `log`, on which this side signs as `identity`.
    ///
    /// - Parameter peer: The replica that the other side has proved to be; `nil` if it need not prove anything.
    public init(
        _ log: Log, as identity: Identity, with peer: ReplicaID? = nil,
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void = {
            head throws(SignedHeadError) in try head.check()
        },
        now: @escaping @Sendable () -> Arrival
    ) throws {
        self.log = log
        self.identity = identity
        self.now = now
        session = Session(
            log: log.id, local: try Manifest(of: log, as: identity, milliseconds: now().wallMilliseconds),
            peer: peer, checkSignature: checkSignature)
    }

    /// Starts the session. Returns the bytes to send.
    public mutating func start() throws -> [UInt8] { try perform(session.start()) }

    /// Handles received bytes. Returns the bytes to send.
    public mutating func received(_ bytes: [UInt8]) throws -> [UInt8] { try perform(session.received(bytes)) }

    /// Handles a possible change of the log. Returns the bytes to send.
    public mutating func logChanged() throws -> [UInt8] { try perform(session.changed(to: manifest())) }

    /// Resumes when there is room again. Returns the bytes to send.
    public mutating func resume() throws -> [UInt8] {
        let action = postponed
        postponed = nil
        return try perform(action.map { [$0] } ?? [])
    }

    /// Whether a range waits for ``resume()``.
    public var isPostponed: Bool { postponed != nil }

    /// Whether new events of this side's own replica were received: the store was restored from a backup. The session
    /// then ends, since it might sign different events with numbers that were signed before.
    public var wasPutBack: Bool { received.isOfOwn(identity.replica) }

    /// Closes the connection. Returns the bytes to send.
    public mutating func stop(reason: String = "") throws -> [UInt8] { try perform(session.stop(reason: reason)) }

    private func manifest() throws -> Manifest {
        try Manifest(of: log, as: identity, milliseconds: now().wallMilliseconds)
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
                queue += session.provide(try log.retainedFrames().first { RetainedRange($0) == kept }, of: kept.range)
            case .store(let frame):
                let result = try log.receive([frame], arrival: now())
                received.add(result)
                queue =
                    wasPutBack
                    ? session.stop(reason: Session.newName)[...]
                    : queue + session.stored(result, now: try manifest())
            }
        }
        return bytes
    }
}

extension SessionRunner: Sendable where Log: Sendable {}

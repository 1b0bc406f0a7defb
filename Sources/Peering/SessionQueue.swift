import Dispatch
import GroundwaveReplication
import Synchronization

/// A unit of work of a session.
enum Work: Sendable {
    /// Start the session.
    case start
    /// Handle received bytes.
    case received([UInt8])
    /// Handle a possible change of the log.
    case logChanged
    /// Make the range that waits for room.
    case resume
    /// Close the connection, for this reason.
    case stop(String)
}

/// The result of a work step.
struct Step: Sendable {
    /// The bytes to send.
    var bytes: [UInt8] = []
    /// The status of the connection.
    var standing = ConnectionStanding()
    /// The bytes buffered by the session.
    var heldBytes = 0
    /// Whether a range waits for room.
    var isPostponed = false
    /// The error of reading or writing the log, if any.
    var failure: (any Error)?
}

/// Runs the session of one connection on a serial queue of its own, since the log blocks while it commits.
final class SessionQueue<Log: ReplicatedLog & Sendable>: Sendable {
    private let queue = DispatchQueue(label: "groundwave.connection")
    private let runner = Mutex<SessionRunner<Log>?>(nil)
    private let makeRunner: @Sendable () throws -> SessionRunner<Log>
    private let endsWhenDone: Bool
    private let report: @Sendable (ConnectionStanding) -> Void

    /// Creates a queue whose session is made by its first work.
    ///
    /// - Parameters:
    ///   - endsWhenDone: Whether to close once neither side has anything left to send.
    ///   - report: Called on the queue after each work step.
    init(
        endsWhenDone: Bool, report: @escaping @Sendable (ConnectionStanding) -> Void,
        makeRunner: @escaping @Sendable () throws -> SessionRunner<Log>
    ) {
        self.endsWhenDone = endsWhenDone
        self.report = report
        self.makeRunner = makeRunner
    }

    /// Does `work` after all earlier work.
    ///
    /// - Parameter room: The number of bytes of the answer after which no further range is made.
    func perform(_ work: Work, room: Int) async -> Step {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                let done = runner.withLock { step(work, room: room, &$0) }
                report(done.standing)
                continuation.resume(returning: done)
            }
        }
    }

    private func step(_ work: Work, room: Int, _ stored: inout SessionRunner<Log>?) -> Step {
        var step = Step()
        do {
            // Moved out, so that its buffers are not copied.
            var runner = try stored.take() ?? makeRunner()
            // Stored again even if the log fails, since its status must still be reported.
            defer { stored = runner }
            runner.answerLimit = room
            do { step.bytes = try Self.bytes(of: work, &runner) } catch {
                step.failure = error
                step.bytes = (try? runner.stop(reason: "this store cannot be read or written now")) ?? []
            }
            if endsWhenDone, runner.ending == nil, runner.session.isDone { step.bytes += try runner.stop() }
            step.isPostponed = runner.isPostponed
            step.heldBytes = runner.session.bufferedBytes
            step.standing = ConnectionStanding(of: runner)
        } catch {
            step.failure = error
            step.bytes = Greeting.farewell("this store cannot be read now")
        }
        return step
    }

    private static func bytes(of work: Work, _ runner: inout SessionRunner<Log>) throws -> [UInt8] {
        switch work {
        case .start: try runner.start()
        case .received(let bytes): try runner.received(bytes)
        case .logChanged: try runner.logChanged()
        case .resume: try runner.resume()
        case .stop(let reason): try runner.stop(reason: reason)
        }
    }
}

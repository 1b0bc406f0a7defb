import Dispatch
import GroundwaveReplication
import Synchronization

/// Works with one conversation on a serial queue of its own, since the log blocks while it commits.
protocol Desk: Sendable {
    /// Does `work`, after all that was given before, and calls `answer` on the queue.
    func perform(_ work: Work, room: Int, _ answer: @escaping @Sendable (Step) -> Void)
}

/// What there is to do with a conversation.
enum Work: Sendable {
    case start
    case received([UInt8])
    case logChanged
    case goOn
    case stop(String)
}

/// What came of it.
struct Step: Sendable {
    /// What to send.
    var bytes: [UInt8] = []
    /// How the conversation stands now.
    var standing = ConnectionStanding()
    /// Bytes that the conversation keeps.
    var heldBytes = 0
    /// Whether a range waits until there is room.
    var isPostponed = false
    /// Where the log could not be read or written: why.
    var failure: (any Error)?
}

/// A desk for a conversation about one log.
final class RunnerDesk<Log: ReplicatedLog & Sendable>: Desk {
    private let queue = DispatchQueue(label: "groundwave.connection")
    private let runner = Mutex<SessionRunner<Log>?>(nil)
    private let makeRunner: @Sendable () throws -> SessionRunner<Log>
    private let endsWhenDone: Bool
    private let tell: @Sendable (ConnectionStanding) -> Void

    /// - Parameters:
    ///   - endsWhenDone: Whether to say goodbye once neither side has anything left to send.
    ///   - tell: Called on the queue after each piece of work.
    init(
        endsWhenDone: Bool, tell: @escaping @Sendable (ConnectionStanding) -> Void,
        makeRunner: @escaping @Sendable () throws -> SessionRunner<Log>
    ) {
        self.endsWhenDone = endsWhenDone
        self.tell = tell
        self.makeRunner = makeRunner
    }

    func perform(_ work: Work, room: Int, _ answer: @escaping @Sendable (Step) -> Void) {
        queue.async { [self] in
            let done = runner.withLock { step(work, room: room, &$0) }
            tell(done.standing)
            answer(done)
        }
    }

    private func step(_ work: Work, room: Int, _ place: inout SessionRunner<Log>?) -> Step {
        var step = Step()
        do {
            // Taken out, so that there are not two of what it keeps.
            var runner = try place.take() ?? makeRunner()
            // Kept as it was where the log fails: what it has said so far is still to be told.
            defer { place = runner }
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
        case .goOn: try runner.goOn()
        case .stop(let reason): try runner.stop(reason: reason)
        }
    }
}

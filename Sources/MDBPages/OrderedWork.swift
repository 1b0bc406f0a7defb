import Dispatch
import Foundation
import Synchronization

/// Pieces of work that are done on several cores, and whose results are taken in the order in which they were given.
package struct OrderedWork<Outcome: Sendable> {
    /// One queue for each core but the caller's own, which works where it would wait.
    private let queues: [DispatchQueue]
    private var pieces: [Piece] = []
    private var count = 0

    /// How many pieces may be given before the first result has to be taken.
    private let limit: Int

    package init(cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
        queues = (1..<Swift.max(cores, 1)).map { _ in DispatchQueue(label: "groundwave.cores", qos: .userInitiated) }
        limit = 4 * cores
    }

    /// Whether a result has to be taken before more work is given: each holds memory.
    package var isFull: Bool { pieces.count >= limit }

    package mutating func add(_ work: @escaping @Sendable () -> Outcome) {
        let piece = Piece(work)
        pieces.append(piece)
        if !queues.isEmpty { queues[count % queues.count].async { piece.begin() } }
        count += 1
    }

    /// The result of the oldest piece; `nil` where none is left. While others do that one, the caller does the next.
    package mutating func next() -> Outcome? {
        guard let oldest = pieces.first else { return nil }
        for piece in pieces where !oldest.isDone { piece.begin() }
        pieces.removeFirst()
        return oldest.outcome()
    }

    private final class Piece: Sendable {
        private let work: @Sendable () -> Outcome
        private let isBegun = Atomic(false)
        private let result = Mutex<Outcome?>(nil)
        private let end = DispatchSemaphore(value: 0)

        var isDone: Bool { result.withLock { $0 != nil } }

        init(_ work: @escaping @Sendable () -> Outcome) { self.work = work }

        /// Does the work, unless somebody has begun it.
        func begin() {
            guard !isBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
            let outcome = work()
            result.withLock { $0 = outcome }
            end.signal()
        }

        /// What came of the work, which somebody has begun: waits for it.
        func outcome() -> Outcome? {
            end.wait()
            return result.withLock { $0.take() }
        }
    }
}

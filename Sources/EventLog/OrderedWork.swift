import Dispatch
import Foundation
import Synchronization

/// Runs work items on several cores and returns their results in the order in which the items were added.
package struct OrderedWork<Outcome: Sendable> {
    /// One queue for each core except the caller's, which does items itself instead of waiting.
    private let queues: [DispatchQueue]
    private var pieces: [Piece] = []
    private var count = 0

    /// The number of items that may be added before the first result has to be taken.
    private let limit: Int

    package init(cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
        queues = (1..<Swift.max(cores, 1)).map { _ in DispatchQueue(label: "groundwave.cores", qos: .userInitiated) }
        limit = 4 * cores
    }

    /// Whether a result has to be taken before more work is added: each item holds memory.
    package var isFull: Bool { pieces.count >= limit }

    package mutating func add(_ work: @escaping @Sendable () -> Outcome) {
        let piece = Piece(work)
        pieces.append(piece)
        if !queues.isEmpty { queues[count % queues.count].async { piece.begin() } }
        count += 1
    }

    /// Returns the result of the oldest item; `nil` if none is left. While another core runs that item, the caller
    /// runs the following ones.
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

        /// Runs the work, unless another thread has started it.
        func begin() {
            guard !isBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
            let outcome = work()
            result.withLock { $0 = outcome }
            end.signal()
        }

        /// Waits for the result of the work, which has been started.
        func outcome() -> Outcome? {
            end.wait()
            return result.withLock { $0.take() }
        }
    }
}

import Groundwave
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveStore

/// The state that a page shows: that of now, or that of a point in time.
struct Moment: Sendable {
    /// What is read.
    let reading: any Reading
    /// The events that count; `nil` for all, now and whatever comes.
    let vector: VersionVector?
    /// When the last of them was written, in milliseconds since 1970.
    let lastWritten: Int64
    /// The number of events that count.
    let eventCount: UInt64

    /// Whether it is the present.
    var isPresent: Bool { vector == nil }
}

/// Past states that were looked at lately: going back to one costs no replay.
///
/// What a page is given never has more than the log: a state that was made before something was erased, or before something
/// came late, is forgotten.
actor Moments {
    /// So many states are kept. Each has a file of its own in a temporary folder, or some memory.
    static let limit = 4

    private struct Kept {
        let vector: VersionVector
        let content: LogContent
        let past: PastStore
    }

    /// The one that was used last is the last.
    private var kept: [Kept] = []

    /// Returns the state of `store` with the events of `vector`.
    ///
    /// - Throws: ``StoreError`` as `Store.at(_:)` does.
    func past(_ vector: VersionVector, in store: Store) async throws -> PastStore {
        let content = try store.describing { try store.log.content() }
        kept.removeAll { $0.content != content || $0.past.store !== store }
        if let index = kept.firstIndex(where: { $0.vector == vector }) {
            let found = kept.remove(at: index)
            kept.append(found)
            return found.past
        }
        let past = try await store.at(.vector(vector))
        kept.append(Kept(vector: vector, content: content, past: past))
        if kept.count > Self.limit { kept.removeFirst() }
        return past
    }
}

/// A point as an address has it.
enum PointAddress {
    /// The text of a vector, which names the same events for ever.
    static func text(_ vector: VersionVector) -> String {
        "vector:" + vector.entries.map { "\($0.replica)=\($0.sequence)" }.joined(separator: ",")
    }
}

import GroundwaveEvents
import Synchronization

/// Values that came for events which are here without theirs. Putting values in writes the log anew, so many are put in at
/// once; what is lost with the process is asked for again.
final class PendingValues: Sendable {
    /// When there are so many bytes, they are put in.
    static let byteLimit = 64 << 20

    private let state = Mutex(State())

    private struct State {
        var values: [EventID: [UInt8]] = [:]
        var events = EventSet()
        var byteCount = 0
        /// Whether any came since ``isIdle`` was asked last.
        var hasGrown = false
    }

    /// The events whose values these are.
    var events: EventSet { state.withLock { $0.events } }
    /// Whether they should wait no longer.
    var isFull: Bool { state.withLock { $0.byteCount >= Self.byteLimit } }

    /// Whether there are some, and none came since this was asked last.
    func isIdle() -> Bool {
        state.withLock { state in
            defer { state.hasGrown = false }
            return !state.hasGrown && !state.values.isEmpty
        }
    }

    /// Adds whole frames of events.
    func add(_ found: [EventID: [UInt8]]) {
        state.withLock { state in
            for (event, bytes) in found where state.values.updateValue(bytes, forKey: event) == nil {
                state.events.insert(event)
                state.byteCount += bytes.count
                state.hasGrown = true
            }
        }
    }

    /// Takes all of them out.
    func take() -> [EventID: [UInt8]] {
        state.withLock { state in
            defer { state = State() }
            return state.values
        }
    }
}

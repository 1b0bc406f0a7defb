import Events
import Synchronization

/// Values that were received for events which are here without values. Storing values rewrites the log, so many are
/// stored at once; values that are lost with the process are requested again.
final class PendingValues: Sendable {
    /// The number of bytes at which the values are stored.
    static let byteLimit = 64 << 20

    private let state = Mutex(State())

    private struct State {
        var values: [EventID: [UInt8]] = [:]
        var events = EventSet()
        var byteCount = 0
        /// Whether any values were added since the last call of ``isIdle()``.
        var hasGrown = false
    }

    /// The events of these values.
    var events: EventSet { state.withLock { $0.events } }
    /// Whether the values should be stored now.
    var isFull: Bool { state.withLock { $0.byteCount >= Self.byteLimit } }

    /// Returns whether there are values, and none were added since the last call.
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

    /// Removes and returns all values.
    func take() -> [EventID: [UInt8]] {
        state.withLock { state in
            defer { state = State() }
            return state.values
        }
    }
}

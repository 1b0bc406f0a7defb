import GroundwaveStore
import Synchronization

/// Decides when a store that follows a remote pushes: at each change, or in batches, as the log's engine says.
final class PushPace: Sendable {
    private let store: Store
    private let remote: String
    /// When the log last changed, by a clock that cannot be set, in milliseconds.
    private let lastChange: Atomic<Int64>

    init(_ store: Store, remote: String) {
        self.store = store
        self.remote = remote
        lastChange = Atomic(store.monotonicMilliseconds)
    }

    private var quiet: Int64 { max(0, store.monotonicMilliseconds - lastChange.load(ordering: .relaxed)) }

    /// Notes that the log has changed. Returns whether that is to be pushed now.
    func noteChange() -> Bool {
        lastChange.store(store.monotonicMilliseconds, ordering: .relaxed)
        return isPushDue
    }

    /// Whether to push now. If that cannot be said, the pass tells why.
    var isPushDue: Bool {
        guard store.usage.followNow() else { return true }
        defer { store.usage.end() }
        let isDue =
            try? store.syncEngine() == .records
            || JournalRule.isPushDue(store.waitingEvents(at: remote), quiet: quiet)
        return isDue ?? true
    }

    /// Returns the time to wait before the next pass, which is at most `pause`: less if a batch becomes due earlier.
    func pause(_ pause: Duration, hasPushed: Bool) -> Duration {
        hasPushed ? pause : min(pause, JournalRule.pause(quiet: quiet))
    }
}

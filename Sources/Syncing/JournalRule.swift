import GroundwaveStore

/// What a store has and a remote does not.
struct WaitingEvents: Hashable {
    /// The number of events, up to ``JournalRule/operations``; there may be more.
    var count: UInt64 = 0
    /// Their size in bytes, as far as they were counted.
    var bytes = 0
}

/// When the engine ``SyncEngine/journal`` pushes while it follows a remote: a pure function of clock and state.
///
/// A batch is one object at the remote, and one request where these are paid. So changes wait for each other, but not
/// longer than until the operator pauses.
enum JournalRule {
    /// The number of waiting events that are pushed at once.
    static let operations: UInt64 = 100
    /// The size of waiting events that are pushed at once, in bytes.
    static let bytes = 256 << 10
    /// The time without any change after which everything is pushed, in milliseconds: five minutes.
    static let quietMilliseconds: Int64 = 5 * 60_000

    /// Whether to push now.
    ///
    /// - Parameter quiet: The time since the last change of the log, in milliseconds.
    static func isPushDue(_ waiting: WaitingEvents, quiet: Int64) -> Bool {
        waiting.count >= operations || waiting.bytes >= bytes || quiet >= quietMilliseconds
    }

    /// Returns the time until ``isPushDue(_:quiet:)`` because of the clock alone; at least a millisecond.
    static func pause(quiet: Int64) -> Duration { .milliseconds(max(1, quietMilliseconds - quiet)) }
}

extension Store {
    /// Returns the events that are not at a remote, as far as they matter to ``JournalRule``.
    ///
    /// - Complexity: O(``JournalRule/operations``), and the size of the remote cache.
    func waitingEvents(at remote: String) throws -> WaitingEvents {
        var waiting = WaitingEvents()
        for range in try log.vector().ranges(missingFrom: files.readCache(of: remote).vector) {
            let (count, overflow) = waiting.count.addingReportingOverflow(range.count)
            waiting.count = overflow ? .max : count
            // So many are pushed whatever they weigh.
            if waiting.count >= JournalRule.operations { return waiting }
            try log.scan(range) { _, frame, _ in
                waiting.bytes += frame.length
                return true
            }
        }
        return waiting
    }
}

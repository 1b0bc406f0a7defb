import Groundwave
import GroundwaveMeters

/// The time for which a meter is disconnected: it is said when that begins and ends, and it may not last too long.
struct Absence {
    private let limit: Int
    private let isTold: Bool
    private var end: ContinuousClock.Instant?

    /// Lets a meter be away for `seconds`; says so if `isTold`.
    init(upTo seconds: Int, isTold: Bool) { (limit, self.isTold) = (seconds, isTold) }

    /// Whether the meter is disconnected.
    var isRunning: Bool { end != nil }

    /// Takes note of a step of the feed, which reads `device`.
    ///
    /// - Throws: ``StoreError`` with code `inputOutput` if the meter is away for too long, or will not be back.
    mutating func take(_ step: MeterFeed.Step, of device: String) throws {
        guard step.isAway || step.isAtEnd else {
            if isRunning, isTold { Terminal.remark("The meter is connected again.") }
            end = nil
            return
        }
        let isNew = end == nil
        let limitEnd = end ?? .now + .seconds(limit)
        end = limitEnd
        guard step.isAway, .now < limitEnd else {
            throw StoreError(
                .inputOutput, "The meter has disconnected: no more data comes from \(device).",
                hint: "Check that it is on and connected, and record again.")
        }
        guard isNew, isTold else { return }
        Terminal.remark(
            "The meter has disconnected from \(device). The trace goes on if it is back within \(limit) s (--wait).")
    }
}

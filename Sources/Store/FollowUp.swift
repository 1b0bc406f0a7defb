import Dispatch
import GroundwaveEventLog
import GroundwaveProjections
import Synchronization

/// The work that follows every change of the log: a commit, received events, or a rewrite of the file.
package final class FollowUp: Sendable {
    private let log: EventLog
    private let views: Views
    private let commits: CommitSignal
    private let reusablePastView: ReusablePastView
    private let maintenanceSchedule: MaintenanceSchedule
    private let sealing = DispatchQueue(label: "groundwave.sealing", qos: .utility)
    private let unsealed = Mutex(0)

    init(
        log: EventLog, views: Views, _ commits: CommitSignal, _ reusablePastView: ReusablePastView,
        _ maintenanceSchedule: MaintenanceSchedule
    ) {
        (self.log, self.views, self.commits) = (log, views, commits)
        (self.reusablePastView, self.maintenanceSchedule) = (reusablePastView, maintenanceSchedule)
    }

    /// Updates everything that depends on the log after it changed.
    ///
    /// Updates the views (rebuilds them after a rewrite, and folds again the records that late events touch), drops
    /// the reusable past view if the content of the log changed, wakes observers and maintenance, and has tree leaves
    /// hashed in the background.
    ///
    /// - Parameters:
    ///   - count: The number of events appended.
    ///   - isFolding: Whether the views take the events in now, and not at the next read. An import of many commits
    ///     folds them in a few large slices instead.
    /// - Throws: Errors of the views. Everything else has been done, and the next read tries again.
    package func run(appended count: Int = 0, isFolding: Bool = true) throws {
        defer {
            commits.notify()
            maintenanceSchedule.ask()
            sealBehind(count)
        }
        reusablePastView.drop(unlessOf: try log.content())
        if isFolding { try views.catchUp() }
    }

    /// Hashes the tree's leaves on another thread once 256 events, a block, have accumulated.
    private func sealBehind(_ count: Int) {
        let isDue = unsealed.withLock { unsealed in
            unsealed += count
            guard unsealed >= 256 else { return false }
            unsealed = 0
            return true
        }
        // A failure costs only time: the hashes are computed when they are needed.
        if isDue, log.usage.followNow() {
            sealing.async { [log] in
                defer { log.usage.end() }
                do { try log.sealPending() } catch {
                    Subsystem.writer.logger.warning(
                        "hashing of new events failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                }
            }
        }
    }
}

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
    private let folding = DispatchQueue(label: "groundwave.folding", qos: .utility)
    private let unfolded = Mutex(Unfolded())

    /// The events of an import that the views have not taken in.
    private struct Unfolded {
        var count = 0
        /// How many are folded next in the background. Each time twice as many: a fold that is small beside the views
        /// writes most of their pages for few events.
        var due = 1 << 15
    }

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
    ///   - isFolding: Whether the views take the events in before this returns. Those of an import of many commits are
    ///     folded behind it, in a few large slices.
    /// - Throws: Errors of the views. Everything else has been done, and the next read tries again.
    package func run(appended count: Int = 0, isFolding: Bool = true) throws {
        defer {
            commits.notify()
            maintenanceSchedule.ask()
            sealBehind(count)
        }
        reusablePastView.drop(unlessOf: try log.content())
        if isFolding { try views.catchUp() } else { foldBehind(count) }
    }

    /// Has another thread fold the events of an import once there are many of them.
    private func foldBehind(_ count: Int) {
        let isDue = unfolded.withLock { unfolded in
            unfolded.count += count
            guard unfolded.count >= unfolded.due else { return false }
            unfolded.count = 0
            unfolded.due *= 2
            return true
        }
        if isDue {
            // A failure costs only time: the next read repairs the views.
            folding.async { [views] in
                do { _ = try views.catchUp() } catch {
                    Subsystem.writer.logger.warning(
                        "folding of an import failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                }
            }
        }
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
        if isDue {
            sealing.async { [log] in
                do { try log.sealPending() } catch {
                    Subsystem.writer.logger.warning(
                        "hashing of new events failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                }
            }
        }
    }
}

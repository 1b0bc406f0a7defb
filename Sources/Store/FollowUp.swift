import Dispatch
import GroundwaveEventLog
import GroundwaveProjections
import Synchronization

/// All that follows a change of the log, whoever made it: a commit, events that came, or a rewrite of the file.
package final class FollowUp: Sendable {
    private let log: EventLog
    private let views: Views
    private let commits: CommitSignal
    private let formerScratch: FormerScratch
    private let dueWork: DueWorkSchedule
    private let sealing = DispatchQueue(label: "groundwave.sealing", qos: .utility)
    private let unsealed = Mutex(0)

    init(
        log: EventLog, views: Views, _ commits: CommitSignal, _ formerScratch: FormerScratch, _ dueWork: DueWorkSchedule
    ) {
        (self.log, self.views, self.commits) = (log, views, commits)
        (self.formerScratch, self.dueWork) = (formerScratch, dueWork)
    }

    /// Has the change show in the views, which are built anew after a rewrite, and fold anew what late events touch; lets go
    /// of what was kept of the content before;
    /// wakes whoever observes and the due work; and has leaves hashed behind the commits.
    ///
    /// - Parameters:
    ///   - count: How many events were appended.
    ///   - isFolding: Whether the views take the events in at once, and not when somebody reads: an import of many commits
    ///     has them folded in few slices.
    /// - Throws: What kept the views from it; all the rest is done, and the next read tries again.
    package func run(appended count: Int = 0, isFolding: Bool = true) throws {
        defer {
            commits.notify()
            dueWork.ask()
            sealBehind(count)
        }
        formerScratch.drop(unlessOf: try log.content())
        if isFolding { try views.catchUp() }
    }

    /// Hashes the tree's leaves on another thread once a block of them has come together.
    private func sealBehind(_ count: Int) {
        let isDue = unsealed.withLock { unsealed in
            unsealed += count
            guard unsealed >= 256 else { return false }
            unsealed = 0
            return true
        }
        // A failure here costs nothing but time: the hashes are computed anew when they are wanted.
        if isDue {
            sealing.async { [log] in
                do { try log.sealPending() } catch {
                    Subsystem.writer.logger.warning(
                        "sealing failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                }
            }
        }
    }
}

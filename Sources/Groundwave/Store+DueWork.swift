import EventLog
import Events
import Projections
import Recovery

/// The maintenance that was done.
public struct DueWork: Hashable, Sendable {
    /// The old samples that were removed; `nil` unless they made up an eighth of the log and 16 MiB.
    public var oldSamples: OldSamples?
    /// The snapshot that was written; `nil` if none was due.
    public var snapshot: SnapshotInformation?
    /// The number of older snapshots that were deleted.
    public var prunedSnapshots = 0
    /// The mirror that was written; `nil` if none was due.
    public var mirror: MirrorWritten?
    /// Whether every page of the log was checked.
    public var hasLooked = false

    /// Creates an empty report.
    public init() {}
}

extension Store {
    /// Does the maintenance that is due.
    ///
    /// - The mirror is written if something changed and it is an hour old.
    /// - Every page of the log is checked once a week.
    /// - A snapshot is written if something changed and the newest one is six hours old. Before it, samples are
    ///   removed that are older than this device keeps them; after it, snapshots that are not worth their bytes are
    ///   deleted.
    ///
    /// What is due is a pure function of clock and state. The library calls this by itself after a write and at open,
    /// on its own queue; an application may call it whenever it has time. A read-only store has no maintenance.
    @discardableResult
    public func runDueWork() throws -> DueWork {
        guard !isReadOnly else { return DueWork() }
        // One run at a time: a second one finds the work of the first done.
        return try dueWork.running.withLock { _ in
            var done = DueWork()
            if !dueWork.isStopped, try isMirrorDue() {
                // An unavailable folder must not prevent the rest; the next maintenance tries again.
                do { done.mirror = try writeMirror() } catch {
                    Subsystem.store.logger.warning(
                        "the mirror was not written", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                }
            }
            if !dueWork.isStopped { done.hasLooked = try lookIfDue() }
            guard !dueWork.isStopped, try isSnapshotDue() else { return done }
            // Only as often as snapshots are made, since this examines every block.
            done.oldSamples = try letGoOfOldSamplesIfDue()
            done.snapshot = try createSnapshot()
            done.prunedSnapshots = try pruneSnapshots().count
            return done
        }
    }

    /// Checks every page of the log if the last check was a week ago. If it finds damage, the next open of the store
    /// starts recovery.
    private func lookIfDue() throws -> Bool {
        let lookedAt = LookedAt("log.mdb", of: files.folder, in: stateFolder)
        let now = surroundings.now().wallMilliseconds
        if let last = lookedAt.lastWhole, now - last < Self.weekMilliseconds, now >= last { return false }
        let preflight = Preflight(RecoveryFiles(files.folder))
        let finding = try describing {
            try lookedAt.looking(now: now, wasClean: false) { try preflight.finding(isFull: true) }
        }
        guard let finding else { return true }
        Subsystem.recovery.logger.error(
            "the log is damaged: the next program that opens the store starts recovery",
            metadata: ["code": "\(finding.code)"])
        OpenMark.suspect(files.folder)
        return true
    }

    private static let weekMilliseconds: Int64 = 7 * 86_400_000

    private func isMirrorDue() throws -> Bool {
        try describing {
            let (position, now) = (try log.lastPosition(), surroundings.now().wallMilliseconds)
            return try syncFile.read().mirror?.isDue(position: position, now: now) ?? false
        }
    }

    private func isSnapshotDue() throws -> Bool {
        try describing {
            let events = try log.vector().eventCount
            guard let first = try log.withEvent(at: 1, { frame, _ in frame.stamp.milliseconds }) else { return false }
            let newest = snapshots().compactMap(\.information).max { $0.created < $1.created }
            let isDue = SnapshotRule.isDue(
                newest: newest, events: events, firstWritten: first, now: surroundings.now().wallMilliseconds)
            if !isDue, try syncFile.read().mirror == nil {
                dueWork.wait(until: SnapshotRule.next(after: newest, firstWritten: first))
            }
            return isDue
        }
    }
}

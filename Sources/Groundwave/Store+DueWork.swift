import EventLog
import Events
import Projections
import Recovery

/// What due work was done.
public struct DueWork: Hashable, Sendable {
    /// The samples that were old, where they made up an eighth of the log and 16 MiB.
    public var oldSamples: OldSamples?
    /// The snapshot that was due.
    public var snapshot: SnapshotInformation?
    /// How many older ones went.
    public var prunedSnapshots = 0
    /// The mirror that was due.
    public var mirror: MirrorWritten?
    /// Whether every page of the log was looked at.
    public var hasLooked = false

    /// Nothing.
    public init() {}
}

extension Store {
    /// Does what is due: the mirror, where something changed and it is an hour old; a snapshot, where something changed and
    /// the newest is six hours old, before which samples go that are older than this device keeps them; prunes the
    /// snapshots that are not worth their bytes; and looks at every page of the log once a week.
    ///
    /// What is due is a pure function of clock and state. The library calls this by itself after a write and at open,
    /// on a queue of its own; an application may call it whenever it has time. A store that can only be read has no due
    /// work.
    @discardableResult
    public func runDueWork() throws -> DueWork {
        guard !isReadOnly else { return DueWork() }
        // One at a time: the second finds the work of the first one done.
        return try dueWork.running.withLock { _ in
            var done = DueWork()
            if !dueWork.isStopped, try isMirrorDue() {
                // A folder that is away must not keep the rest from being done; the next due work tries again.
                do { done.mirror = try writeMirror() } catch {
                    Subsystem.store.logger.warning(
                        "the mirror was not written", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                }
            }
            if !dueWork.isStopped { done.hasLooked = try lookIfDue() }
            guard !dueWork.isStopped, try isSnapshotDue() else { return done }
            // As often as snapshots are made, since each block is looked at.
            done.oldSamples = try letGoOfOldSamplesIfDue()
            done.snapshot = try createSnapshot()
            done.prunedSnapshots = try pruneSnapshots().count
            return done
        }
    }

    /// Looks at every page of the log, where that is a week ago. What is found has the next opening of the store go into
    /// recovery.
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

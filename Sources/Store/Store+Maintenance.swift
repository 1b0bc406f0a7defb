import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecovery

/// What maintenance has done.
public struct MaintenanceReport: Hashable, Sendable {
    /// The snapshot that was written; `nil` if none was due.
    public var snapshot: SnapshotInformation?
    /// The number of older snapshots that were deleted.
    public var prunedSnapshots = 0
    /// Whether every page of the log was checked.
    public var hasChecked = false
    /// The names of the components' tasks that were due and succeeded, in order.
    public var tasks: [String] = []

    /// Creates an empty report.
    public init() {}
}

extension Store {
    /// Does what is due: the tasks of the components, such as the mirror of a logbook; a snapshot, if something changed and
    /// the newest is six hours old; prunes the snapshots that are not worth their bytes; and checks every page of the log
    /// once a week.
    ///
    /// What is due is a pure function of clock and state. The library calls this by itself after a write and at open,
    /// on its own queue; an application may call it whenever it has time. A store that can only be read needs no
    /// maintenance. A task of a component that fails is logged, and tried again next time.
    ///
    /// - Throws: ``StoreError`` if a snapshot cannot be made or removed, or the log cannot be read; what was done
    ///   before stays.
    /// - Complexity: A few look-ups if nothing is due. A snapshot takes about 4 us for each record; the check reads every
    ///   page of the log.
    @discardableResult
    public func runMaintenance() throws -> MaintenanceReport {
        guard !isReadOnly else { return MaintenanceReport() }
        // One at a time: the second caller finds the work of the first done.
        return try maintenanceSchedule.running.withLock { _ in
            var done = MaintenanceReport()
            run(.always, &done)
            if !maintenanceSchedule.isStopped { done.hasChecked = try checkIfDue() }
            guard !maintenanceSchedule.isStopped, try isSnapshotDue() else { return done }
            run(.beforeSnapshot, &done)
            done.snapshot = try createSnapshot()
            done.prunedSnapshots = try pruneSnapshots().count
            return done
        }
    }

    private var maintenanceTasks: [MaintenanceTask] { components.flatMap(\.maintenance) }

    private func run(_ moment: MaintenanceTask.Moment, _ done: inout MaintenanceReport) {
        for task in maintenanceTasks where task.moment == moment && !maintenanceSchedule.isStopped {
            // A folder that is away must not keep the rest from being done.
            do { if try task.run(self) { done.tasks.append(task.name) } } catch {
                Subsystem.store.logger.warning(
                    "\(task.name) failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
            }
        }
    }

    /// Checks every page of the log if the last check was a week ago. If it finds damage, the next open of the store
    /// starts recovery.
    private func checkIfDue() throws -> Bool {
        let checkRecord = FileCheckRecord("log.mdb", of: files.folder, in: stateFolder)
        let now = surroundings.now().wallMilliseconds
        if let last = checkRecord.lastFullCheck, now - last < Self.weekMilliseconds, now >= last { return false }
        let preflight = Preflight(RecoveryFiles(files.folder))
        let finding = try describing {
            try checkRecord.checking(now: now, wasClean: false) { try preflight.finding(isFull: true) }
        }
        guard let finding else { return true }
        Subsystem.recovery.logger.error(
            "the log is damaged: the next program that opens the store starts recovery",
            metadata: ["code": "\(finding.code)"])
        OpenMark.suspect(files.folder)
        return true
    }

    private static let weekMilliseconds: Int64 = 7 * 86_400_000

    private func isSnapshotDue() throws -> Bool {
        try describing {
            let events = try log.vector().eventCount
            guard let first = try log.withEvent(at: 1, { frame, _ in frame.stamp.milliseconds }) else { return false }
            let newest = snapshots().compactMap(\.information).max { $0.created < $1.created }
            let isDue = SnapshotRule.isDue(
                newest: newest, events: events, firstWritten: first, now: surroundings.now().wallMilliseconds)
            if !isDue, try !maintenanceTasks.contains(where: { try $0.isPending(self) }) {
                maintenanceSchedule.wait(until: SnapshotRule.next(after: newest, firstWritten: first))
            }
            return isDue
        }
    }
}

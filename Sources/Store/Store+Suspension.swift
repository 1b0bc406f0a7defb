import GroundwaveEventLog
import GroundwaveRecovery

extension Store: StoreUser {
    package var usage: Usage { log.usage }
}

extension Store {
    /// Releases the files of the store and all locks on them, for an application that goes to the background; the next call
    /// takes them up again.
    ///
    /// ```swift
    /// for await _ in NotificationCenter.default.notifications(named: didEnterBackground) { try await store.suspend() }
    /// ```
    ///
    /// When this returns, the process has no map of `log.mdb` and `views.mdb`, no open file of them, no lock, and no mark of
    /// an open store. Calls under way are finished first, and those that begin meanwhile; maintenance ends after its
    /// present step; a sync pass stops, and starts again later; connections with devices are closed.
    ///
    /// Any call that reads or writes takes the store up again, by itself. What only follows the store waits until then:
    /// ``values(of:_:)``, ``changes(since:through:matching:)`` and consumers after their first element, acknowledging,
    /// continuous synchronising, and maintenance. What other programs wrote meanwhile is seen then. Suspending a store
    /// that is suspended or closed does nothing.
    ///
    /// Kept open are only files that are not of the store: the scratch files of a past store that the application holds. A
    /// recording in progress keeps the lock of its own file of last rows: finish it first.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while this waits for calls; then the store is not suspended.
    ///   The next call throws what opening the store would, such as ``StoreError`` with code `notFound` or `recovering`, and
    ///   the store stays suspended.
    /// - Complexity: One flush if something was written since the last one; up to the patience of a write that waits for
    ///   another program. Taking it up again costs as much as opening it.
    public func suspend() async throws {
        guard !log.wasClosed else { return }
        try await log.usage.suspend { [self] in
            reusablePastView.close()
            // Without this record a later recovery only has less evidence of what was lost.
            try? writer?.noteHeads()
            log.suspend()
            views.close()
            mark.remove()
        }
    }

    /// Checks the files as opening does, and marks the store as open. The files are opened by the call that needs them.
    func takeUp() throws {
        // Its own error follows.
        guard !log.wasClosed else { return }
        let now = surroundings.now().wallMilliseconds
        let recovery = RecoveryFiles(files.folder)
        guard files.exists || recovery.isWaiting else { throw StoreFiles.noStore(in: files.folder) }
        try Joining.refuse(files)
        if let damage = try StoreCondition(of: files.folder, stateFolder: stateFolder, now: now).damage {
            throw StoreError(
                .recovering, "\(damage) Nothing was written.", hint: "To see what can be done: \(.showRecovery)")
        }
        let left = OpenMark.left(by: files.folder, in: stateFolder)
        let damage = ViewsCondition.damage(
            in: files.folder, stateFolder: stateFolder, now: now, wasClean: left.isEmpty)
        if let damage {
            Subsystem.recovery.logger.warning(
                "the views are damaged: they are rebuilt", metadata: ["reason": "\(damage)"])
            isReadOnly ? try views.moveAside() : files.removeViews()
        }
        mark.renew(files.folder, in: stateFolder)
        // Read-only views stay as they are, and so do the marks that cause them to be checked.
        if damage == nil || !isReadOnly { OpenMark.forget(left) }
        Task { [weak self, usage] in
            guard await usage.follow() else { return }
            defer { usage.end() }
            self?.commits.notify()
            self?.maintenanceSchedule.ask()
        }
    }
}

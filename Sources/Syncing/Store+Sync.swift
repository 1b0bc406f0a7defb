import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveProjections
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveStore

/// The result of synchronising with one remote.
public struct SyncSummary: Hashable, Sendable {
    /// The remote.
    public let remote: Remote
    /// The number of events pushed.
    public var sentEvents: UInt64 = 0
    /// The number of bytes pushed.
    public var sentBytes = 0
    /// The number of received events that are new here, or had been lost.
    public var receivedEvents = 0
    /// The number of these that had been lost here with a damaged file.
    public var returnedEvents = 0
    /// The number of bytes pulled.
    public var receivedBytes = 0
    /// Ranges that are pending, because they arrived before the ranges they follow.
    public var pending: [EventRange] = []
    /// What was rejected or could not be read, by the store that pushed it.
    public var quarantined: [ReplicaID: String] = [:]
    /// The folders of stores of other logs, which are not read, each with a sentence.
    public var strangers: [ReplicaID: String] = [:]
    /// Whether the remote had lost its contents and was filled again.
    public var wasEmptied = false
    /// The number of fields in which an unsent local write gave way to a received one, because their policy is
    /// `yields`.
    public var yieldedFields = 0
    /// The replica as which this device continues, if the remote had events of its former one that this store did not
    /// have.
    public var newReplica: ReplicaID?
    /// Devices that have joined with a code of this device, and belong to the log now.
    public var admitted: [ReplicaID] = []
    /// Devices that have used one code together, so that none of them belongs to the log by it.
    public var refused: [ReplicaID] = []
    /// The snapshot that was left at the remote for new devices; `nil` if none was due.
    public var leftSnapshot: SnapshotInformation?
    /// Whether keys came that others may not have.
    var hasNewKeys = false

    /// A summary of nothing yet.
    package init(remote: Remote) { self.remote = remote }
}

extension Store {
    /// Pulls what others have pushed to a remote, and pushes what is missing there; with a connected device, until
    /// both sides are caught up.
    ///
    /// Received events are in the log, durably, and show in the next read. Each step may be interrupted; the next
    /// call continues. Nothing is removed here, whatever the remote holds or has lost.
    ///
    /// - Parameters:
    ///   - remote: The remote.
    ///   - isPulling: Whether to pull.
    ///   - isPushing: Whether to push.
    ///   - isFull: Whether to check everything, as is done at least once a day.
    /// - Throws: ``StoreError`` with code `unreachable` if the remote cannot be reached; `syncOff` if the user has
    ///   switched synchronisation off; `exists` if another log is there; `usage` if only an application can open the
    ///   remote. `CancellationError` at once if the task is cancelled. What was done before stays done.
    /// - Complexity: One request for each other device if there is nothing to do.
    @discardableResult
    public func sync(
        _ remote: Remote, isPulling: Bool = true, isPushing: Bool = true, isFull: Bool = false
    ) async throws -> SyncSummary {
        try await sync(
            remote, through: try access(to: remote), isPulling: isPulling, isPushing: isPushing,
            isFull: isFull)
    }

    /// Synchronises through a transport of the application's own, as ``sync(_:isPulling:isPushing:isFull:)`` does with a
    /// folder.
    ///
    /// The transport is counted as the remote `name` by ``syncStatus()`` and ``syncState(failure:)``, also after a restart.
    /// Only its name is kept: other programs cannot open it.
    ///
    /// - Parameters:
    ///   - transport: The transport; for one name always the same storage.
    ///   - name: The name of the remote: up to 32 letters, digits, `-` and `_`. It is added at the first use.
    ///   - isPulling: Whether to pull.
    ///   - isPushing: Whether to push.
    ///   - isFull: Whether to check everything, as is done at least once a day.
    /// - Throws: ``StoreError`` with code `unreachable`, `syncOff`, or `exists` if another log is there or the name is
    ///   that of a folder or device; `usage` if the name is invalid. `CancellationError` at once if the task is cancelled.
    ///   What was done before stays done.
    /// - Complexity: One request for each other device if there is nothing to do.
    @discardableResult
    public func sync(
        with transport: any Transport, as name: String, isPulling: Bool = true, isPushing: Bool = true,
        isFull: Bool = false
    ) async throws -> SyncSummary {
        try requireSyncOn()
        return try await repeatingWhenSuspended(isFollowing: false) { [self] in
            try await syncOnce(
                try await remote(name, through: transport), through: try sealing(.storage(transport), name),
                isPulling: isPulling,
                isPushing: isPushing, isFull: isFull)
        }
    }

    /// Synchronises with a remote that is reached in the given way; begins again if the store was suspended meanwhile.
    ///
    /// - Parameter isFollowing: Whether this waits for a suspended store, and does not take it up.
    func sync(
        _ remote: Remote, through access: RemoteAccess, isPulling: Bool = true, isPushing: Bool = true,
        isFull: Bool = false, isFollowing: Bool = false
    ) async throws -> SyncSummary {
        try await repeatingWhenSuspended(isFollowing: isFollowing) { [self] in
            try await syncOnce(
                remote, through: access, isPulling: isPulling, isPushing: isPushing, isFull: isFull)
        }
    }

    private func syncOnce(
        _ remote: Remote, through access: RemoteAccess, isPulling: Bool, isPushing: Bool, isFull: Bool
    ) async throws -> SyncSummary {
        try await exchange(with: remote) { summary in
            switch access {
            case .storage(let transport):
                do {
                    try await runPass(
                        at: transport, &summary, isPulling: isPulling, isPushing: isPushing, isFull: isFull)
                } catch RemoteError.otherForm(isSealed: true) {
                    // Another device of the log has sealed it.
                    guard try isSealed() else { throw RemoteError.otherForm(isSealed: true) }
                    try setOpen(false, remote: remote.name)
                    guard case .storage(let sealed) = try sealing(.storage(transport), remote.name) else { return }
                    try await runPass(
                        at: sealed, &summary, isPulling: isPulling, isPushing: isPushing, isFull: isFull)
                }
            case .device(let host, let port):
                guard isPulling, isPushing else {
                    throw StoreError(
                        .usage, "\(remote.name) is a device: synchronising with it always pushes and pulls.",
                        hint: "Instead: \(.synchroniseBothWays)")
                }
                try await components.dialer(for: remote.address).sync(self, at: host, port, &summary)
            }
        }
    }

    /// Runs `body`, which exchanges events with a remote, with everything that precedes and follows it.
    ///
    /// - Parameter isRepeatable: Whether `body` can run again, to push the fields that gave way.
    func exchange(
        with remote: Remote, isRepeatable: Bool = true, _ body: (inout SyncSummary) async throws -> Void
    ) async throws -> SyncSummary {
        try requireWritable()
        try requireSyncOn()
        var summary = SyncSummary(remote: remote)
        do {
            // Again if this device has written something because of what came: then that is pushed too.
            for _ in 0..<2 {
                try await introduce()
                let known = summary.receivedEvents
                let yielding = Yielding(
                    store: self, vector: try log.vector(), sent: try lastSent())
                try await body(&summary)
                let answer = try await answer(
                    summary.receivedEvents > known ? yielding : nil, hasNewKeys: summary.hasNewKeys)
                summary.hasNewKeys = false
                summary.yieldedFields += answer.yieldedFields
                summary.admitted += answer.admitted
                summary.refused += answer.refused
                if !answer.hasWritten || !isRepeatable { break }
            }
        } catch {
            let described = Self.describe(error, at: remote, file: files.log)
            // A cancelled pass says nothing about the remote.
            if described is CancellationError { throw described }
            try? remember(summary, failure: described)
            Subsystem.replication.logger.debug(
                "failed", metadata: ["remote": "\(remote.name)", "reason": "\(Subsystem.reason(of: described))"])
            throw described
        }
        if !summary.pending.isEmpty {
            // A later range may have come first, and what it waited for after it.
            let pending = Set(try log.pendingRanges().map(\.range))
            summary.pending.removeAll { !pending.contains($0) }
        }
        try remember(summary, failure: nil)
        Subsystem.replication.logger.debug(
            "synchronised",
            metadata: [
                "remote": "\(remote.name)", "received": "\(summary.receivedEvents)", "sent": "\(summary.sentEvents)",
            ])
        try noteReturned()
        return summary
    }

    /// What this device has written because of what came.
    private struct Answer {
        var yieldedFields = 0
        var admitted: [ReplicaID] = []
        var refused: [ReplicaID] = []
        var hasWritten = false
    }

    /// Lets fields give way to what came, ends invitations that were used, and shares keys that others may not have.
    private func answer(_ yielding: Yielding?, hasNewKeys: Bool) async throws -> Answer {
        var answer = Answer()
        let last = try lastOwn()
        if let yielding { answer.yieldedFields = try await yielding.run() }
        (answer.admitted, answer.refused) = try await endInvitations()
        // If no key can be made now, the next sync makes one, or says why not.
        if hasNewKeys { _ = try? await writingKey() }
        answer.hasWritten = try lastOwn() != last
        return answer
    }

    private func runPass(
        at transport: any Transport, _ summary: inout SyncSummary, isPulling: Bool, isPushing: Bool, isFull: Bool
    ) async throws {
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        let name = summary.remote.name
        let lock = try await PassLock.taken(for: summary.remote, in: files)
        defer { withExtendedLifetime(lock) {} }
        // Another program may have sealed or opened what lies there, while this one waited. To pull, each form will do.
        let transport = isPushing ? try inPresentForm(transport, name) : transport
        // Again, as a new replica, if this store turns out to be an earlier state of itself.
        for _ in 0..<2 {
            try await introduce()
            let identity = writer.identity
            let storeLog = StoreLog(store: self)
            let beginning = try log.checksum(at: 1)
            var pass = SyncPass(
                storeLog, as: identity, at: transport, cache: files.readCache(of: name),
                abandoned: { try self.abandonedStores() }, now: surroundings.now)
            defer { summary.add(pass.report) }
            pass.didCommit = { [self] cache in
                // The first pass may take long, and is worth resuming if it is killed.
                if cache.lastFullPass == 0 { try keep(cache, of: name, ifBeginningIs: beginning) }
            }
            do {
                try await pass.run(isPulling: isPulling, isPushing: isPushing, isFull: isFull)
                try storeLog.fill()
            } catch {
                // If the remote cache cannot be written either, as on a full disk, that must not hide the first
                // error.
                try? keep(pass.cache, of: name, ifBeginningIs: beginning)
                throw error
            }
            try keep(pass.cache, of: name, ifBeginningIs: beginning)
            if let sealed = transport as? SealedTransport, try keep(sealed.foundKeys) { summary.hasNewKeys = true }
            guard pass.report.received.isOfOwn(identity.replica) else {
                guard isPushing else { break }
                if let sealed = transport as? SealedTransport { try await placeInvitations(at: sealed, name) }
                summary.leftSnapshot = try await leaveSnapshot(
                    at: transport, name, having: pass.cache.vector, as: identity)
                break
            }
            try await introduce()
            summary.newReplica = writer.replica
        }
    }

    /// Returns a remote of a sealed log sealed or open, as it is now.
    private func inPresentForm(_ transport: any Transport, _ remote: String) throws -> any Transport {
        guard try isSealed() else { return transport }
        let isSealedThere = try isSealed(remote: remote)
        if let sealed = transport as? SealedTransport { return isSealedThere ? sealed : sealed.storage }
        return isSealedThere ? try sealed(transport, for: remote) : transport
    }

    /// Keeps what a pass has learnt of a remote, unless another program has cleared the log meanwhile: then nothing of what
    /// the pass pulled is in it, and the next one has to read everything again.
    ///
    /// - Parameter beginning: The checksum of the first event of the log before the pass.
    package func keep(_ cache: RemoteCache, of remote: String, ifBeginningIs beginning: UInt32?) throws {
        let isSame = try log.checksum(at: 1) == beginning
        try files.write(isSame ? cache : RemoteCache(), of: remote)
    }

    package func requireSyncOn() throws {
        try requireWhole()
        guard try !isSyncOff() else {
            throw StoreError(
                .syncOff, "Synchronising is switched off on this device.",
                hint: "Nothing is lost meanwhile. To switch it on: \(.switchSyncOn)")
        }
    }

    /// Returns an error of a remote as one of the store.
    ///
    /// - Parameter file: The path of the store's log, which any other error concerns: a full disk, damage.
    package static func describe(_ error: any Error, at remote: Remote, file: String) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as TransportError: failure(error, at: remote)
        case let error as ConnectionError:
            Task.isCancelled ? CancellationError() : StoreError(error, at: remote.address)
        case RemoteError.otherLog(let log):
            StoreError(
                .exists, "There is a different log at \(remote.address): \(log.short).",
                hint: "Nothing was pulled or pushed. Use another folder.")
        case RemoteError.otherForm(isSealed: true):
            StoreError(
                .notPermitted, "What lies at \(remote.address) is sealed, and this device has no key for it.",
                hint: "Use the passphrase or the recovery phrase: \(.acceptSeal(remote.name)).",
                cause: RemoteError.otherForm(isSealed: true))
        case RemoteError.otherForm(isSealed: false):
            StoreError(
                .notPermitted, "What lies at \(remote.address) is open, and should be sealed.",
                hint: """
                    Nothing was pushed. To delete what is open there: \(.sealRemote(remote.name)). To leave it open: \
                    \(.unsealRemote(remote.name)).
                    """,
                cause: RemoteError.otherForm(isSealed: false))
        case RemoteError.notReady:
            StoreError(
                .unreachable,
                "The log at \(remote.address) is not ready yet: its file groundwave-log is empty or cut short.",
                hint: "A device of the log writes it again when it pushes: \(.synchronise). Then try again.",
                cause: RemoteError.notReady)
        case RemoteError.notARemote:
            StoreError(
                .damaged, "The data at \(remote.address) is not from groundwave.",
                hint: "Nothing was pulled or pushed. Use another folder.")
        default: StoreError.translating(error, file: file) ?? error
        }
    }

    /// Returns the vector of what is at any remote, according to the remote caches.
    func sentVector() throws -> VersionVector {
        var vector = VersionVector()
        for remote in try remotes() { vector.join(files.readCache(of: remote.name).vector) }
        return vector
    }

    /// Returns the last event of this device.
    private func lastOwn() throws -> EventID? { try replica.map { EventID($0, try log.vector()[$0]) } }

    /// Returns the last event of this device that is at any remote.
    private func lastSent() throws -> EventID {
        guard let replica else { preconditionFailure("A store that can be written has a replica.") }
        return EventID(replica, try sentVector()[replica])
    }

    /// Records the result of a sync pass, for `sync status`.
    package func remember(_ summary: SyncSummary, failure: (any Error)?) throws {
        let now = surroundings.now().wallMilliseconds
        try syncFile.update { file in
            guard file.remotes[summary.remote.name] != nil else { return false }
            var standing = file.standings[summary.remote.name] ?? SyncFile.Standing()
            standing.lastTry = now
            standing.failure = failure.map { ($0 as? StoreError)?.message ?? "\($0)" }
            if failure == nil {
                standing.lastSuccess = now
                standing.quarantined = Dictionary(
                    uniqueKeysWithValues: summary.quarantined.map { ("\($0.key)", $0.value) })
                standing.strangers = Dictionary(
                    uniqueKeysWithValues: summary.strangers.map { ("\($0.key)", $0.value) })
            }
            if summary.wasEmptied {
                standing.emptied = now
                if summary.leftSnapshot == nil { standing.snapshot = nil }
            }
            file.standings[summary.remote.name] = standing
            return true
        }
    }

    /// Does what follows the arrival of data from elsewhere, and finishes erasures that arrived.
    ///
    /// - Parameter count: The number of events appended. Each manifest states the root of every tree, so new events
    ///   are hashed once now, and not for each manifest.
    func eventsCame(_ count: Int = 0) {
        // Errors of the views are repaired by the next read.
        try? followUp.run(appended: count)
        writer?.finishErasing()
    }
}

extension SyncSummary {
    mutating func add(_ report: SyncPassReport) {
        sentEvents += report.sentEvents
        sentBytes += report.sentBytes
        receivedEvents += report.received.newCount
        returnedEvents += report.received.returnedCount
        receivedBytes += report.receivedBytes
        pending += report.received.pending
        quarantined.merge(report.quarantined) { $1 }
        strangers.merge(report.strangers) { $1 }
        wasEmptied = wasEmptied || report.wasEmptied
    }
}

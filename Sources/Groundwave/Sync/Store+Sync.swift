import Connections
import EventLog
import Events
import Replication

/// What came of synchronising with one remote.
public struct SyncSummary: Hashable, Sendable {
    /// Which remote.
    public let remote: Remote
    /// Events that were left there.
    public var sentEvents: UInt64 = 0
    /// Bytes that were left there.
    public var sentBytes = 0
    /// Events that came and are new here, or had been lost.
    public var receivedEvents = 0
    /// How many of these had been lost here with a damaged file.
    public var returnedEvents = 0
    /// Bytes that were taken.
    public var receivedBytes = 0
    /// Ranges that came before the ones they follow, and wait.
    public var waiting: [EventRange] = []
    /// What could not be believed or read, by the store that left it.
    public var quarantined: [ReplicaID: String] = [:]
    /// Whether the place had lost what it had: it was filled again.
    public var wasEmptied = false
    /// Fields of which an unsent local write gave way to one that came, where their policy is `yields`.
    public var yieldedFields = 0
    /// The replica that this device goes on as, where the place knew events of its own that it had not.
    public var newReplica: ReplicaID?
}

extension Store {
    /// Takes what others have left at a remote, and leaves what is not there yet; with a device that is talked with, until
    /// both have said all they have.
    ///
    /// What came is in the log, durably, and shows in the next read. Each step is safe to break off; the next call goes
    /// on. Whatever the place holds or has lost, nothing is taken away here.
    ///
    /// - Parameters:
    ///   - remote: Where.
    ///   - isPulling: Whether to take.
    ///   - isPushing: Whether to leave.
    ///   - isFull: Whether to look at everything, as is done once a day at least.
    /// - Throws: ``StoreError`` with code `unreachable` where the place cannot be reached; `syncOff` where the user has
    ///   switched it off; `exists` where another log lies there. What was done before it stays done.
    /// - Complexity: A request for each other device where there is nothing to do.
    @discardableResult
    public func sync(
        _ remote: Remote, isPulling: Bool = true, isPushing: Bool = true, isFull: Bool = false
    ) async throws -> SyncSummary {
        try requireWritable()
        try requireSyncOn()
        var summary = SyncSummary(remote: remote)
        do {
            // Once more where something gave way: then that is left there too.
            for _ in 0..<2 {
                try await introduce()
                let known = summary.receivedEvents
                let yielding = Yielding(
                    store: self, vector: try log.vector(), sent: try lastSent())
                switch remote.address {
                case .folder(let url):
                    try await exchange(
                        at: FolderTransport(url), &summary, isPulling: isPulling, isPushing: isPushing, isFull: isFull)
                case .host(let name, let port):
                    guard isPulling, isPushing else {
                        throw StoreError(
                            .usage, "\(remote.name) is a device: synchronising with it always pushes and pulls.",
                            hint: "Leave out --push and --pull.")
                    }
                    try await converse(name, port, &summary)
                }
                let count = summary.receivedEvents > known ? try await yielding.run() : 0
                if count == 0 { break }
                summary.yieldedFields += count
            }
        } catch {
            let described = Self.describe(error, at: remote, file: files.log)
            try? remember(summary, failure: described)
            throw described
        }
        try remember(summary, failure: nil)
        try noteReturned()
        return summary
    }

    private func exchange(
        at transport: any Transport, _ summary: inout SyncSummary, isPulling: Bool, isPushing: Bool, isFull: Bool
    ) async throws {
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        let name = summary.remote.name
        // Twice where this store turns out to be an earlier state of itself: then under its new name.
        for _ in 0..<2 {
            try await introduce()
            let identity = writer.identity
            let storeLog = StoreLog(store: self)
            var exchange = Exchange(
                storeLog, as: identity, at: transport, notes: files.readNotes(of: name),
                now: surroundings.now)
            defer { summary.add(exchange.report) }
            do {
                try await exchange.run(isPulling: isPulling, isPushing: isPushing, isFull: isFull)
                try storeLog.fill()
            } catch {
                // A disk that has no room for the notes either has not to hide why it went wrong.
                try? files.write(exchange.notes, of: name)
                throw error
            }
            try files.write(exchange.notes, of: name)
            guard exchange.report.received.isOfOwn(identity.replica) else { break }
            try await introduce()
            summary.newReplica = writer.replica
        }
    }

    func requireSyncOn() throws {
        guard try !isSyncOff() else {
            throw StoreError(
                .syncOff, "Synchronising is switched off on this device.",
                hint: "Switch it on: groundwave sync on. Nothing is lost meanwhile.")
        }
    }

    /// An error of a place, as one of the store.
    ///
    /// - Parameter file: The store's log, which any other error is of: a full disk, damage.
    static func describe(_ error: any Error, at remote: Remote, file: String) -> any Error {
        switch error {
        case let error as TransportError: StoreError(error, at: remote.address)
        case let error as ConnectionError: StoreError(error, at: remote.address)
        case PlaceError.otherLog(let log):
            StoreError(
                .exists, "There is a different log at \(remote.address): \(log.short).",
                hint: "Nothing was pulled or pushed. Use another folder.")
        case PlaceError.notAPlace:
            StoreError(
                .damaged, "The data at \(remote.address) is not from groundwave.",
                hint: "Nothing was pulled or pushed. Use another folder.")
        default: StoreError.translating(error, file: file) ?? error
        }
    }

    /// What lies at some remote, by the notes of this device.
    func sentVector() throws -> VersionVector {
        var vector = VersionVector()
        for remote in try remotes() { vector.join(files.readNotes(of: remote.name).vector) }
        return vector
    }

    /// The last event of this device that lies at some remote.
    private func lastSent() throws -> EventID {
        guard let replica else { preconditionFailure("A store that can be written has a replica.") }
        return EventID(replica, try sentVector()[replica])
    }

    /// Writes down how it went, for `sync status`.
    func remember(_ summary: SyncSummary, failure: (any Error)?) throws {
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
            }
            if summary.wasEmptied { standing.emptied = now }
            file.standings[summary.remote.name] = standing
            return true
        }
    }

    /// Something came from elsewhere: does what follows, and finishes erases that came.
    ///
    /// - Parameter count: How many events were appended. Each statement tells the root of every tree, so what came has to
    ///   be hashed once, and not for each of them.
    func eventsCame(_ count: Int = 0) {
        // What the views cannot take now is healed by the next read.
        try? followUp.run(appended: count)
        writer?.finishErasing()
    }
}

extension SyncSummary {
    mutating func add(_ report: ExchangeReport) {
        sentEvents += report.sentEvents
        sentBytes += report.sentBytes
        receivedEvents += report.received.newCount
        returnedEvents += report.received.returnedCount
        receivedBytes += report.receivedBytes
        waiting += report.received.parked
        quarantined.merge(report.quarantined) { $1 }
        wasEmptied = wasEmptied || report.wasEmptied
    }
}

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
    /// Events that came and are new here.
    public var receivedEvents = 0
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
    /// Takes what others have left at a remote, and leaves what is not there yet.
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
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        guard try !isSyncOff() else {
            throw StoreError(
                .syncOff, "Synchronising is switched off on this device.",
                hint: "Switch it on with groundwave sync on. Nothing is lost meanwhile.")
        }
        var summary = SyncSummary(remote: remote)
        do {
            // Again where this store turns out to be an earlier state of itself: then under its new name. And where
            // something gave way: then that is left there too.
            for _ in 0..<3 {
                try await introduce()
                let identity = writer.identity
                let yielding = Yielding(
                    store: self, position: try log.lastPosition(),
                    sent: EventID(identity.replica, try sentVector()[identity.replica]))
                var exchange = Exchange(
                    StoreLog(store: self), as: identity, at: remote.address.transport(),
                    notes: files.readNotes(of: remote.name), now: surroundings.now)
                defer { summary.add(exchange.report) }
                do {
                    try await exchange.run(isPulling: isPulling, isPushing: isPushing, isFull: isFull)
                } catch {
                    try files.write(exchange.notes, of: remote.name)
                    throw error
                }
                try files.write(exchange.notes, of: remote.name)
                if exchange.report.received.isOfOwn(identity.replica) {
                    try await introduce()
                    summary.newReplica = writer.replica
                    continue
                }
                let count = exchange.report.received.appendedCount > 0 ? try await yielding.run() : 0
                if count == 0 { break }
                summary.yieldedFields += count
            }
        } catch {
            let described = Self.describe(error, at: remote)
            try remember(summary, failure: described)
            throw described
        }
        try remember(summary, failure: nil)
        return summary
    }

    /// An error of a place, as one of the store.
    static func describe(_ error: any Error, at remote: Remote) -> any Error {
        switch error {
        case let error as TransportError: StoreError(error, at: remote.address)
        case PlaceError.otherLog(let log):
            StoreError(
                .exists, "Another log lies at \(remote.address): \(log.short).",
                hint: "Nothing was taken or left. Name another folder.")
        case PlaceError.notAPlace:
            StoreError(
                .damaged, "What lies at \(remote.address) is not what groundwave leaves.",
                hint: "Nothing was taken or left. Name another folder.")
        default: error
        }
    }

    /// What lies at some remote, by the notes of this device.
    func sentVector() throws -> VersionVector {
        var vector = VersionVector()
        for remote in try remotes() { vector.join(files.readNotes(of: remote.name).vector) }
        return vector
    }

    /// Writes down how it went, for `sync status`.
    private func remember(_ summary: SyncSummary, failure: (any Error)?) throws {
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

    /// Events came from elsewhere: has them shown, finishes erases among them, and wakes whoever observes.
    func eventsCame() {
        // What the views cannot take now is healed by the next read.
        _ = try? views.catchUp()
        writer?.finishErasing()
        commits.notify()
        dueWork.ask()
    }
}

extension SyncSummary {
    mutating func add(_ report: ExchangeReport) {
        sentEvents += report.sentEvents
        sentBytes += report.sentBytes
        receivedEvents += report.received.appendedCount
        receivedBytes += report.receivedBytes
        waiting += report.received.parked
        quarantined.merge(report.quarantined) { $1 }
        wasEmptied = wasEmptied || report.wasEmptied
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveStore

extension Store {
    /// Runs a connection until both sides are caught up, and adds what it has done to `summary`, also if it fails.
    ///
    /// - Parameter code: The code with which this device has connected.
    /// - Throws: `CancellationError` if the task is cancelled; `ConnectionError`; the errors of the log.
    package func converse(
        over stream: any ByteStream, as role: SecureStream.Role?, entering code: KnownCode? = nil,
        _ summary: inout SyncSummary
    ) async throws -> ConnectionResult {
        let result = try await runConnection(over: stream, as: role, endsWhenDone: true, entering: code)
        summary.add(result.standing)
        summary.admitted += result.admitted
        summary.refused += result.refused
        try remember(result.standing.remote, at: summary.remote)
        if let failure = result.failure { throw failure }
        if !result.standing.isDone { try Task.checkCancellation() }
        return result
    }

    /// Distinguishes a finished connection and a quarantined peer from a failure that is to be tried again.
    package func judge(_ standing: ConnectionStanding, _ summary: inout SyncSummary) throws {
        let address = summary.remote.address
        switch standing.ending {
        case .quarantine(.otherLog(let log)):
            throw StoreError(
                .exists, "There is a different log at \(address): \(log.short).",
                hint: "Nothing was pulled or pushed. Use another device.")
        case .quarantine(let error):
            guard let peer = standing.remote?.store else {
                throw StoreError(
                    .damaged, "The program at \(address) is not groundwave. \(error.sentence)",
                    hint: "Nothing was pulled or pushed. Check what is at the other end.")
            }
            summary.quarantined[peer] = error.sentence
        case .close(let reason):
            if !standing.isDone { throw StoreError(endedAt: address, reason: reason) }
        case nil: throw StoreError(endedAt: address, reason: "")
        }
    }

    /// Stores the manifest of the device at a remote in the remote cache, for `sync status`.
    package func remember(_ manifest: Manifest?, at remote: Remote) throws {
        guard let manifest else { return }
        if remote.address.isOfApplication { try note(remote) }
        guard try syncFile.read().remotes[remote.name] != nil else { return }
        var cache = files.readCache(of: remote.name)
        cache.record(manifest)
        try files.write(cache, of: remote.name)
    }
}

extension SyncSummary {
    /// Adds what a connection has done.
    package mutating func add(_ standing: ConnectionStanding) {
        sentEvents += standing.traffic.sentEvents
        sentBytes += standing.traffic.sentBytes
        receivedEvents += standing.received.newCount
        returnedEvents += standing.received.returnedCount
        receivedBytes += standing.traffic.receivedBytes
        pending += standing.received.pending
    }
}

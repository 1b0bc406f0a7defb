import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveStore

/// What clearing a store removes.
public struct Clearing: Sendable {
    /// The number of records that show, by their kind.
    public let records: [String: Int]
    /// The number of events of all kinds.
    public let events: UInt64
    /// The number of events that were not just found at any remote with their values, including those of pending
    /// ranges. Clearing writes them to a bundle first.
    public let unsent: UInt64
    /// The number of these that no bundle can hold: events before them were lost here, or their author's signature is
    /// not here, so that other stores would reject them.
    public let unprovable: UInt64
    /// The path of the bundle that clearing writes; `nil` if every event was found at a remote.
    public let bundle: String?
    /// The number of snapshots, which are computed from the log and deleted with it.
    public let snapshots: Int
    /// Whether everything that others have is fetched again at once, since synchronisation is on.
    public let restores: Bool
    /// Reasons why remotes are not counted on; each begins with the name of its remote.
    public let remarks: [String]

    let elsewhere: Elsewhere
    let bundleFile: ClearingBundle
}

extension Store {
    /// Determines what ``clear(_:discarding:willDelete:)`` would remove, after pushing what can be pushed.
    ///
    /// If synchronisation is on, each remote is synchronised first. Then, in any case, everything in each folder is
    /// read: only events that were just read there, with a valid proof, count as found. What a connected device has, or
    /// a remote that only an application can open, does not count.
    ///
    /// - Parameter path: The path of the bundle; if `nil`, beside the store, under a new name.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only; `archived` if it has archived
    ///   history; `busy` while a meter is being recorded, or if a recording was interrupted and the store was opened
    ///   without the meters component. Nothing is deleted.
    /// - Complexity: O(bytes of the remotes).
    public func prepareClearing(bundle path: String? = nil) async throws -> Clearing {
        try requireClearable()
        for component in components { try await component.willClear?(self) }
        guard files.tails.isEmpty else {
            throw StoreError(
                .busy, "This store has a recording whose last samples are not in its log.",
                hint: "Open it with the meters component, which adds them. Nothing was deleted.")
        }
        try await introduce()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        let isOff = try isSyncOff()
        var (elsewhere, remarks) = (try Elsewhere(log: log), [String]())
        for remote in try remotes() {
            let clauses = await prove(remote, isOff: isOff, &elsewhere)
            remarks += clauses.map { "\(remote.name): \($0)" }
        }
        if try remotes().isEmpty { remarks = ["This device has no remote."] }
        let missing = try elsewhere.missing(signedBy: writer.identity)
        let file =
            path.map(ClearingBundle.init)
            ?? ClearingBundle(beside: url, milliseconds: surroundings.now().wallMilliseconds)
        return Clearing(
            records: try read { try $0.shownCounts() }, events: try log.vector().eventCount, unsent: missing.count,
            unprovable: missing.unprovable.count, bundle: missing.isEmpty ? nil : file.path,
            snapshots: files.snapshots.count, restores: try !isOff && !remotes().isEmpty, remarks: remarks,
            elsewhere: elsewhere, bundleFile: file)
    }

    /// Pushes what can be pushed to a remote, and reads what is there; returns the problems.
    private func prove(_ remote: Remote, isOff: Bool, _ elsewhere: inout Elsewhere) async -> [String] {
        var clauses: [String] = []
        func note(_ error: any Error) {
            let described = Self.describe(error, at: remote, file: files.log)
            let message = (described as? StoreError)?.message ?? "\(described)"
            if !clauses.contains(message) { clauses.append(message) }
        }
        if remote.address.isOfApplication {
            return ["only the application that has named it can open it: what is there is not counted"]
        }
        if !isOff { do { try await sync(remote, isFull: true) } catch { note(error) } }
        do {
            guard case .storage(let transport) = try access(to: remote) else {
                return clauses + ["it is a device, not a folder: what it has is not counted"]
            }
            if let clause = try await elsewhere.read(transport) { clauses.append(clause) }
        } catch { note(error) }
        return clauses
    }

    /// Empties this device's store. Nothing is deleted anywhere else, now or later.
    ///
    /// First, the events that were not found elsewhere are written to a bundle, which is flushed and read back. The
    /// store keeps its log ID, remotes, preferences and name. The device continues as a new replica. If
    /// synchronisation is on, the next ``sync(_:isPulling:isPushing:isFull:)`` brings back what others have; applying
    /// the bundle brings back the rest. If this is interrupted, the store is complete, or it is empty and the bundle
    /// is there.
    ///
    /// - Parameters:
    ///   - clearing: What was found elsewhere a moment ago.
    ///   - count: The number of events to discard instead of writing them to a bundle.
    ///   - willDelete: Called when the bundle is on the disk, with its path and number of events, before anything is
    ///     deleted; if it throws, nothing is deleted.
    /// - Returns: The path of the bundle; `nil` if none was needed or wanted.
    /// - Throws: ``StoreError``, and nothing was deleted: `exists` if the bundle would replace a file; the code for
    ///   the system error if it cannot be written; `busy` if the store was written to meanwhile, or if another number
    ///   of events than `count` would be discarded; `notPermitted` if no bundle can hold all of these events.
    @discardableResult
    public func clear(
        _ clearing: Clearing, discarding count: UInt64? = nil,
        willDelete: @escaping @Sendable (_ bundle: String, _ events: UInt64) throws -> Void = { _, _ in }
    ) async throws -> String? {
        try requireClearable()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        // What is discarded is in no bundle.
        let writing = count == nil ? try await bundleKey() : nil
        let cachePaths = try remotes().map { files.cachePath(of: $0.name) }
        let bundle = try await writer.exclusively { [self] in
            // Erased values must not be in the bundle.
            try erasing.finish()
            let before = try contents()
            let bundle = try save(clearing, discarding: count, as: writer.identity, sealing: writing)
            if let bundle { try willDelete(bundle.path, bundle.events) }
            let device = try replica.flatMap { try deviceNames()[$0] } ?? writer.deviceName
            // The new replica first: if the process dies in between, the store is complete, and no number is used
            // twice.
            try writer.renew()
            try log.clear(device: device) {
                // From here on, no other process writes.
                guard try contents() == before else {
                    if let bundle { unlink(bundle.path) }
                    throw StoreError(
                        .busy, "Another program has written to the store in the meantime.",
                        hint: "Nothing was deleted. Try again.")
                }
                // The remote caches record what was pulled, and all of it has to be pulled again.
                for path in cachePaths + files.snapshots { unlink(path) }
            }
            files.removeUnfinished()
            try followUp.run()
            return bundle?.path
        }
        return bundle
    }

    /// Writes the events that were not found elsewhere to the bundle; returns its path and the number of events.
    private func save(
        _ clearing: Clearing, discarding count: UInt64?, as identity: Identity,
        sealing writing: SealedTransport.Writing?
    ) throws -> (path: String, events: UInt64)? {
        let missing = try clearing.elsewhere.missing(signedBy: identity)
        if let count {
            guard count == missing.count else {
                throw StoreError(
                    .busy, "The number of events that exist nowhere else is now \(missing.count), not \(count).",
                    hint: "Nothing was deleted. Try again.")
            }
            return nil
        }
        guard missing.unprovable.isEmpty else {
            throw StoreError(
                .notPermitted,
                "\(missing.unprovable.count) of the events cannot be proven to other devices, because earlier events or "
                    + "their author's signature were lost here. No bundle can hold them.",
                hint:
                    "Nothing was deleted. Synchronise with a device that has what was lost, or \(.clearWithoutSaving).")
        }
        ClearingBundle.removeUnfinished(beside: url)
        if missing.isEmpty { return nil }
        do {
            try clearing.bundleFile.write(missing, of: self, as: identity, sealing: writing)
        } catch let error as StoreError {
            throw StoreError(
                error.code, error.message, hint: "Nothing was deleted. \(error.advice ?? "")", cause: error)
        }
        return (clearing.bundleFile.path, missing.count)
    }

    /// Returns what shows whether the log is still the one that was saved.
    private func contents() throws -> Contents {
        try Contents(last: log.lastPosition(), kept: Set(log.retainedFrames()), missing: log.missingValues())
    }

    private struct Contents: Equatable {
        let last: Position
        let kept: Set<RangeFrame>
        let missing: EventSet
    }

    private func requireClearable() throws {
        try requireWritable()
        try requireWhole()
        guard try log.base() == nil else {
            throw StoreError(
                .archived, "This store has archived history, and other devices may not have its values.",
                hint: "First \(.restoreArchive)")
        }
    }
}

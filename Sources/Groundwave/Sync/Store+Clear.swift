import EventLog
import Events
import Foundation
import Replication

/// What clearing a store takes away.
public struct Clearing: Sendable {
    /// Contacts that show.
    public let contacts: Int
    /// Events of all kinds.
    public let events: UInt64
    /// The events that no remote was just found to have, with their values; events that wait count too. Clearing puts them
    /// into a bundle first.
    public let unsent: UInt64
    /// Of these, the events that no bundle can hold: others before them were lost here, or the signature of their author is
    /// not here, so nobody else would believe them.
    public let unprovable: UInt64
    /// The bundle that clearing writes; `nil` where every event was found at a remote.
    public let bundle: String?
    /// Snapshots, which are computed from the log and go with it.
    public let snapshots: Int
    /// Whether everything that others have is fetched again at once, since synchronising is on.
    public let restores: Bool
    /// What keeps remotes from being counted on, in words: each begins with the name of its remote.
    public let remarks: [String]

    let elsewhere: Elsewhere
    let bundleFile: ClearingBundle
}

extension Store {
    /// What ``clear(_:discarding:willDelete:)`` would take away, after sending what can be sent.
    ///
    /// Where synchronising is on, each remote is synchronised with. Then, in any case, all that lies in each folder is read:
    /// only what was just read there, and proves itself, is found. What a device that is talked with has is not counted on.
    ///
    /// - Parameter path: Where the bundle is to be; beside the store, under a new name, where that is `nil`.
    /// - Throws: ``StoreError`` with code `notPermitted` where the store can only be read; `archived` where it has archived
    ///   history; `busy` while a meter is being recorded. Nothing is deleted.
    /// - Complexity: O(bytes of the remotes).
    public func prepareClearing(bundle path: String? = nil) async throws -> Clearing {
        try requireClearable()
        try await sealTails()
        if let tail = Tails.all(in: files).first(where: TailLock.isHeld) {
            throw StoreError(
                .busy, "A recording is running here: \(URL(filePath: tail).deletingPathExtension().lastPathComponent).",
                hint: "End it first. Nothing was deleted.")
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
            contacts: try read { try $0.count(.contacts) }, events: try log.vector().eventCount, unsent: missing.count,
            unprovable: missing.unprovable.count, bundle: missing.isEmpty ? nil : file.path,
            snapshots: files.snapshots.count, restores: try !isOff && !remotes().isEmpty, remarks: remarks,
            elsewhere: elsewhere, bundleFile: file)
    }

    /// Sends what can be sent to a remote, and reads what lies there; returns what was in the way.
    private func prove(_ remote: Remote, isOff: Bool, _ elsewhere: inout Elsewhere) async -> [String] {
        var clauses: [String] = []
        func note(_ error: any Error) {
            let described = Self.describe(error, at: remote, file: files.log)
            let message = (described as? StoreError)?.message ?? "\(described)"
            if !clauses.contains(message) { clauses.append(message) }
        }
        if !isOff { do { try await sync(remote, isFull: true) } catch { note(error) } }
        guard case .folder(let folder) = remote.address else {
            return clauses + ["it is a device, not a folder: what it has is not counted"]
        }
        do {
            if let clause = try await elsewhere.read(FolderTransport(folder)) { clauses.append(clause) }
        } catch { note(error) }
        return clauses
    }

    /// Empties this device's store. Nothing is deleted anywhere else, now or later.
    ///
    /// First what was not found elsewhere is put into a bundle, which is flushed and read back. The store stays one of its
    /// log; its remotes, its preferences and its name stay. The device goes on as a new replica. Where synchronising is on,
    /// the next ``sync(_:isPulling:isPushing:isFull:)`` brings back what others have; applying the bundle brings back the
    /// rest. Wherever this is interrupted, the store is whole, or empty with the bundle there.
    ///
    /// - Parameters:
    ///   - clearing: What was found elsewhere a moment ago.
    ///   - count: How many events are given up instead of being put into a bundle.
    ///   - willDelete: Called when the bundle is on the disk, with how many events it has, before anything is deleted; where
    ///     it throws, nothing is.
    /// - Returns: The path of the bundle; `nil` where none was needed or wanted.
    /// - Throws: ``StoreError``, and nothing was deleted: `exists` where the bundle would replace a file; `inputOutput` where
    ///   it cannot be written; `busy` where the store was written to meanwhile, or another number of events than `count`
    ///   would go; `notPermitted` where no bundle can hold all that would go.
    @discardableResult
    public func clear(
        _ clearing: Clearing, discarding count: UInt64? = nil,
        willDelete: @escaping @Sendable (_ bundle: String, _ events: UInt64) throws -> Void = { _, _ in }
    ) async throws -> String? {
        try requireClearable()
        guard let writer else { preconditionFailure("A store that can be written has a writer.") }
        let notes = try remotes().map { files.notes(of: $0.name) }
        let bundle = try await writer.exclusively { [self] in
            // What was erased must not be in the bundle.
            try erasing.finish()
            let before = try contents()
            let bundle = try save(clearing, discarding: count, as: writer.identity)
            if let bundle { try willDelete(bundle.path, bundle.events) }
            let device = try replica.flatMap { try deviceNames()[$0] } ?? writer.deviceName
            // First the new name: a process that dies in between leaves a store that is whole, and nothing is given twice.
            try writer.renew()
            try log.clear(device: device) {
                // Nobody writes any more from here on.
                guard try contents() == before else {
                    if let bundle { unlink(bundle.path) }
                    throw StoreError(
                        .busy, "Another program has written to the store in the meantime.",
                        hint: "Nothing was deleted. Try again.")
                }
                // Hints of what lies elsewhere say what was read, and all of it has to be read again.
                for path in notes + files.snapshots { unlink(path) }
            }
            files.removeUnfinished()
            try followUp.run()
            return bundle?.path
        }
        return bundle
    }

    /// Writes what was not found elsewhere to the bundle; returns it, and how many events it has.
    private func save(
        _ clearing: Clearing, discarding count: UInt64?, as identity: Identity
    ) throws -> (path: String, events: UInt64)? {
        let missing = try clearing.elsewhere.missing(signedBy: identity)
        if let count {
            guard count == missing.count else {
                throw StoreError(
                    .busy, "\(missing.count) events now exist nowhere else, not \(count).",
                    hint: "Nothing was deleted. Try again.")
            }
            return nil
        }
        guard missing.unprovable.isEmpty else {
            throw StoreError(
                .notPermitted,
                "\(missing.unprovable.count) events cannot be proven to other devices, because earlier events or their "
                    + "author's signature were lost here: no bundle can hold them.",
                hint: "Nothing was deleted. Synchronise with a device that has what was lost, or clear with --discard.")
        }
        ClearingBundle.removeUnfinished(beside: url)
        if missing.isEmpty { return nil }
        do {
            try clearing.bundleFile.write(missing, of: log, as: identity, now: surroundings.now())
        } catch let error as StoreError {
            throw StoreError(error.code, error.message, hint: "Nothing was deleted. \(error.hint ?? "")", cause: error)
        }
        return (clearing.bundleFile.path, missing.count)
    }

    /// What tells whether the log is still the one that was saved.
    private func contents() throws -> Contents {
        try Contents(last: log.lastPosition(), kept: Set(log.keptFrames()), lacking: log.lackingValues())
    }

    private struct Contents: Equatable {
        let last: Position
        let kept: Set<RangeFrame>
        let lacking: EventSet
    }

    private func requireClearable() throws {
        try requireWritable()
        guard try log.base() == nil else {
            throw StoreError(
                .archived, "This store has archived history, and other devices may not have its values.",
                hint: "Restore it first: groundwave archive --restore FILE")
        }
    }
}

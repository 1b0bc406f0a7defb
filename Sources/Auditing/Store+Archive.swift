import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore
import GroundwaveSyncing

extension Store {
    /// Moves the values of all events up to `point` into a file, and leaves an archive snapshot in the log, from
    /// which every fold begins. A batch that is only partly before `point` stays.
    ///
    /// The events stay, with hashes in place of their values: no digest, root, signed head or proof changes, and the
    /// views can be rebuilt at any time. A query about the time before `point` reports that it is archived, and works
    /// with the file: see ``Configuration/archives``. Bookkeeping events (devices, imports, undos) keep their values.
    ///
    /// The whole file is read back before anything leaves the log. An event records the hashes of the file and of the
    /// snapshot.
    ///
    /// - Parameters:
    ///   - path: The path of the file to create. Nothing may exist there.
    ///   - retired: Devices that need not have seen what is archived, because they will never sync again.
    ///   - isDryRun: Whether only to report what would be archived.
    /// - Throws: ``StoreError`` with code `exists` if the file exists; `usage` if nothing is left to archive, or if a
    ///   device has not seen all of it: its next events may have been written without knowledge of what is archived;
    ///   `recovering` if this is the store of a recovery.
    /// - Complexity: O(bytes of the log); the whole snapshot is in memory.
    @discardableResult
    public func archive(
        before point: Point, to path: String, retired: Set<ReplicaID> = [], isDryRun: Bool = false,
        note: String? = nil, author: String? = nil
    ) async throws -> Archived {
        guard let writer else { throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.") }
        try requireWhole()
        if FileManager.default.fileExists(atPath: path) {
            throw StoreError(.exists, "The file \(path) already exists.", hint: "Name another file.")
        }
        let vector = try describing { try log.alignedDown(resolve(point).vector) }
        // A snapshot stands for what is archived, and cannot take in later what counts then.
        let ranges = vector.entries.map { EventRange($0.replica, 1, through: $0.sequence) }
        guard try describing({ try log.roster()?.uncounted(among: ranges).isEmpty ?? true }) else {
            throw StoreError(
                .notPermitted, "Some of these events do not count: a device waits for approval, or was revoked.",
                hint: "Nothing was archived. Approve the device, or name an earlier point.")
        }
        for _ in 0..<Self.archiveAttempts {
            let content = try describing { try log.content() }
            let plan = try describing { try self.plan(vector, retired) }
            if isDryRun { return plan }
            let (file, snapshot): (ArchiveInformation, (bytes: [UInt8], hash: Hash256))
            do {
                file = try describing { try writeArchive(vector, to: path) }
                snapshot = try describing { try snapshotBytes(at: vector) }
            } catch {
                guard try describing({ try log.content() }) != content else { throw error }
                unlink(path)
                continue
            }
            var isDone = false
            if try describing({ try log.content() }) == content {
                try await write(note: note ?? "Archive", author: author) { batch in
                    try batch.append(ArchiveKind.closing(vector, file, snapshotHash: snapshot.hash, as: batch.newID()))
                }
                isDone = try await Self.describing(files) {
                    try await writer.exclusively { [self] in
                        guard try moveOut(vector, behind: snapshot.bytes, of: content) else { return false }
                        try followUp.run()
                        return true
                    }
                }
            }
            if isDone {
                var done = plan
                done.fileBytes = file.byteCount
                done.logBytes = try logBytes()
                return done
            }
            // File and snapshot may have values that are erased by now, or lack some that came late.
            unlink(path)
        }
        throw StoreError(
            .busy, "Other programs keep rewriting the log of \(url.path).",
            hint: "Nothing was archived. Try again."
        )
    }

    /// How often an archive is made again because another program has rewritten the log meanwhile.
    private static let archiveAttempts = 4

    /// Takes the values out of the log, if it still has `content` and no erase is pending; returns whether it did. Called on
    /// the writer's queue.
    private func moveOut(
        _ vector: VersionVector, behind snapshot: [UInt8], of content: LogContent
    ) throws -> Bool {
        for _ in 0..<Self.archiveAttempts {
            try views.catchUp()
            // An erase that another program has appended: it changes the content.
            try erasing.finish()
            let position = try views.read { $0.position }
            try views.synchronise()
            do {
                try log.archive(vector, keeping: Self.keptInLog, behind: snapshot) {
                    guard try log.content() == content else { throw LogMoved.rewritten }
                    guard try log.lastPosition() == position else { throw LogMoved.appended }
                }
                return true
            } catch LogMoved.rewritten { return false } catch LogMoved.appended {}
        }
        return false
    }

    /// What another program did to the log meanwhile.
    private enum LogMoved: Error {
        case rewritten
        /// There are events that were not searched for erases yet.
        case appended
    }

    /// Restores archived values to the log, which then has every value again, as if nothing had been archived.
    ///
    /// - Parameter paths: The files of all archives that were made of this log and not restored yet.
    /// - Throws: ``StoreError`` with code `usage` if nothing is archived, `archived` if an event is in none of the
    ///   files, `damaged` if a file is not what was written. Then nothing has changed.
    /// - Complexity: O(bytes of the log).
    public func restoreArchives(_ paths: [String]) async throws {
        guard let writer else { throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.") }
        try await Self.describing(files) {
            guard try log.base() != nil else {
                throw StoreError(.usage, "The log in \(files.folder.path) has no archived events.")
            }
            try await writer.exclusively { [self] in
                var archives = try Archives(paths, of: log.id)
                try archives.verify()
                try views.synchronise()
                try log.restore { try archives.frame(of: $0) }
                try followUp.run()
            }
        }
    }

    /// Returns the size of the log's file in bytes.
    ///
    /// - Throws: ``StoreError`` if the file cannot be looked at.
    public func logBytes() throws -> Int { try describing { try log.fileSizeBytes() } }

    /// Kinds whose events keep their values: without them, the device behind an event would be unknown, and no import
    /// could be undone.
    private static let keptKinds = RevertKind.bookkeeping

    private static let keptInLog: @Sendable (Frame, RawSpan) -> Bool = { frame, bytes in
        let shape = bytes.extracting(frame.shape)
        // Events that this version cannot read keep their values.
        guard let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        else {
            return true
        }
        return keptKinds.contains(String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self))
    }

    /// Returns what archiving `vector` would do.
    private func plan(_ vector: VersionVector, _ retired: Set<ReplicaID>) throws -> Archived {
        let before = try log.base()?.vector ?? VersionVector()
        guard vector.covers(before) else {
            throw StoreError(.usage, "The log is already archived beyond that point.", hint: "Name a later point.")
        }
        for other in try seen(except: retired) {
            let unseen = vector.ranges(missingFrom: other.vector).filter { $0.replica != other.replica }
            guard unseen.isEmpty else {
                throw StoreError(
                    .usage,
                    "The device \(try deviceName(other.replica)) may not have all of these events yet.",
                    hint: """
                        Choose an earlier point, or synchronise with the device first. If it will never sync again, \
                        \(.excludeDevice(other.replica.short)).
                        """)
            }
        }
        var count = 0
        for range in vector.ranges(missingFrom: before) {
            try log.scan(range) { _, frame, bytes in
                if !frame.isWithheld, !Self.keptInLog(frame, bytes) { count += 1 }
                return true
            }
        }
        guard count > 0 else {
            throw StoreError(.usage, "There is nothing to archive before that point.", hint: "Name a later point.")
        }
        let bytes = try log.fileSizeBytes()
        return Archived(vector: vector, eventCount: count, logBytesBefore: bytes, logBytes: bytes)
    }

    /// Returns what the other devices have seen, in order of replica: from the heads that the last event of each had
    /// observed, and from its manifests at remotes.
    package func seen(except retired: Set<ReplicaID>) throws -> [(replica: ReplicaID, vector: VersionVector)] {
        let manifests = try manifests()
        let retired = try retired.union(formerReplicas().values)
        return try log.vector().entries.filter { $0.replica != replica && !retired.contains($0.replica) }.map { entry in
            var seen = try log.context(of: EventID(entry.replica, entry.sequence)) ?? VersionVector()
            for manifest in manifests[entry.replica] ?? [] { seen.join(manifest.vector) }
            return (entry.replica, seen)
        }
    }

    func deviceName(_ id: ReplicaID) throws -> String {
        let record = try record(ReplicaKind.name, RecordID(high: id.high, low: id.low))
        let name = record.flatMap { ReplicaKind.schema.value(of: "DEVICE", in: $0) }
        return name.map { "\(String(decoding: $0, as: UTF8.self)) (\(id.short))" } ?? id.short
    }

    private func writeArchive(_ vector: VersionVector, to path: String) throws -> ArchiveInformation {
        let file = GrowingFile(try AtomicFile(path, permissions: 0o600))
        let information = try Archive.write(
            vector, of: log, created: surroundings.now().wallMilliseconds, keeping: Self.keptInLog, to: file.write)
        try file.finish()
        let reader = try ArchiveReader(path)
        try reader.verify()
        guard reader.information == information else { throw ArchiveError.damaged("what was written") }
        return information
    }

    private func snapshotBytes(at vector: VersionVector) throws -> (bytes: [UInt8], hash: Hash256) {
        let folder = try ScratchFolder()
        for _ in 0..<5 {
            let past = try PastViews(
                of: views, EventFilter(vector), temporaryPath: folder.path(of: "views.mdb"), snapshots: files.snapshots)
            let collected = Collected()
            let now = surroundings.now().wallMilliseconds
            if let information = try Snapshot.write(of: past, created: now, to: { collected.bytes += $0 }) {
                return (collected.bytes, information.hash)
            }
        }
        throw StoreError(.busy, "Other programs keep rebuilding the views of \(url.path).", hint: "Try again later.")
    }
}

/// Bytes that a closure can append to.
private final class Collected {
    var bytes: [UInt8] = []
}

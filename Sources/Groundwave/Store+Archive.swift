import EventLog
import Events
import Foundation
import Projections
import Records

extension Store {
    /// Moves the values of all events up to `point` to a file, and leaves in the log a snapshot that every fold begins
    /// with.
    ///
    /// The events stay, with their hashes in the place of the values: no digest, root, signed head or proof changes, and
    /// the views can be built anew at any time. Whoever asks what took place before `point` is told that it is archived,
    /// and can ask with the file: ``Configuration/archives``. What keeps the books (devices, imports, undos) stays.
    ///
    /// The file is read back as a whole before anything leaves the log. Its hash and that of the snapshot are said by an
    /// event.
    ///
    /// - Parameters:
    ///   - path: Where the file is made. Nothing may be there.
    ///   - gone: Devices that need not have seen what is archived, since they will never be heard of again.
    ///   - isDryRun: Only tells what would go.
    /// - Throws: ``StoreError`` with code `exists` where the file is there; `usage` where nothing is left to archive, or a
    ///   device has not seen all of it: one that is still to be heard of may have written to what it had not seen.
    /// - Complexity: O(bytes of the log); the snapshot is in memory as a whole.
    @discardableResult
    public func archive(
        before point: Point, to path: String, gone: Set<ReplicaID> = [], isDryRun: Bool = false,
        note: String? = nil, author: String? = nil
    ) async throws -> Archived {
        guard let writer else { throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.") }
        if FileManager.default.fileExists(atPath: path) {
            throw StoreError(.exists, "The file \(path) already exists.", hint: "Name another file.")
        }
        let vector = try resolve(point).vector
        let plan = try describing { try self.plan(vector, gone) }
        if isDryRun { return plan }
        let file = try describing { try writeArchive(vector, to: path) }
        let snapshot = try describing { try snapshotBytes(at: vector) }
        let kept = Self.keptInLog
        try await write(note: note ?? "Archive", author: author) { batch in
            try batch.append(ArchiveKind.closing(vector, file, snapshotHash: snapshot.hash, as: batch.newID()))
        }
        return try await Self.describing(files) {
            try await writer.exclusively { [self] in
                try views.catchUp()
                try views.synchronise()
                try log.archive(vector, keeping: kept, behind: snapshot.bytes)
                try followUp.run()
            }
            var done = plan
            done.fileBytes = file.byteCount
            done.logBytes = try log.fileSizeBytes()
            return done
        }
    }

    /// Takes archives back into the log: it has every value again, as if nothing had been archived.
    ///
    /// - Parameter paths: The files of all archives that were made of this log and were not taken back.
    /// - Throws: ``StoreError`` with code `usage` where nothing is archived, `archived` where an event is in none of the
    ///   files, `damaged` where a file is not what was written. Then nothing has changed.
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

    /// Bytes of the log's file.
    public func logBytes() throws -> Int { try describing { try log.fileSizeBytes() } }

    /// Kinds whose events keep their values: without them nobody could say whose events there are, or undo an import.
    private static let keptKinds = RevertKind.bookkeeping

    private static let keptInLog: @Sendable (Frame, RawSpan) -> Bool = { frame, bytes in
        let shape = bytes.extracting(frame.shape)
        // What this version cannot read stays where it is.
        guard let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        else {
            return true
        }
        return keptKinds.contains(String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self))
    }

    /// What archiving `vector` would do.
    private func plan(_ vector: VersionVector, _ gone: Set<ReplicaID>) throws -> Archived {
        let before = try log.base()?.vector ?? VersionVector()
        guard vector.covers(before) else {
            throw StoreError(.usage, "The log is already archived beyond that point.", hint: "Name a later point.")
        }
        for other in try seen(except: gone) {
            let unseen = vector.ranges(missingFrom: other.vector).filter { $0.replica != other.replica }
            guard unseen.isEmpty else {
                throw StoreError(
                    .usage,
                    "The device \(try deviceName(other.replica)) is not known to have all of these events yet.",
                    hint: """
                        Choose an earlier point, or synchronise with the device first. If it will never sync again: \
                        --gone \
                        \(other.replica.short)
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

    /// What the other devices have seen, in order of replica: by what the last event of each had observed, and by what it
    /// said at a remote.
    func seen(except gone: Set<ReplicaID>) throws -> [(replica: ReplicaID, vector: VersionVector)] {
        let said = try statements()
        let gone = try gone.union(formerReplicas().values)
        return try log.vector().entries.filter { $0.replica != replica && !gone.contains($0.replica) }.map { entry in
            var seen = try log.context(of: EventID(entry.replica, entry.sequence)) ?? VersionVector()
            for statement in said[entry.replica] ?? [] { seen.join(statement.vector) }
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
            let past = PastViews(
                of: views, EventFilter(vector), scratchPath: folder.path(of: "views.mdb"), snapshots: files.snapshots)
            let collected = Collected()
            let now = surroundings.now().wallMilliseconds
            if let information = try Snapshot.write(of: past, created: now, to: { collected.bytes += $0 }) {
                return (collected.bytes, information.hash)
            }
        }
        throw StoreError(.busy, "The views of \(url.path) are being rebuilt again and again.", hint: "Try again later.")
    }
}

/// Bytes that grow piece by piece, for a closure.
private final class Collected {
    var bytes: [UInt8] = []
}

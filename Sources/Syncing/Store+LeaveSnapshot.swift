import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveReplication
import GroundwaveStore

extension SyncFile {
    /// The newest snapshot that was found or left at a remote.
    package struct KnownSnapshot: Codable, Hashable {
        /// When it was made: milliseconds since 1970.
        var created: Int64
        /// The hash of its vector, in hexadecimal.
        var vector: String

        init(_ head: PlacedSnapshotHead) {
            created = head.created
            vector = Self.text(head.vector)
        }

        /// Returns the hash of a vector, in hexadecimal.
        static func text(_ vector: VersionVector) -> String {
            var writer = ByteWriter(capacity: 24 * vector.entries.count)
            for entry in vector.entries {
                writer.append(entry.replica)
                writer.append(littleEndian: entry.sequence)
            }
            return "\(writer.withSpan { Hash256(hashing: $0) })"
        }
    }
}

extension Store {
    /// Leaves a snapshot at a remote, if the log's engine is `journal` and one is due, and deletes those that are not kept.
    ///
    /// Whether one is due is asked of the remote only once this device knows of none that is newer than six hours. Only what
    /// is at the remote is in it, so that no new device sees what it does not get.
    ///
    /// - Parameter vector: The events at the remote.
    /// - Returns: The snapshot; `nil` if none was due, or if none can be made now.
    /// - Throws: ``TransportError``; ``StoreError`` if the state of this device cannot be read or written;
    ///   `CancellationError`. What was sent stays, and the next pass goes on there.
    func leaveSnapshot(
        at transport: any Transport, _ remote: String, having vector: VersionVector, as identity: Identity
    ) async throws -> SnapshotInformation? {
        // A device that joins leaves none: its first sync afterwards does, if one is due.
        guard try syncEngine() == .journal, try Joining.address(in: files) == nil else { return nil }
        let (now, present) = (surroundings.now().wallMilliseconds, try log.vector())
        func isDue(_ newest: SyncFile.KnownSnapshot?) -> Bool {
            PlacedSnapshotRule.isDue(
                newest: newest.map { ($0.created, $0.vector == SyncFile.KnownSnapshot.text(present)) }, vector: present,
                now: now)
        }
        guard isDue(try syncFile.read().standings[remote]?.snapshot) else { return nil }
        let placed = PlacedSnapshots(of: log.id, at: transport)
        let newest = try await placed.newest(now: now)
        try note(newest.map(SyncFile.KnownSnapshot.init), at: remote)
        guard isDue(newest.map(SyncFile.KnownSnapshot.init)) else { return nil }
        guard let file = try await snapshotToLeave(placed, having: vector, beyond: newest?.vector, now: now) else {
            return nil
        }
        let erased = try log.erased()
        do {
            let sent = try await placed.leave(
                file.head, signedBy: identity, mayFinish: { try log.erased() == erased }, part: file.part)
            guard sent != nil else { return nil }
        } catch PlacedSnapshotError.changedHere {
            // Values were erased from it, or it was pruned.
            return nil
        }
        try note(SyncFile.KnownSnapshot(file.head), at: remote)
        do { try await placed.prune(now: now) } catch let error as TransportError {
            try Task.checkCancellation()
            // Keys that may not delete are enough for synchronising. The next one tries again.
            Subsystem.replication.logger.debug("older snapshots were not deleted", metadata: ["reason": "\(error)"])
        }
        Subsystem.replication.logger.debug(
            "left a snapshot", metadata: ["remote": "\(remote)", "bytes": "\(file.head.byteCount)"])
        return file.information
    }

    /// Records the newest snapshot at a remote; `nil` if there is none.
    private func note(_ snapshot: SyncFile.KnownSnapshot?, at remote: String) throws {
        try syncFile.update { file in
            guard file.remotes[remote] != nil, file.standings[remote]?.snapshot != snapshot else { return false }
            file.standings[remote, default: SyncFile.Standing()].snapshot = snapshot
            return true
        }
    }

    /// Returns the snapshot to leave at a remote: one whose upload was interrupted, one that was made within the hour, or a
    /// new one.
    ///
    /// - Returns: `nil` if none can be made now, or if it would have events that are not at the remote yet.
    private func snapshotToLeave(
        _ placed: PlacedSnapshots, having vector: VersionVector, beyond newest: VersionVector?, now: Int64
    ) async throws -> SnapshotFile? {
        let begun = try await placed.parts()
        let known = snapshots().filter { snapshot in
            guard let information = snapshot.information, vector.covers(information.vector) else { return false }
            let (age, overflow) = now.subtractingReportingOverflow(information.created)
            let name = PlacedSnapshotName(created: information.created, hash: information.hash)
            let isBegun = name.map { begun[$0] != nil } ?? false
            let limit = isBegun ? PlacedSnapshotRule.dueMilliseconds : Self.freshMilliseconds
            return !overflow && (0..<limit).contains(age) && information.vector != newest
        }
        for snapshot in known.reversed() {
            if let file = try? snapshotFile(snapshot.file) { return file }
        }
        guard vector.covers(try log.vector()) else { return nil }
        do {
            let made = try createSnapshot()
            guard vector.covers(made.vector), let name = snapshots().last(where: { $0.information?.id == made.id })
            else { return nil }
            return try snapshotFile(name.file)
        } catch {
            Subsystem.replication.logger.warning(
                "no snapshot can be left", metadata: ["reason": "\(Subsystem.reason(of: error))"])
            return nil
        }
    }

    private func snapshotFile(_ name: String) throws -> SnapshotFile {
        let path = files.snapshotFolder.appending(path: name).path
        guard try Snapshot.isCurrent(at: path, of: log) else { throw PlacedSnapshotError.otherVersion }
        return try SnapshotFile(path)
    }

    /// The age up to which a snapshot that is here already is left, in milliseconds: one hour.
    private static let freshMilliseconds: Int64 = 3_600_000
}

/// A snapshot of this store, to be left at a remote.
private struct SnapshotFile {
    let head: PlacedSnapshotHead
    let information: SnapshotInformation
    private let path: String

    /// Opens the file at `path`. Reads all of it once.
    init(_ path: String) throws {
        let information = try Snapshot.information(at: path)
        let count = PlacedSnapshotHead.partCount(information.byteCount)
        let hashes = try (1...max(1, count)).map { number in
            try Self.part(number, at: path).withSpan { Hash256(hashing: $0) }
        }
        guard
            let head = PlacedSnapshotHead(
                log: information.log, created: information.created, layout: Snapshot.layout, vector: information.vector,
                byteCount: information.byteCount, hash: information.hash, parts: hashes)
        else { throw PlacedSnapshotError.tooLarge }
        (self.head, self.information, self.path) = (head, information, path)
    }

    func part(_ number: Int) throws -> [UInt8] { try Self.part(number, at: path) }

    private static func part(_ number: Int, at path: String) throws -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else { throw PlacedSnapshotError.changedHere }
        try file.seek(toOffset: UInt64((number - 1) * PlacedSnapshotHead.partBytes))
        return [UInt8](try file.read(upToCount: PlacedSnapshotHead.partBytes) ?? Data())
    }
}

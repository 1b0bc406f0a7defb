import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections

/// A snapshot file of a store, which may be unusable.
public struct StoredSnapshot: Sendable {
    /// The name of its file.
    public let file: String
    /// What the snapshot contains; `nil` if it cannot be used.
    public let information: SnapshotInformation?
    /// Why it cannot be used; `nil` if it can.
    public let trouble: String?
}

extension Store {
    /// Returns the snapshots, oldest first. Cost: a few small reads for each. Damage behind their first bytes is
    /// found only by ``verifySnapshot(_:)``.
    public func snapshots() -> [StoredSnapshot] {
        files.snapshots.map { path in
            let name = URL(filePath: path).lastPathComponent
            do {
                return StoredSnapshot(file: name, information: try Snapshot.information(at: path), trouble: nil)
            } catch {
                return StoredSnapshot(file: name, information: nil, trouble: Self.words(for: error))
            }
        }
    }

    /// Writes a snapshot of the present store to a temporary file and renames it.
    ///
    /// Others may write meanwhile; their writes are not in it.
    ///
    /// - Throws: ``StoreError``; then no snapshot was made.
    /// - Complexity: O(records), about 4 us each.
    public func createSnapshot() throws -> SnapshotInformation {
        try describing {
            guard !isReadOnly else {
                throw StoreError(.notPermitted, "The store \(url.path) is read-only.")
            }
            try catchUpForReading()
            try FileManager.default.createDirectory(
                at: files.snapshotFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let now = surroundings.now().wallMilliseconds
            // Starts again if meanwhile the views were rebuilt, values erased or the store cleared.
            for _ in 0..<5 {
                let erased = try log.erased()
                let vector = try log.alignedDown(log.vector())
                let folder = try ScratchFolder()
                let past = try PastViews(of: views, EventFilter(vector), temporaryPath: folder.path(of: "views.mdb"))
                let name = "\(UTCText.compact(milliseconds: now))-\(vector.eventCount).snapshot"
                let file = GrowingFile(
                    try AtomicFile(files.snapshotFolder.appending(path: name).path, permissions: 0o600))
                if let information = try Snapshot.write(of: past, created: now, to: file.write),
                    try log.withWriterLock({
                        guard try log.erased() == erased, try log.vector().covers(vector) else { return false }
                        try file.finish()
                        return true
                    })
                {
                    Subsystem.store.logger.debug(
                        "wrote a snapshot", metadata: ["id": "\(information.id)", "bytes": "\(information.byteCount)"])
                    return information
                }
            }
            throw StoreError(
                .busy, "Other programs keep rebuilding the views of \(url.path).", hint: "Try again later.")
        }
    }

    /// Reads a whole snapshot, and throws if any byte differs from what was written.
    ///
    /// - Throws: ``StoreError`` with code `damaged`, or `notFound` if there is none of that name.
    public func verifySnapshot(_ file: String) throws -> SnapshotInformation {
        let path = files.snapshotFolder.appending(path: URL(filePath: file).lastPathComponent).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.notFound, "There is no snapshot \(file).")
        }
        do { return try Snapshot.verify(at: path) } catch {
            throw StoreError(
                .damaged, "The snapshot \(file) is \(Self.words(for: error)).",
                hint: "Delete it: replays then start earlier, and nothing is lost.", cause: error)
        }
    }

    /// Deletes the snapshots that are not worth their bytes: at most 24 stay, spread over the history, the
    /// newest always. Unusable ones stay.
    ///
    /// - Parameter isDryRun: Whether only to return them.
    /// - Throws: ``StoreError`` for the system error if a file cannot be removed; those before it are gone.
    public func pruneSnapshots(isDryRun: Bool = false) throws -> [StoredSnapshot] {
        try describing {
            let all = snapshots()
            let dropped = Set(
                SnapshotRule.superfluous(all.compactMap(\.information), logBytes: try log.fileSizeBytes()).map(\.id))
            let superfluous = all.filter { $0.information.map { dropped.contains($0.id) } ?? false }
            if !isDryRun {
                for snapshot in superfluous {
                    try FileManager.default.removeItem(at: files.snapshotFolder.appending(path: snapshot.file))
                }
            }
            return superfluous
        }
    }

    /// Returns what is wrong with a snapshot, in words that continue “is …”.
    package static func words(for error: any Error) -> String {
        switch error {
        case SnapshotError.notASnapshot: "not a snapshot"
        case SnapshotError.damaged(let what): "damaged: \(what)"
        case SnapshotError.otherVersion: "from another version of this program"
        case SnapshotError.otherHistory: "from another log, or from another history of this log"
        default: "not readable: \(error)"
        }
    }
}

import EventLog
import Events
import Foundation
import Projections

/// A snapshot of a store, or what is left of one.
public struct StoredSnapshot: Sendable {
    /// The name of its file.
    public let file: String
    /// What it is; `nil` where it cannot be used.
    public let information: SnapshotInformation?
    /// Why it cannot be used.
    public let trouble: String?
}

extension Store {
    /// The snapshots, the oldest first. Cost: a few small reads each; what is wrong behind their first bytes shows only
    /// to ``verifySnapshot(_:)``.
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

    /// Writes a snapshot of the store as it is, aside and renamed.
    ///
    /// Others may write meanwhile; what they write is not in it.
    ///
    /// - Throws: ``StoreError``; then there is none.
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
            // Where the views are built anew, values erased or the store cleared meanwhile, it is begun with once more.
            for _ in 0..<5 {
                let erased = try log.erased()
                let vector = try log.alignedDown(log.vector())
                let folder = try ScratchFolder()
                let past = PastViews(of: views, EventFilter(vector), scratchPath: folder.path(of: "views.mdb"))
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
                .busy, "The views of \(url.path) are being rebuilt again and again.", hint: "Try again later.")
        }
    }

    /// Reads a whole snapshot and throws unless every byte of it is what was written.
    ///
    /// - Throws: ``StoreError`` with code `damaged`, or `notFound` where there is none of that name.
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

    /// Deletes the snapshots that are not worth their bytes: see ``SnapshotRule``. Those that cannot be used stay.
    ///
    /// - Parameter isDryRun: Only tells which these are.
    public func pruneSnapshots(isDryRun: Bool = false) throws -> [StoredSnapshot] {
        try describing {
            let all = snapshots()
            let gone = Set(
                SnapshotRule.superfluous(all.compactMap(\.information), logBytes: try log.fileSizeBytes()).map(\.id))
            let superfluous = all.filter { $0.information.map { gone.contains($0.id) } ?? false }
            if !isDryRun {
                for snapshot in superfluous {
                    try FileManager.default.removeItem(at: files.snapshotFolder.appending(path: snapshot.file))
                }
            }
            return superfluous
        }
    }

    /// What is wrong with a snapshot, in words that go on "is …".
    static func words(for error: any Error) -> String {
        switch error {
        case SnapshotError.notASnapshot: "not a snapshot"
        case SnapshotError.damaged(let what): "damaged: \(what)"
        case SnapshotError.otherVersion: "from another version of this program"
        case SnapshotError.otherHistory: "from another log, or from another history of this log"
        default: "not readable: \(error)"
        }
    }
}

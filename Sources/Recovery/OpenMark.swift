import Foundation
import Synchronization

/// A file in this device's state folder that exists as long as a process has a store open. If it is left over, the next
/// process knows that the store was not closed cleanly.
///
/// Its owner holds a lock on it. A mark without a lock belongs to a process that was killed, or to a machine that lost
/// power.
package final class OpenMark: Sendable {
    /// The folder of the store.
    fileprivate let folder: String
    private let path: String
    private let descriptor: Int32
    private let isGone = Mutex(false)

    /// Marks the store in `folder` as open; `nil` if the state folder cannot be written. Then unclean ends are not
    /// detected.
    package init?(_ folder: URL, in stateFolder: URL) {
        let marks = Self.folder(of: folder, in: stateFolder)
        try? FileManager.default.createDirectory(
            at: marks, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.folder = folder.path
        path = marks.appending(path: "\(getpid())-\(UInt64.random(in: .min ... .max))").path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        OpenMarks.add(self, path)
    }

    deinit { remove() }

    /// Removes the mark: the store was closed.
    package func remove() {
        isGone.withLock { isGone in
            guard !isGone else { return }
            isGone = true
            unlink(path)
            close(descriptor)
            OpenMarks.remove(path)
        }
    }

    /// Releases the lock but keeps the file, like a killed process: damage was seen, so the store must be checked.
    package func abandon() {
        isGone.withLock { isGone in
            guard !isGone else { return }
            isGone = true
            close(descriptor)
            OpenMarks.remove(path)
        }
    }

    /// Marks the store in `folder` as suspect, so that its next opening checks every page: damage was seen. It stays
    /// suspect until a full check has found nothing, or the damage was dealt with.
    package static func suspect(_ folder: URL, in stateFolder: URL? = nil) {
        let folder = folder.standardizedFileURL
        OpenMarks.abandon(folder.path)
        if let stateFolder { OpenMark(folder, in: stateFolder)?.abandon() }
    }

    /// Returns the marks of processes that ended without closing the store.
    ///
    /// An unreadable mark counts as left over: a needless full check costs time, a missed one risks writing to a
    /// damaged log.
    package static func left(by folder: URL, in stateFolder: URL) -> [String] {
        let marks = Self.folder(of: folder, in: stateFolder)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: marks.path) else {
            return RecoveryFiles.exists(marks.path) ? [marks.path] : []
        }
        return names.sorted().map { marks.appending(path: $0).path }.filter { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno != ENOENT }
            defer { close(descriptor) }
            return flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
    }

    /// Removes the marks at `paths`, after the store was checked.
    package static func forget(_ paths: [String]) { for path in paths { unlink(path) } }

    static func folder(of folder: URL, in stateFolder: URL) -> URL {
        // Named by the folder's device and inode, so that all paths to the folder share their marks.
        var status = stat()
        let name = stat(folder.path, &status) == 0 ? "\(status.st_dev)-\(status.st_ino)" : "none"
        return stateFolder.appending(path: "open/\(name)")
    }
}

/// The marks of this process; they are removed when it exits normally.
private enum OpenMarks {
    private struct Living {
        weak var mark: OpenMark?
    }

    private static let marks = Mutex<[String: Living]>([:])
    private static let atExit: Void = {
        _ = atexit { OpenMarks.removeAll() }
    }()

    static func add(_ mark: OpenMark, _ path: String) {
        atExit
        marks.withLock { $0[path] = Living(mark: mark) }
    }

    static func remove(_ path: String) { _ = marks.withLock { $0.removeValue(forKey: path) } }

    /// Abandons the marks of the store in `folder`.
    static func abandon(_ folder: String) {
        for mark in marks.withLock({ $0.values.compactMap(\.mark) }) where mark.folder == folder { mark.abandon() }
    }

    static func removeAll() { for path in marks.withLock({ Array($0.keys) }) { unlink(path) } }
}

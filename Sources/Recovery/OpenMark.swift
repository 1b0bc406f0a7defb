import Foundation
import Synchronization

/// A file that lies in this device's state folder as long as a process has a store open: so the next one can tell that
/// it ended without closing it.
///
/// Its owner holds a lock on it. A mark that nobody holds is that of a process that was killed, by damage or otherwise,
/// or of a machine that lost power.
package final class OpenMark: Sendable {
    /// The folder of the store.
    fileprivate let folder: String
    private let path: String
    private let descriptor: Int32
    private let isGone = Mutex(false)

    /// Marks the store in `folder` as open. Where the state folder cannot be written there is no mark, and nothing is
    /// known of unclean ends.
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

    /// The store was closed.
    package func remove() {
        isGone.withLock { isGone in
            guard !isGone else { return }
            isGone = true
            unlink(path)
            close(descriptor)
            OpenMarks.remove(path)
        }
    }

    /// Leaves the mark as that of a process that was killed: what was seen of the store is reason to look closer.
    package func abandon() {
        isGone.withLock { isGone in
            guard !isGone else { return }
            isGone = true
            close(descriptor)
            OpenMarks.remove(path)
        }
    }

    /// Has the next opening of the store in `folder` look at every page: something of it was seen that is not what was
    /// written. It stays so until a whole look has found nothing, or the damage was dealt with.
    package static func suspect(_ folder: URL, in stateFolder: URL? = nil) {
        let folder = folder.standardizedFileURL
        OpenMarks.abandon(folder.path)
        if let stateFolder { OpenMark(folder, in: stateFolder)?.abandon() }
    }

    /// The marks of processes that ended without closing the store.
    ///
    /// What cannot be looked at now is taken for one: to look at the log closer costs time, and not to may have somebody
    /// write to a damaged one.
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

    /// Takes such marks away, once the store was looked at.
    package static func forget(_ paths: [String]) { for path in paths { unlink(path) } }

    static func folder(of folder: URL, in stateFolder: URL) -> URL {
        // By the folder itself and not its name, so that it means the same under each of its names.
        var status = stat()
        let name = stat(folder.path, &status) == 0 ? "\(status.st_dev)-\(status.st_ino)" : "none"
        return stateFolder.appending(path: "open/\(name)")
    }
}

/// The marks of this process, which go with it when it ends in an orderly way.
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

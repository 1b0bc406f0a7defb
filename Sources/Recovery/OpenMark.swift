import Foundation
import Synchronization

/// A file that lies in this device's state folder as long as a process has a store open: so the next one can tell that
/// it ended without closing it.
///
/// Its owner holds a lock on it. A mark that nobody holds is that of a process that was killed, by damage or otherwise,
/// or of a machine that lost power.
package final class OpenMark: Sendable {
    private let path: String
    private let descriptor: Int32
    private let isGone = Mutex(false)

    /// Marks the store in `folder` as open. Where the state folder cannot be written there is no mark, and nothing is
    /// known of unclean ends.
    package init?(_ folder: URL, in stateFolder: URL) {
        let marks = Self.folder(of: folder, in: stateFolder)
        try? FileManager.default.createDirectory(
            at: marks, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = marks.appending(path: "\(getpid())-\(UInt64.random(in: .min ... .max))").path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        OpenMarks.add(path)
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

    fileprivate static func folder(of folder: URL, in stateFolder: URL) -> URL {
        // By the folder itself and not its name, so that it means the same under each of its names.
        var status = stat()
        let name = stat(folder.path, &status) == 0 ? "\(status.st_dev)-\(status.st_ino)" : "none"
        return stateFolder.appending(path: "open/\(name)")
    }
}

/// The marks of this process, which go with it when it ends in an orderly way.
private enum OpenMarks {
    private static let paths = Mutex<Set<String>>([])
    private static let atExit: Void = {
        _ = atexit { OpenMarks.removeAll() }
    }()

    static func add(_ path: String) {
        atExit
        _ = paths.withLock { $0.insert(path) }
    }

    static func remove(_ path: String) { _ = paths.withLock { $0.remove(path) } }

    static func removeAll() { for path in paths.withLock({ $0 }) { unlink(path) } }
}

/// Which file of a store was looked at last, in this device's state folder: another one is looked at again.
package struct CheckedFile: Sendable {
    private let path: String
    private let present: String

    /// What is known of `file`, of the store in `folder`.
    package init(_ file: String, of folder: URL, in stateFolder: URL) {
        path = OpenMark.folder(of: folder, in: stateFolder).path + ".checked"
        var status = stat()
        present = stat(file, &status) == 0 ? "\(status.st_dev)-\(status.st_ino)" : ""
    }

    /// Whether it is the one that was looked at.
    package var isKnown: Bool { FileManager.default.contents(atPath: path) == Data(present.utf8) }

    /// Has it looked at again.
    package func forget() { unlink(path) }

    /// Notes that it was looked at. Where that cannot be written, it is looked at again.
    package func note() {
        if !isKnown { try? DurableFile.write(Array(present.utf8), to: path) }
    }
}

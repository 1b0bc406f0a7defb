#if os(Linux)
import Glibc

/// A small file system of its own, unmounted when the test lets go of it; it takes a privileged user.
final class Mount: Sendable {
    let folder: TemporaryFolder
    var path: String { folder.path }

    /// A memory file system of `byteCount` bytes; throws if it may not be mounted.
    init(byteCount: Int) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
            throw NotMounted(error: errno)
        }
    }

    /// Why there is none.
    struct NotMounted: Error { let error: Int32 }

    /// Whether this user may mount; tried once.
    static let isAllowed = (try? Mount(byteCount: 1 << 16)) != nil

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Makes it read-only, or writable again.
    func setReadOnly(_ isReadOnly: Bool) -> Bool {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        return mount("tmpfs", path, "tmpfs", flags, nil) == 0
    }
}
#endif

import CLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The identity of a file: two paths with equal identities are the same file.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// An open file descriptor that is closed with its owner.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    /// Opens `path`, close-on-exec, or throws the `errno`.
    init(_ path: String, _ flags: Int32) throws(SystemError) {
        let descriptor = unsafe groundwave_open(path, flags | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError.last }
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    /// The status of the file.
    func status() throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError.last }
        return status
    }

    /// Up to `count` bytes from `offset` on; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                // The destination is inside the buffer: filled < count.
                let part = unsafe pread(
                    descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if part == 0 { return }
                if part > 0 {
                    filled += part
                } else if errno != EINTR {
                    failure = SystemError.last
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int = 0) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = bytes[written...]
            // The buffer lives as long as the call.
            let part = unsafe rest.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
            }
            if part > 0 {
                written += part
            } else if errno != EINTR {
                throw SystemError.last
            }
        }
    }

    /// Waits until the contents are on the medium, past the cache of the drive if the system can request that.
    func synchronise() throws(SystemError) {
        try flushToMedium(descriptor)
    }
}

/// An `errno`.
struct SystemError: Error {
    let code: Int32

    static var last: SystemError { SystemError(code: errno) }
}

/// Waits until what was written to `descriptor` is on the medium.
func flushToMedium(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
    // fsync leaves the data in the drive's cache there; file systems without F_FULLFSYNC get the plain call.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw SystemError.last }
}

/// Calls the system's `rename`; the functions of ``FileSystem`` with that name hide it.
private func renameFile(_ source: String, _ target: String) -> Int32 { unsafe rename(source, target) }

enum FileSystem {
    /// Returns an unused name beside `path`, for a file under construction.
    static func temporaryName(for path: String) -> String {
        "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).creating"
    }

    /// Whether anything, even a dangling symbolic link, has the name `path`.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// `path` without symbolic links, relative parts and doubled slashes, or nil if there is no such file.
    static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        // realpath allocates a NUL-terminated string that is ours to free.
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The folder that holds `path`.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the names in `folder` survive a power cut.
    static func synchronise(folder: String) throws(SystemError) {
        let folder = try OpenFile(folder, O_RDONLY | O_DIRECTORY)
        do {
            try folder.synchronise()
        } catch {
            // Some file systems keep names safe by themselves and refuse the call.
            guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
        }
    }

    /// Gives the file at `source` the name `target`, atomically, unless something has that name (`EEXIST`).
    static func rename(_ source: String, toUnused target: String) throws(SystemError) {
        if unsafe groundwave_rename_exclusive(source, target) == 0 { return }
        let failure = SystemError.last
        guard failure.code == EINVAL || failure.code == ENOSYS || failure.code == ENOTSUP else { throw failure }
        // This file system cannot rename without overwriting. A second name does the same in two steps; a crash between
        // them leaves the old name beside the new one, both for the same whole file.
        guard unsafe link(source, target) == 0 else { throw SystemError.last }
        _ = unsafe unlink(source)
    }

    /// Gives the file at `source` the name `target`, atomically, over the file that had it.
    static func rename(_ source: String, over target: String) throws(SystemError) {
        guard renameFile(source, target) == 0 else { throw SystemError.last }
    }

    /// Removes the name `path`; a missing one is no error.
    static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// Whether the file at `path` has nearly reached this process's limit for file sizes.
    static func isAtLimit(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        let limit = groundwave_file_limit()
        // LMDB writes up to 64 pages at once (`MDB_COMMIT_PAGES`).
        return limit < .max && Int64(status.st_size) + 64 * 65_536 > limit
    }

    /// The number of bytes that an ordinary user may still write on the file system of `path`; nil if unknown.
    static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? Int.max : Int(clamping: bytes)
    }
}

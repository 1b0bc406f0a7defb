import Foundation

/// A folder in which names are resolved one part at a time, never through a symbolic link. Closed when the value
/// ends.
///
/// Every name passed here is one part, without `/`.
struct OpenFolder: ~Copyable {
    private let descriptor: Int32
    /// The path at which the folder was opened.
    let path: String

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Opens a folder named by the user, which may be reached through links.
    ///
    /// - Throws: ``TransportError``: `unreachable` if it does not exist.
    init(root path: String) throws(TransportError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "The folder \(path) cannot be opened") }
        self.init(descriptor, path)
    }

    private func at(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the status of a name; `nil` if it does not exist.
    func status(of name: String) throws(TransportError) -> FileStatus? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(status) }
        guard errno == ENOENT else { throw .system(errno, "\(at(name)) cannot be examined") }
        return nil
    }

    /// Opens the folder `name`, which is `object` from the root on; `nil` if the name does not exist.
    ///
    /// - Throws: ``TransportError``: `refused` if it is not a folder.
    func folder(_ name: String, as object: ObjectName) throws(TransportError) -> OpenFolder? {
        guard let status = try status(of: name) else { return nil }
        guard status.kind == .folder else { throw .refused(object, status.refusal ?? "It is a file, not a folder.") }
        let descriptor = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor >= 0 { return OpenFolder(descriptor, at(name)) }
        switch errno {
        case ENOENT: return nil
        // It was replaced by a link after the status was read.
        case ELOOP, ENOTDIR: throw .refused(object, "It is not a folder.")
        default: throw .system(errno, "The folder \(at(name)) cannot be opened")
        }
    }

    /// Creates a folder, unless the name exists, and flushes the name, so that it survives a power cut.
    func makeFolder(_ name: String) throws(TransportError) {
        if mkdirat(descriptor, name, 0o777) == 0 { return try flush() }
        guard errno == EEXIST else { throw .system(errno, "The folder \(at(name)) cannot be created") }
    }

    /// Opens a file for reading; `nil` if the name does not exist.
    ///
    /// - Throws: ``TransportError``: `refused` if it is not a file. Devices are not opened.
    func file(_ name: String, as object: ObjectName) throws(TransportError) -> ObjectFile? {
        guard let status = try status(of: name) else { return nil }
        if let refusal = status.refusal { throw .refused(object, refusal) }
        // Non-blocking: it may have become a FIFO since, whose other end may never be opened.
        let descriptor = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP, ENXIO: throw .refused(object, "It is not a file.")
            default: throw .system(errno, "The file \(at(name)) cannot be opened")
            }
        }
        let file = ObjectFile(descriptor, at(name))
        if let refusal = try file.status().refusal { throw .refused(object, refusal) }
        return file
    }

    /// Creates a file; `nil` if the name exists, even as a broken link.
    func makeFile(_ name: String) throws(TransportError) -> ObjectFile? {
        let descriptor = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        if descriptor >= 0 { return ObjectFile(descriptor, at(name)) }
        guard errno == EEXIST else { throw .system(errno, "The file \(at(name)) cannot be created") }
        return nil
    }

    /// Creates a hard link to a file, unless the new name exists. Returns 0, or the error code.
    func link(_ name: String, as other: String) -> Int32 {
        linkat(descriptor, name, descriptor, other, 0) == 0 ? 0 : errno
    }

    /// Gives a file another name, in place of any file that has it.
    func rename(_ name: String, to other: String) throws(TransportError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system(errno, "The file \(at(other)) cannot be replaced")
        }
    }

    /// Deletes a name. Returns `false` if it does not exist.
    @discardableResult
    func remove(_ name: String) throws(TransportError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        guard errno == ENOENT else { throw .system(errno, "The file \(at(name)) cannot be deleted") }
        return false
    }

    /// Flushes the names in the folder, so that they survive a power cut.
    func flush() throws(TransportError) {
        let code = flushToMedium(descriptor)
        // Some file systems keep names durable by themselves and refuse the call.
        guard [0, EINVAL, ENOTSUP, EBADF].contains(code) else {
            throw .system(code, "The folder \(path) cannot be flushed")
        }
    }

    /// Returns all names in the folder, in no particular order.
    ///
    /// They are read by path. If the folder was replaced by a link since it was opened, the names are those of
    /// another folder, and none of them will be opened.
    ///
    /// - Complexity: O(*n*) time and memory for *n* names.
    func names() throws(TransportError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            // The folder could be opened, so it is readable: it, or its disk, is gone.
            throw .unreachable("The folder \(path) cannot be read: \(error.localizedDescription)")
        }
    }
}

import Foundation

/// A folder below which names are looked up one part at a time, never through a symbolic link. Closed with this value.
///
/// Each name given here is one part, without `/`.
struct OpenFolder: ~Copyable {
    private let descriptor: Int32
    /// Where it was when it was opened.
    let path: String

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Opens a folder that a person has named: it may be reached through links.
    ///
    /// - Throws: ``TransportError``: `unreachable` where there is none.
    init(root path: String) throws(TransportError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "The folder \(path) cannot be opened") }
        self.init(descriptor, path)
    }

    private func at(_ name: String) -> String { "\(path)/\(name)" }

    /// What has the name; `nil` where nothing has.
    func status(of name: String) throws(TransportError) -> FileStatus? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(status) }
        guard errno == ENOENT else { throw .system(errno, "\(at(name)) cannot be examined") }
        return nil
    }

    /// The folder of that name, which is `object` from the root on; `nil` where nothing has the name.
    ///
    /// - Throws: ``TransportError``: `refused` where it is anything but a folder.
    func folder(_ name: String, as object: ObjectName) throws(TransportError) -> OpenFolder? {
        guard let status = try status(of: name) else { return nil }
        guard status.kind == .folder else { throw .refused(object, status.refusal ?? "It is a file, not a folder.") }
        let descriptor = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor >= 0 { return OpenFolder(descriptor, at(name)) }
        switch errno {
        case ENOENT: return nil
        // It has become a link since it was looked at.
        case ELOOP, ENOTDIR: throw .refused(object, "It is not a folder.")
        default: throw .system(errno, "The folder \(at(name)) cannot be opened")
        }
    }

    /// Makes a folder, unless something has the name, and lets the name survive a power cut.
    func makeFolder(_ name: String) throws(TransportError) {
        if mkdirat(descriptor, name, 0o777) == 0 { return try flush() }
        guard errno == EEXIST else { throw .system(errno, "The folder \(at(name)) cannot be created") }
    }

    /// The file of that name, to be read; `nil` where there is none.
    ///
    /// - Throws: ``TransportError``: `refused` where it is anything but a file. Devices are not even opened.
    func file(_ name: String, as object: ObjectName) throws(TransportError) -> ObjectFile? {
        guard let status = try status(of: name) else { return nil }
        if let refusal = status.refusal { throw .refused(object, refusal) }
        // Not blocking: it may have become a FIFO since, and nobody may ever open its other end.
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

    /// Makes a file; `nil` where something has the name, even a link that leads nowhere.
    func makeFile(_ name: String) throws(TransportError) -> ObjectFile? {
        let descriptor = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        if descriptor >= 0 { return ObjectFile(descriptor, at(name)) }
        guard errno == EEXIST else { throw .system(errno, "The file \(at(name)) cannot be created") }
        return nil
    }

    /// Gives a file a second name, unless something has it. Returns 0, or the code of the failure.
    func link(_ name: String, as other: String) -> Int32 {
        linkat(descriptor, name, descriptor, other, 0) == 0 ? 0 : errno
    }

    /// Takes a name from its file; `false` where nothing has it.
    @discardableResult
    func remove(_ name: String) throws(TransportError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        guard errno == ENOENT else { throw .system(errno, "The file \(at(name)) cannot be deleted") }
        return false
    }

    /// Makes the names in the folder survive a power cut.
    func flush() throws(TransportError) {
        let code = flushToMedium(descriptor)
        // Some file systems keep names safe by themselves and refuse the call.
        guard [0, EINVAL, ENOTSUP, EBADF].contains(code) else {
            throw .system(code, "The folder \(path) cannot be flushed")
        }
    }

    /// All names in the folder, in no order.
    ///
    /// They are read by its path. If a link was put in its place since it was opened, these are names of elsewhere, of
    /// which none will be opened.
    ///
    /// - Complexity: O(*n*) time and memory for *n* names.
    func names() throws(TransportError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            // It could be opened, so we may read it: it is gone, or its disk is.
            throw .unreachable("The folder \(path) cannot be read: \(error.localizedDescription)")
        }
    }
}

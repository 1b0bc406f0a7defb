import Foundation
import GroundwaveRecovery

/// A file that is written under a temporary name and renamed when it is complete: a reader never sees half of it.
package struct AtomicFile: ~Copyable {
    let target: String
    /// The temporary path, used until the file is complete.
    package let aside: String
    private let handle: FileHandle
    private var isDone = false

    /// Creates the temporary file for `path`.
    ///
    /// If `path` is a symbolic link, the link stays and the file that it points to is replaced.
    ///
    /// - Parameter permissions: The mode of the file, before the process's umask.
    /// - Throws: ``StoreError`` with the code for the system error if the file cannot be created; `exists` if `path`
    ///   is a folder or a device, which a file must not replace.
    package init(_ path: String, permissions: mode_t = 0o666) throws {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw StoreError(.exists, "\(path) is not a file that can be replaced.", hint: "Name a file.")
        }
        // Another thread may be writing the same file, for example maintenance and a caller.
        let aside = "\(path).part-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else {
            throw StoreError(system: errno, "The file \(path) cannot be created")
        }
        target = path
        self.aside = aside
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    }

    /// Discards everything written so far.
    package func truncate() throws {
        try describing {
            try handle.truncate(atOffset: 0)
        }
    }

    /// Returns the size of the file in bytes.
    package func byteCount() throws -> Int {
        try describing { Int(try handle.seekToEnd()) }
    }

    /// Runs `body` and turns its write errors into a ``StoreError`` that names the file. Other errors, such as those
    /// of damaged views, pass unchanged.
    package func describing<Result>(
        where isOfWriting: (any Error) -> Bool = { _ in true }, _ body: () throws -> Result
    ) throws -> Result {
        do { return try body() } catch {
            guard isOfWriting(error) else { throw error }
            throw Self.failure(target, error)
        }
    }

    private static func failure(_ target: String, _ error: any Error) -> StoreError {
        StoreError(error, "The file \(target) cannot be written")
    }

    /// Appends `bytes`.
    package func write(_ bytes: [UInt8]) throws {
        try describing { try handle.write(contentsOf: bytes) }
    }

    /// Flushes the file and renames it to its final name. Both survive a power cut once this returns.
    ///
    /// - Parameter isReplacing: Whether an existing file of that name is replaced.
    /// - Throws: ``StoreError`` with the code for the system error; `exists` if the name is taken and `isReplacing`
    ///   is `false`.
    package mutating func finish(isReplacing: Bool = true) throws {
        try describing {
            try handle.synchronize()
            try handle.close()
        }
        try isReplacing ? check(rename(aside, target)) : nameUnlessTaken()
        isDone = true
        // The caller may delete the data that this file replaces as its next step, so the name must be durable now.
        try describing { try Self.flush(folder: URL(filePath: target).deletingLastPathComponent().path) }
    }

    private func nameUnlessTaken() throws {
        if link(aside, target) == 0 {
            unlink(aside)
            return
        }
        let isTaken = errno == EEXIST
        var status = stat()
        guard !isTaken, lstat(target, &status) != 0 else {
            throw StoreError(.exists, "The file \(target) already exists.", hint: "Name another file.")
        }
        // The file system has no hard links. Assumes that no other process creates the name between check and rename.
        try check(rename(aside, target))
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else {
            throw StoreError(system: errno, "The finished file cannot be renamed to \(target)")
        }
    }

    /// Flushes a folder, so that names added to it or removed from it survive a power cut.
    package static func flush(folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A folder that may be written but not read cannot be flushed.
            if errno == EACCES { return }
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        defer { _ = Foundation.close(descriptor) }
        // Some file systems make names durable by themselves and refuse the call.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Returns the content of the file at `path`; `nil` if there is no such file.
    ///
    /// - Throws: ``StoreError`` with the code for the system error if the file exists but cannot be read.
    package static func read(_ path: String) throws(StoreError) -> Data? {
        do { return try DurableFile.read(path) } catch { throw StoreError(file: error) }
    }

    deinit {
        if !isDone {
            try? handle.close()
            unlink(aside)
        }
    }
}

/// A file that a closure can append to piece by piece.
package final class GrowingFile {
    private var file: AtomicFile

    package init(_ file: consuming AtomicFile) { self.file = file }

    package func write(_ bytes: [UInt8]) throws { try file.write(bytes) }

    package func finish() throws { try file.finish() }
}

import Foundation
import Recovery

/// A file that is written aside and takes its name when it is whole: a reader never sees half of it.
public struct AtomicFile: ~Copyable {
    private let target: String
    /// Where it is until it is whole.
    let aside: String
    private let handle: FileHandle
    private var isDone = false

    /// Starts a file that will be called `path`.
    ///
    /// A symbolic link keeps its name, and what it points to is replaced.
    ///
    /// - Parameter permissions: Who may read it, before what the process's mask takes away.
    /// - Throws: ``StoreError`` with the code for what the system refused where it cannot be made; `exists` where the
    ///   path is that of a folder or device, which a file must not replace.
    public init(_ path: String, permissions: mode_t = 0o666) throws {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw StoreError(.exists, "\(path) is not a file that can be replaced.", hint: "Name a file.")
        }
        // Another thread may be writing the same file: due work, and whoever asked for it.
        let aside = "\(path).part-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else {
            throw StoreError(system: errno, "The file \(path) cannot be created")
        }
        target = path
        self.aside = aside
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    }

    /// Throws away what was written so far.
    func truncate() throws {
        try describing {
            try handle.truncate(atOffset: 0)
        }
    }

    /// How many bytes it has.
    func byteCount() throws -> Int {
        try describing { Int(try handle.seekToEnd()) }
    }

    /// Says of an error of writing which file it is about; any other, such as that of damaged views, passes as it is.
    func describing<Result>(
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
    public func write(_ bytes: [UInt8]) throws {
        try describing { try handle.write(contentsOf: bytes) }
    }

    /// Flushes the file and gives it its name. A power cut takes neither when this returns.
    ///
    /// - Parameter isReplacing: Whether it takes the place of a file that has the name.
    /// - Throws: ``StoreError`` with code `inputOutput`; `exists` where something has the name and must not lose it.
    public mutating func finish(isReplacing: Bool = true) throws {
        try describing {
            try handle.synchronize()
            try handle.close()
        }
        try isReplacing ? check(rename(aside, target)) : nameUnlessTaken()
        isDone = true
        // What is given up in favour of this file may be gone at the next step.
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
            throw StoreError(.exists, "There is a file \(target) already.", hint: "Name another one.")
        }
        // A file system without links: nobody else makes up the name in this moment.
        try check(rename(aside, target))
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else {
            throw StoreError(system: errno, "The file \(target) cannot be given its name")
        }
    }

    /// Makes the names in a folder safe: those that files got there, and that those which went are gone.
    static func flush(folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A folder that may be written to and not be read cannot be flushed.
            if errno == EACCES { return }
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        defer { _ = Foundation.close(descriptor) }
        // Some file systems keep names safe by themselves and refuse the call.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// What the file at `path` holds; `nil` where there is none.
    ///
    /// - Throws: ``StoreError`` with the code for what the system refused: that is not the same as none.
    static func read(_ path: String) throws(StoreError) -> Data? {
        do { return try DurableFile.read(path) } catch { throw StoreError(file: error) }
    }

    deinit {
        if !isDone {
            try? handle.close()
            unlink(aside)
        }
    }
}

/// A file that grows piece by piece, for a closure.
final class GrowingFile {
    private var file: AtomicFile

    init(_ file: consuming AtomicFile) { self.file = file }

    func write(_ bytes: [UInt8]) throws { try file.write(bytes) }

    func finish() throws { try file.finish() }
}

import Foundation

/// The mark of a store that is being joined: the file `joining`, which names the address until everything was fetched.
///
/// It is there before anything else of the store. So wherever a join is interrupted, the next one of the same address
/// resumes it, and nobody takes what has come so far for all there is.
final class Joining {
    private let path: String
    private let descriptor: Int32

    private static func path(_ files: StoreFiles) -> String { files.folder.appending(path: "joining").path }

    /// The address from which the store in a folder was being joined; `nil` where it is none, or is whole.
    static func address(in files: StoreFiles) throws -> String? {
        guard let data = try AtomicFile.read(path(files)), data.last == UInt8(ascii: "\n") else {
            return nil
        }
        return String(decoding: data.dropLast(), as: UTF8.self)
    }

    /// Throws where the store in a folder is not whole yet.
    ///
    /// - Throws: ``StoreError`` with code `joining`.
    static func refuse(_ files: StoreFiles) throws {
        guard let address = try address(in: files) else { return }
        throw StoreError(
            .joining,
            "The store in \(files.folder.path) is incomplete: joining it from \(address) is not finished.",
            hint: """
                To resume: groundwave join \(address). If that remote no longer exists, delete \(path(files)) to use \
                what has arrived so far.
                """)
    }

    /// Marks the store in a folder, which may not be there yet, as one that is being joined, alone among all processes.
    ///
    /// - Throws: ``StoreError`` with code `exists` where it was being joined from another address; `busy` where another
    ///   process is joining it; `inputOutput`.
    init(_ address: RemoteAddress, _ files: StoreFiles) throws {
        path = Self.path(files)
        try Self.check(address, files)
        try files.makeFolder()
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(
                .busy, "Another program is joining the store in \(files.folder.path).", hint: "Wait until it is done.")
        }
        try Self.check(address, files)
        let line = [UInt8]("\(address)\n".utf8)
        guard ftruncate(descriptor, 0) == 0, write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0
        else { throw Self.failure(path) }
        try AtomicFile.flush(folder: files.folder.path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Everything was fetched: the store is like any other from now on.
    func finish() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure(path) }
        try AtomicFile.flush(folder: URL(filePath: path).deletingLastPathComponent().path)
    }

    /// Throws unless a store can be joined from `address` in a folder.
    ///
    /// - Throws: ``StoreError`` with code `exists` where there is a store, or one that is being joined from elsewhere.
    static func check(_ address: RemoteAddress, _ files: StoreFiles) throws {
        if let present = try self.address(in: files) {
            guard present != address.description else { return }
            throw StoreError(
                .exists, "The store in \(files.folder.path) was being joined from \(present), not from \(address).",
                hint: "To resume: groundwave join \(present); or choose another folder with --store.")
        }
        guard try !files.exists || files.isUnfinished() else {
            throw StoreError(
                .exists, "There is a store in \(files.folder.path) already.",
                hint: "Open it, or choose another folder with --store.")
        }
    }

    private static func failure(_ path: String) -> StoreError {
        StoreError(.inputOutput, "The file \(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}

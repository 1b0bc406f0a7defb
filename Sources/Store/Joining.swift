import Foundation

/// The mark of a store that is being joined: the file `joining`, which holds the address until everything is fetched.
///
/// It is created before anything else of the store. If a join is interrupted, the next one from the same address
/// resumes it, and the incomplete store is never taken for a complete one.
package final class Joining {
    private let path: String
    private let descriptor: Int32

    private static func path(_ files: StoreFiles) -> String { files.folder.appending(path: "joining").path }

    /// Returns the address from which the store in a folder is being joined; `nil` if it is not being joined.
    package static func address(in files: StoreFiles) throws -> String? {
        guard let data = try AtomicFile.read(path(files)), data.last == UInt8(ascii: "\n") else {
            return nil
        }
        return String(decoding: data.dropLast(), as: UTF8.self)
    }

    /// Throws if the store in a folder is still being joined.
    ///
    /// - Throws: ``StoreError`` with code `joining`.
    package static func refuse(_ files: StoreFiles) throws {
        guard let address = try address(in: files) else { return }
        throw StoreError(
            .joining,
            "The store in \(files.folder.path) is incomplete: joining it from \(address) is not finished.",
            hint: """
                To resume: \(.join(address: address)). If that remote no longer exists, delete \(path(files)) to use \
                what has arrived so far.
                """)
    }

    /// Marks the store in a folder, which may not exist yet, as being joined by this process and no other.
    ///
    /// - Throws: ``StoreError`` with code `exists` if it is being joined from another address; `busy` if another
    ///   process is joining it; `inputOutput` if the mark cannot be written.
    package init(_ address: String, _ files: StoreFiles) throws {
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
        // Writing the mark again would leave it empty for a moment: a join that is killed then would look complete.
        if try Self.address(in: files) != nil { return }
        let line = [UInt8]("\(address)\n".utf8)
        guard ftruncate(descriptor, 0) == 0, write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0
        else { throw Self.failure(path) }
        try AtomicFile.flush(folder: files.folder.path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Removes the mark, once everything is fetched: the store is like any other from now on.
    package func finish() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure(path) }
        try AtomicFile.flush(folder: URL(filePath: path).deletingLastPathComponent().path)
    }

    /// Throws unless a store can be joined from `address` in a folder.
    ///
    /// - Throws: ``StoreError`` with code `exists` if there is a store, or one that is being joined from another
    ///   address.
    package static func check(_ address: String, _ files: StoreFiles) throws {
        if let present = try self.address(in: files) {
            guard present != address else { return }
            throw StoreError(
                .exists, "The store in \(files.folder.path) was being joined from \(present), not from \(address).",
                hint: "To resume: \(.join(address: present)). Or \(.chooseFolder).")
        }
        guard try !files.exists || files.isUnfinished() else {
            throw StoreError(
                .exists, "There is already a store in \(files.folder.path).",
                hint: "Open it, or \(.chooseFolder).")
        }
    }

    private static func failure(_ path: String) -> StoreError {
        StoreError(.inputOutput, "The file \(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}

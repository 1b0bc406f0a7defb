import Foundation
import GroundwaveStore

/// The snapshot that a store shows while it is being joined: a file beside the log, there only until everything is fetched.
///
/// | file | |
/// |---|---|
/// | `join.snapshot` | the whole snapshot, checked when it was fetched |
/// | `join.snapshot.partial` | its first parts, while it is being fetched |
package struct JoinedSnapshot: Sendable {
    /// The path of the whole snapshot.
    package let path: String
    private let folder: String

    private var partial: String { "\(path).partial" }

    /// The snapshot of the store in a folder.
    package init(_ files: StoreFiles) {
        folder = files.folder.path
        path = files.folder.appending(path: "join.snapshot").path
    }

    /// Whether it is there, whole.
    package var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// Writes a snapshot part after part, keeps what an earlier attempt has written of the same parts, and gives it its name
    /// once `check` has accepted the whole file.
    ///
    /// - Parameters:
    ///   - parts: How many parts there are, and the size of each by its number, counted from 1.
    ///   - isPart: Whether bytes are the part with that number.
    ///   - fetch: Returns the part with that number, which is then on the disk before the next one is fetched.
    ///   - check: Throws if the file at a path is not what was wanted; it is then removed.
    /// - Throws: ``StoreError`` if the file cannot be written; errors of `fetch`, after which the parts stay, and of `check`.
    package func write(
        parts: (count: Int, size: (Int) -> Int), isPart: (_ number: Int, [UInt8]) -> Bool,
        fetch: (_ number: Int) async throws -> [UInt8], check: (_ path: String) throws -> Void
    ) async throws {
        let descriptor = open(partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, "The file \(partial) cannot be created") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var number = 1
        var end = 0
        while number <= parts.count, let bytes = try handle.read(upToCount: parts.size(number)),
            bytes.count == parts.size(number), isPart(number, [UInt8](bytes))
        {
            end += bytes.count
            number += 1
        }
        try writing { try handle.truncate(atOffset: UInt64(end)) }
        while number <= parts.count {
            let bytes = try await fetch(number)
            try writing {
                try handle.write(contentsOf: bytes)
                try handle.synchronize()
            }
            number += 1
        }
        do { try check(partial) } catch {
            unlink(partial)
            throw error
        }
        guard rename(partial, path) == 0 else { throw StoreError(system: errno, "\(partial) cannot be renamed") }
        try AtomicFile.flush(folder: folder)
    }

    private func writing(_ body: () throws -> Void) throws {
        do { try body() } catch { throw StoreError(error, "The file \(partial) cannot be written") }
    }

    /// Removes the snapshot, and what was fetched of one, if they are there.
    package func remove() {
        unlink(path)
        unlink(partial)
    }
}

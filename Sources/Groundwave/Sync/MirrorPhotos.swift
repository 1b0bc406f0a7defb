import Crypto
import Events
import Foundation
import Radio

/// Copies the photos that sessions name from the folder where they are kept to a mirror.
struct MirrorPhotos {
    /// The folder of the photos.
    let source: URL
    /// The folder of the mirrored photos.
    let target: URL
    /// The number of bytes that are read at once.
    private static let chunkBytes = 1 << 20

    /// The number of photos that are in the mirror.
    private(set) var count = 0
    /// The names of photos that are not in the mirror: there is no such file, it cannot be read, or its hash differs.
    private(set) var missing: [String] = []

    init(from source: URL, to target: URL) {
        (self.source, self.target) = (source, target)
    }

    /// Copies the photos that the mirror does not have yet. A photo that is deleted from its folder stays in the
    /// mirror.
    ///
    /// - Throws: ``StoreError`` with the code for the system error if a file cannot be written; Foundation's error if
    ///   the folder of the mirror cannot be created.
    /// - Complexity: O(bytes of the photos that are new, have changed, or were hashed).
    mutating func copy(_ photos: Set<SessionPhoto>) throws {
        if photos.isEmpty { return }
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for photo in photos.sorted() {
            if try copy(photo) { count += 1 } else { missing.append(photo.name) }
        }
    }

    private func copy(_ photo: SessionPhoto) throws -> Bool {
        let (from, to) = (source.appending(path: photo.name), target.appending(path: photo.name))
        let there = Self.file(at: to)
        if there != nil, let hash = photo.hash, Self.read(to) == hash { return true }
        guard let kept = Self.file(at: from) else { return there != nil && photo.hash == nil }
        if photo.hash == nil, let there, there.size == kept.size, there.modified >= kept.modified { return true }
        var copy = try AtomicFile(to.path)
        var failure: (any Error)?
        let hash = Self.read(from) { bytes in
            do { try copy.write(bytes) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        guard let hash, photo.hash ?? hash == hash else { return false }
        try copy.finish()
        return true
    }

    /// Passes the bytes of a file to `body`, as long as that returns `true`. Returns their SHA-256, or `nil` if the
    /// file cannot be read to its end.
    private static func read(_ url: URL, _ body: (_ bytes: [UInt8]) -> Bool = { _ in true }) -> String? {
        guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? file.close() }
        var hasher = SHA256()
        do {
            while let chunk = try file.read(upToCount: chunkBytes), !chunk.isEmpty {
                hasher.update(data: chunk)
                if !body([UInt8](chunk)) { return nil }
            }
        } catch { return nil }
        return "\(Hash256(hasher.finalize()))"
    }

    /// Returns the size and time of a regular file; `nil` if there is none.
    private static func file(at url: URL) -> (size: Int, modified: Date)? {
        let values = try? url.resourceValues(
            forKeys: [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey])
        guard let values, values.isRegularFile == true, let size = values.fileSize,
            let modified = values.contentModificationDate
        else { return nil }
        return (size, modified)
    }
}

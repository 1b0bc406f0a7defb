import Crypto
import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveStore

/// Copies the photos that sessions name from the folder where they are kept to a mirror.
struct MirrorPhotos {
    /// Where they are kept.
    let source: URL
    /// Where they are mirrored.
    let target: URL
    /// Bytes that are read at once.
    private static let chunkBytes = 1 << 20

    /// How many of the photos lie in the mirror.
    private(set) var count = 0
    /// The names of those that do not: there is no such file, it cannot be read, or it is not the one that was hashed.
    private(set) var missing: [String] = []

    init(from source: URL, to target: URL) {
        (self.source, self.target) = (source, target)
    }

    /// Copies what is not there yet. A photo that is gone from its folder stays in the mirror.
    ///
    /// - Throws: ``StoreError`` with code `inputOutput` where the mirror cannot be written.
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

    /// Hands out the bytes of a file, as long as `body` says to go on; returns their SHA-256, or `nil` where the file cannot
    /// be read to its end.
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

    /// What is known of a file; `nil` where there is none, or a link, a folder, a device.
    private static func file(at url: URL) -> (size: Int, modified: Date)? {
        let values = try? url.resourceValues(
            forKeys: [.isRegularFileKey, .fileSizeKey, .contentModificationDateKey])
        guard let values, values.isRegularFile == true, let size = values.fileSize,
            let modified = values.contentModificationDate
        else { return nil }
        return (size, modified)
    }
}

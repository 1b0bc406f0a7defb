import Crypto
import Events
import Foundation
import Radio

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
    /// The names of those that do not: there is no such file, or it has another content than the one that was hashed.
    private(set) var missing: [String] = []

    init(from source: URL, to target: URL) {
        (self.source, self.target) = (source, target)
    }

    /// Copies what is not there yet. A photo that is gone from its folder stays in the mirror.
    ///
    /// - Complexity: O(bytes of the photos that are new or have changed).
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
        guard let kept = Self.file(at: from) else { return there != nil }
        if let there, there.size == kept.size, there.modified >= kept.modified { return true }
        let file = try FileHandle(forReadingFrom: from)
        defer { try? file.close() }
        var hasher = SHA256()
        var copy = try AtomicFile(to.path)
        while let chunk = try file.read(upToCount: Self.chunkBytes), !chunk.isEmpty {
            hasher.update(data: chunk)
            try copy.write([UInt8](chunk))
        }
        if let hash = photo.hash, hash != "\(Hash256(hasher.finalize()))" { return false }
        try copy.finish()
        return true
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

import Foundation

/// The status of a name in a folder.
struct FileStatus: Hashable, Sendable {
    /// The kinds of files.
    enum Kind: Hashable, Sendable {
        case file, folder, symbolicLink
        /// A device, a FIFO or a socket.
        case special
    }

    let kind: Kind
    let byteCount: Int
    /// The number of hard links.
    let linkCount: Int
    /// The date of the last modification, by the clock of the file system: seconds since 1970, not negative.
    let modifiedSeconds: Int
    /// Changes, as far as the file system can show it, when a name in the folder is created or deleted.
    let mark: [Int]

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .symbolicLink
        default: kind = .special
        }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        byteCount = max(Int(status.st_size), 0)
        linkCount = Int(status.st_nlink)
        // The file system may return any value; these bounds prevent overflow in later arithmetic.
        modifiedSeconds = min(max(Int(modified.tv_sec), 0), 1 << 40)
        mark = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino),
            Int(modified.tv_sec), Int(modified.tv_nsec), Int(changed.tv_sec), Int(changed.tv_nsec),
            byteCount, linkCount,
        ]
    }

    /// Reads the status of the folder at `path`, which may be a link to a folder; `nil` on failure.
    init?(ofFolder path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Why it is not an object; `nil` for a file.
    var refusal: String? {
        switch kind {
        case .file: nil
        case .folder: "It is a folder."
        case .symbolicLink: "It is a symbolic link, which could point anywhere."
        case .special: "It is a device, a FIFO or a socket."
        }
    }
}

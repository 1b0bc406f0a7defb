import Foundation

/// What a name in a folder stands for.
struct FileStatus: Hashable, Sendable {
    /// What can have a name.
    enum Kind: Hashable, Sendable {
        case file, folder, symbolicLink
        /// A device, a FIFO, a socket.
        case special
    }

    let kind: Kind
    let byteCount: Int
    /// How many names the file has.
    let linkCount: Int
    /// When it was changed last, by the clock of its file system: seconds since 1970, not negative.
    let modifiedSeconds: Int
    /// Differs from what it was, as far as the file system can tell, when something was made, named or deleted in the
    /// folder.
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
        // A file system may say anything; with these one can reckon.
        modifiedSeconds = min(max(Int(modified.tv_sec), 0), 1 << 40)
        mark = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino),
            Int(modified.tv_sec), Int(modified.tv_nsec), Int(changed.tv_sec), Int(changed.tv_nsec),
            byteCount, linkCount,
        ]
    }

    /// What the file system says of the folder at `path`, which may be a link to one; `nil` where it says nothing.
    init?(ofFolder path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// That it is no object, in words; `nil` for a file.
    var refusal: String? {
        switch kind {
        case .file: nil
        case .folder: "It is a folder."
        case .symbolicLink: "It is a symbolic link, which could point anywhere."
        case .special: "It is a device, a FIFO or a socket."
        }
    }
}

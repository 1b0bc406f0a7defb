/// The last seen state of a remote's folders, for detecting that an object was stored or deleted in one of them.
///
/// A file system updates the date of a folder when a name in it is added or removed. So a check costs one `stat` call
/// per folder, however many files there are.
struct FolderWatch: Sendable {
    private let objects: FolderObjects
    /// The folders, by their paths from the root.
    private var folders: [String: Folder] = ["": Folder()]

    private struct Folder {
        /// The last status from the file system; `nil` if the folder was missing.
        var mark: [Int]?
        /// Whether the subfolders must be read.
        var isUnread = true
        /// The earliest time of the next reading.
        var nextReading: ContinuousClock.Instant?
        /// When to report it as changed once more.
        var echo: ContinuousClock.Instant?
    }

    /// The maximum number of watched folders, which bounds the cost of a hostile remote.
    private static let mostFolders = 4_096

    /// Some file systems have time steps of two seconds: only the first of two changes within a step is visible.
    private static let step = Duration.milliseconds(2_500)

    init(of objects: FolderObjects) { self.objects = objects }

    /// Checks the folders. Returns the updated watch, and whether something may have changed. At the first check,
    /// everything counts as new.
    ///
    /// Blocks while it reads the status of each folder, and the names in each changed folder to find its subfolders.
    func checked() -> (watch: FolderWatch, hasChanged: Bool) {
        var watch = self
        var hasChanged = false
        var paths = Array(folders.keys)
        while let path = paths.popLast() {
            hasChanged = watch.hasChanged(path) || hasChanged
            paths += watch.newFolders(in: path)
        }
        return (watch, hasChanged)
    }

    private mutating func hasChanged(_ path: String) -> Bool {
        guard var folder = folders[path] else { return false }
        defer { folders[path] = folder.mark == nil && !path.isEmpty ? nil : folder }
        let mark = FileStatus(ofFolder: "\(objects.root)/\(path)")?.mark
        let now = ContinuousClock.now
        if mark != folder.mark {
            folder.mark = mark
            folder.echo = now + Self.step
        } else if let echo = folder.echo, echo <= now {
            folder.echo = nil
        } else {
            return false
        }
        folder.isUnread = true
        return true
    }

    /// Adds the new subfolders of a changed folder to the watch, and returns them.
    private mutating func newFolders(in path: String) -> [String] {
        let start = ContinuousClock.now
        guard let folder = folders[path], folder.isUnread, folder.mark != nil, (folder.nextReading ?? start) <= start
        else { return [] }
        let names = try? objects.folders(prefix: ObjectPrefix(folder: path) ?? .all, limit: Self.mostFolders)
        let end = ContinuousClock.now
        folders[path]!.isUnread = names == nil
        // Limits the reading of a very large folder that changes all the time to half a percent of the time.
        folders[path]!.nextReading = end + (end - start) * 200
        var found: [String] = []
        for name in names ?? [] where folders.count < Self.mostFolders {
            let inner = path.isEmpty ? name : "\(path)/\(name)"
            guard folders[inner] == nil else { continue }
            folders[inner] = Folder()
            found.append(inner)
        }
        return found
    }
}

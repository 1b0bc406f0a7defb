/// What was last seen of the folders of a place, to tell when something was stored or deleted in one of them.
///
/// A file system dates a folder when a name in it comes or goes. So a look costs one question for each folder, however
/// many files there are.
struct FolderWatch: Sendable {
    private let objects: FolderObjects
    /// The folders, by their paths from the root on.
    private var folders: [String: Folder] = ["": Folder()]

    private struct Folder {
        /// What the file system said of it last; `nil` where it was not there.
        var mark: [Int]?
        /// Whether the folders in it are to be found out.
        var isUnread = true
        /// Not before that.
        var nextReading: ContinuousClock.Instant?
        /// When to take it for changed once more.
        var echo: ContinuousClock.Instant?
    }

    /// Further folders are not watched, so that a hostile place costs no more than that.
    private static let mostFolders = 4_096

    /// Some file systems count time in steps of two seconds: of two changes within a step only the first can be seen.
    private static let step = Duration.milliseconds(2_500)

    init(of objects: FolderObjects) { self.objects = objects }

    /// This watch after a look, and whether there may be something new. What is there at the first look is new.
    ///
    /// Blocks while it asks for each folder, and while it reads those that have changed to find the folders in them.
    func looked() -> (watch: FolderWatch, hasChanged: Bool) {
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

    /// The folders in a changed folder that were not known. They are known then.
    private mutating func newFolders(in path: String) -> [String] {
        let start = ContinuousClock.now
        guard let folder = folders[path], folder.isUnread, folder.mark != nil, (folder.nextReading ?? start) <= start
        else { return [] }
        let names = try? objects.folders(prefix: ObjectPrefix(folder: path) ?? .all, limit: Self.mostFolders)
        let end = ContinuousClock.now
        folders[path]!.isUnread = names == nil
        // A folder with very many files that changes all the time is read for half a hundredth of the time.
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

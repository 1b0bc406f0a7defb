import Foundation
import Synchronization

/// The objects of a ``FolderTransport``. Works on the calling thread.
final class FolderObjects: Sendable {
    let root: String
    let state: Mutex<State>

    /// The maximum size of an object in bytes: that of a file on FAT.
    static let largest = Int(UInt32.max)

    struct State {
        /// Whether the file system supports hard links, as far as known.
        var hasLinks: Bool
        /// When each folder was last searched for the leftovers of crashed writers, by the clock of its file system.
        var searched: [String: Int] = [:]
    }

    init(_ root: String, hasLinks: Bool) {
        self.root = root
        state = Mutex(State(hasLinks: hasLinks))
    }

    /// Creates the last part of the root, unless it exists.
    func makeRoot() throws(TransportError) {
        let url = URL(filePath: root)
        let parent = try OpenFolder(root: url.deletingLastPathComponent().path)
        try parent.makeFolder(url.lastPathComponent)
        _ = try OpenFolder(root: root)
    }

    /// Opens the folder with these parts below the root; `nil` if it does not exist.
    ///
    /// - Throws: ``TransportError``: `unreachable` if the root does not exist; `refused` if a part is not a folder.
    func folder(_ parts: some Sequence<String>) throws(TransportError) -> OpenFolder? {
        var folder = try OpenFolder(root: root)
        var path = ""
        for part in parts {
            path += path.isEmpty ? part : "/" + part
            guard let next = try folder.folder(part, as: ObjectName(path)!) else { return nil }
            folder = next
        }
        return folder
    }

    /// Opens the folder of an object, and creates it if it does not exist.
    func madeFolder(of name: ObjectName) throws(TransportError) -> OpenFolder {
        var folder = try OpenFolder(root: root)
        var path = ""
        for part in name.parts.dropLast() {
            path += path.isEmpty ? part : "/" + part
            let object = ObjectName(path)!
            if let next = try folder.folder(part, as: object) {
                folder = next
                continue
            }
            try folder.makeFolder(part)
            guard let next = try folder.folder(part, as: object) else {
                throw .unreachable("The folder \(folder.path)/\(part) was deleted just after it had been created.")
            }
            folder = next
        }
        return folder
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) throws(TransportError) -> [UInt8]? {
        guard let folder = try folder(name.parts.dropLast()) else { return nil }
        let last = name.parts.last!
        guard let file = try folder.file(last, as: name) else {
            guard try folder.status(of: RemoteFileNames.placeholder(of: last)) == nil else {
                throw .unreachable("The object \(name) is not downloaded yet.")
            }
            return nil
        }
        let all = 0..<(try file.status().byteCount)
        let taken = (range ?? all).clamped(to: all)
        guard taken.count <= limit else { throw .tooLarge(name, byteCount: taken.count) }
        return try file.read(taken)
    }

    func delete(_ name: ObjectName) throws(TransportError) {
        guard let folder = try folder(name.parts.dropLast()) else { return }
        let last = name.parts.last!
        if let refusal = try folder.status(of: last)?.refusal { throw .refused(name, refusal) }
        try folder.remove(last)
        // A cloud deletes the object when its placeholder is deleted.
        try folder.remove(RemoteFileNames.placeholder(of: last))
    }
}

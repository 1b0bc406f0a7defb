import Foundation
import GroundwaveTesting

/// A file system in memory of a few MiB, gone with this object. Mounting takes root on Linux.
final class SmallDisk {
    private let folder: TemporaryFolder
    var url: URL { folder.url.appending(path: "disk") }

    init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        guard try Self.mount("-t", "tmpfs", "-o", "size=\(megabytes)m,mode=755", "groundwave", url.path) else {
            throw CocoaError(.featureUnsupported)
        }
    }

    deinit {
        if let umount = Program.installed("umount") { _ = try? Child(umount, ["-l", url.path]).wait() }
    }

    /// Makes it larger, or smaller.
    func resize(megabytes: Int) throws { _ = try Self.mount("-o", "remount,size=\(megabytes)m", url.path) }

    /// Makes it read-only, or writable again.
    func setReadOnly(_ isReadOnly: Bool) throws -> Bool {
        try Self.mount("-o", "remount,\(isReadOnly ? "ro" : "rw")", url.path)
    }

    /// Fills what is free with a file of this name.
    func fill(_ name: String) {
        let path = url.appending(path: name).path
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else { return }
        for size in [1 << 16, 1 << 12] { while (try? file.write(contentsOf: Data(count: size))) != nil {} }
        try? file.close()
    }

    private static func mount(_ arguments: String...) throws -> Bool {
        guard let mount = Program.installed("mount") else { return false }
        return try Child(mount, arguments).wait().ended(0)
    }

    /// Whether this user may mount here; tried once.
    static let isAllowed: Bool = {
        #if os(Linux)
        return (try? SmallDisk(megabytes: 1)) != nil
        #else
        return false
        #endif
    }()
}

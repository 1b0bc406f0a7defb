#if os(Linux)
import Foundation
import Glibc

/// What this process holds of the files in some folders, as the kernel tells.
struct HeldFiles: Equatable, CustomStringConvertible {
    /// The paths of files that are mapped.
    var maps: Set<String> = []
    /// The paths of open files.
    var descriptors: Set<String> = []
    /// The paths of files with a lock of any process.
    var locks: Set<String> = []

    var isNothing: Bool { self == HeldFiles() }

    var description: String { "maps \(maps.sorted()), files \(descriptors.sorted()), locks \(locks.sorted())" }

    init() {}

    init(below folders: URL...) throws {
        let paths = folders.map { $0.resolvingSymlinksInPath().path + "/" }
        func isBelow(_ path: some StringProtocol) -> Bool { paths.contains { path.hasPrefix($0) } }
        // The sixth word of a line is the path.
        for line in try Self.lines(of: "/proc/self/maps") {
            let words = line.split(separator: " ", maxSplits: 5)
            let path = words.count == 6 ? words[5].drop { $0 == " " } : ""
            if isBelow(path) { maps.insert(String(path)) }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            // It may have been closed since.
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            if let path, isBelow(path) { descriptors.insert(path) }
        }
        // "1: FLOCK ADVISORY WRITE 123 fe:01:4711 0 EOF": the last number of the sixth word is the inode.
        // The list is read in parts: while others lock and unlock files, one look may miss some.
        let locked = try Set(
            (0..<5).flatMap { _ in try Self.lines(of: "/proc/locks") }.compactMap { line in
                line.split(separator: " ").dropFirst(5).first?.split(separator: ":").last.flatMap { UInt64($0) }
            })
        for folder in folders {
            for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)! {
                var status = stat()
                if stat(file.path, &status) == 0, locked.contains(UInt64(status.st_ino)) { locks.insert(file.path) }
            }
        }
    }

    private static func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }
}
#endif

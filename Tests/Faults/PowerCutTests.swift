import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// What Tools/faults has found, each as the state that a power cut left.
@Suite struct `After a power cut` {
    @Test(
        .enabled(if: !FileManager.default.fileExists(atPath: "/System/Library"), "the system does not name its starts"))
    func `views of an earlier start of the machine are not believed, whatever their pages say`() async throws {
        let store = try PreparedStore()
        let before = try await store.shown()
        // Pages of any age: liblmdb would end the process over some, and others have checksums that are right.
        var bytes = try Data(contentsOf: store.views)
        for page in stride(from: 2 * 4096, to: bytes.count - 4096, by: 3 * 4096) {
            bytes.replaceSubrange(page..<page + 4096, with: Data(count: 4096))
        }
        try bytes.write(to: store.views)
        try Data(repeating: 7, count: 16).write(to: store.url.appending(path: "views.mdb.boot"))
        #expect(try await store.shown() == before)
        #expect(try Program.groundwave("verify", "--deep", "--store", store.url.path).ended(0))
    }

    @Test(.enabled(if: Strace.isAvailable, "strace is not installed, or may not trace"))
    func `an archive keeps its name: the folder is flushed before values leave the log`() throws {
        let store = try PreparedStore()
        let folder = try TemporaryFolder()
        let (file, trace) = (folder.path("old.gwa"), folder.path("trace"))
        let child = try Child(
            Program.installed("strace") ?? "strace",
            [
                "-f", "-y", "-o", trace, "-e", "trace=rename,fsync", Program.path("groundwave"), "archive", "--before",
                "now",
            ]
                + ["-o", file, "--yes", "--store", store.url.path])
        #expect(child.wait().ended(0))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let named = try #require(lines.firstIndex { $0.contains("rename(") && $0.contains("\"\(file)\")") })
        let rewritten = try #require(lines.firstIndex { $0.contains("rename(") && $0.contains("/log.mdb\")") })
        let place = URL(filePath: file).deletingLastPathComponent().lastPathComponent
        #expect(lines[named..<rewritten].contains { $0.contains("fsync(") && $0.contains("/\(place)>") })
    }
}

import Foundation
import GroundwaveReplication
import Testing

@Suite struct `Files in the making` {
    let folder: TemporaryFolder
    let place: TestedPlace

    init() throws {
        folder = try TemporaryFolder()
        place = TestedPlace(FolderTransport(folder.url))
    }

    private func unfinished() -> String { ".~groundwave-\(UUID().uuidString).tmp" }

    private func setAge(seconds: Double, of name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: folder(name))
    }

    @Test func `of crashed writers are never seen, and removed by the next one when they are an hour old`() async throws
    {
        let (old, young, elsewhere) = (unfinished(), unfinished(), unfinished())
        for name in ["log/\(old)", "log/\(young)", "other/\(elsewhere)"] { try folder.write([1, 2], to: name) }
        try setAge(seconds: 3_700, of: "log/\(old)")
        try setAge(seconds: 1_800, of: "log/\(young)")
        try setAge(seconds: 3_700, of: "other/\(elsewhere)")
        #expect(try await place.list() == [])
        #expect(try FolderTransport(folder.url).foreignNames() == [])
        #expect(folder.names(in: "log").count == 2)
        _ = try await place.put("log/1")
        #expect(folder.names(in: "log") == [young, "1"].sorted())
        #expect(folder.names(in: "other") == [elsewhere])
    }

    @Test func `are removed by none whose names only look alike`() async throws {
        let name = unfinished()
        try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: false)
        try setAge(seconds: 10_000, of: name)
        let others = [".~groundwave-1.tmp", ".~groundwave-\(UUID().uuidString).tmp2", ".~lock", "~groundwave.tmp"]
        for other in others {
            try folder.write([1], to: other)
            try setAge(seconds: 10_000, of: other)
        }
        _ = try await place.put("1")
        #expect(folder.names() == (others + [name, "1"]).sorted())
    }

    @Test(arguments: [300, 3_000, 20_000, 60_000, 150_000] as [UInt32])
    func `of a killed writer are no objects, and every object is whole`(microseconds: UInt32) async throws {
        let writer = try WriterProcess("put", folder.path)
        let first = writer.waitUntilItWorks(microseconds: microseconds)
        writer.kill()
        // The last line may be cut off, and its object have been stored.
        let said = Set((first + writer.lines().dropLast()).filter { $0.hasSuffix(" stored") })
        #expect(!said.isEmpty)
        let names = try await place.list()
        #expect(said.isSubset(of: names.map { "\($0) stored" }))
        for name in names {
            let bytes = try #require(try await place.get(name))
            let end = Int(try #require(bytes.last))
            #expect(bytes.count == 200_001 + end && Set(bytes.dropLast()).count == 1, "\(name)")
        }
        // At most the one that it was at.
        #expect(folder.names(in: "folder").count <= names.count + 1)
    }
}

@Suite struct `A folder that takes nothing` {
    #if os(Linux)
    @Test(.enabled(if: Mount.isAllowed, "mounting a file system needs privileges"), arguments: [true, false])
    func `since its disk is full is named so, keeps nothing of the object, and takes it when there is room`(
        hasLinks: Bool
    ) async throws {
        let disk = try Mount(byteCount: 1 << 20)
        let transport = FolderTransport(disk.folder.url, hasLinks: hasLinks)
        let place = TestedPlace(transport)
        let bytes = [UInt8](repeating: 7, count: 300_000)
        for name in ["log/1", "log/2", "log/3"] { #expect(try await place.put(name, bytes) == .stored) }
        await #expect { try await place.put("log/4", bytes) } throws: {
            if case .full = $0 as? TransportError { true } else { false }
        }
        #expect(disk.folder.names(in: "log") == ["1", "2", "3"])
        #expect(try await place.get("log/4") == nil)
        #expect(try await place.put("log/3", bytes) == .exists)
        try await place.delete("log/1")
        #expect(try await place.put("log/4", bytes) == .stored)
        #expect(try await place.get("log/4") == bytes)
    }

    @Test(.enabled(if: Mount.isAllowed, "mounting a file system needs privileges"))
    func `since it is read-only is named so, and can be read`() async throws {
        let disk = try Mount(byteCount: 1 << 20)
        let place = TestedPlace(FolderTransport(disk.folder.url))
        _ = try await place.put("log/1", [1])
        try #require(disk.setReadOnly(true))
        for name in ["log/2", "other/1"] {
            await #expect { try await place.put(name) } throws: {
                if case .notPermitted = $0 as? TransportError { true } else { false }
            }
        }
        await #expect { try await place.delete("log/1") } throws: {
            if case .notPermitted = $0 as? TransportError { true } else { false }
        }
        #expect(try await place.put("log/1", [2]) == .exists)
        #expect(try await place.get("log/1") == [1])
    }
    #endif

    @Test func `from this user is named so`() async throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "folder/old")
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder("folder"))
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder("folder")) }
        // The child is an ordinary user, also where this process is a privileged one.
        #expect(try WriterProcess("put-unprivileged", folder.path).lines() == ["notPermitted"])
        #expect(try WriterProcess("get-unprivileged", folder.path).lines() == ["[1]"])
        try files.setAttributes([.posixPermissions: 0], ofItemAtPath: folder("folder/old"))
        #expect(try WriterProcess("get-unprivileged", folder.path).lines() == ["notPermitted"])
        #expect(folder.names(in: "folder") == ["old"])
    }
}

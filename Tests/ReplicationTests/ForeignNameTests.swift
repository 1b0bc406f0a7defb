import Foundation
import GroundwaveReplication
import Testing

@Suite struct `Names that no store has given` {
    let folder: TemporaryFolder
    let place: TestedPlace
    let transport: FolderTransport

    init() throws {
        folder = try TemporaryFolder()
        transport = FolderTransport(folder.url)
        place = TestedPlace(transport)
    }

    @Test(arguments: [
        ("0001 (N0CALL's conflicted copy 2026-05-01).seg", "0001.seg"),
        ("0001 (N0CALL's conflicted copy 2026-05-01 (2)).seg", "0001.seg"),
        ("0001 (Konfliktkopie von Jürgen 2026-05-01).seg", "0001.seg"),
        ("0001 (conflicted copy 2026-05-01 123456).seg", "0001.seg"),
        ("0001.sync-conflict-20260501-123456-ABCDEFG.seg", "0001.seg"),
        ("0001.sync-conflict-20260501-123456-ABCDEFG", "0001"),
        (
            "A23456789-B23456789-C23456789.sync-conflict-20260501-123456-ABCDEFG.seg",
            "A23456789-B23456789-C23456789.seg"
        ),
        ("0001 2.seg", "0001.seg"), ("0001 (1).seg", "0001.seg"), ("0001 (1)", "0001"), ("0001 12", "0001"),
        ("a.b (1).c", "a.b.c"), ("0001-DESKTOP-ABC.seg", "0001.seg"), ("a-b-LAPTOP-0A1B2C3-2", "a-b"),
    ])
    func `are told as conflict copies, with the object that they are copies of`(
        name: String, original: String
    ) async throws {
        _ = try await place.put("log/\(original)", [1])
        try folder.write([2], to: "log/\(name)")
        let kind = ForeignName.Kind.conflictCopy(of: try #require(ObjectName("log/\(original)")))
        #expect(try transport.foreignNames() == [ForeignName(path: "log/\(name)", kind: kind)])
        #expect(try await place.list() == ["log/\(original)"])
    }

    @Test func `are told as conflict copies where they are those of folders, with nothing that is in them`()
        async throws
    {
        try folder.write([1], to: "log/7K (conflicted copy 2026-05-01 123456)/1")
        let kind = ForeignName.Kind.conflictCopy(of: try #require(ObjectName("log/7K")))
        #expect(try transport.foreignNames().map(\.kind) == [kind])
        #expect(try await place.list() == [])
        #expect(try await place.folders("log") == [])
    }

    @Test(arguments: [
        "0001.sync-conflict-2026-123456-ABCDEFG.seg", "0001.sync-conflict-20260501-12345x-ABCDEFG.seg", "0001-2.seg",
        "0001.2", "a-b.seg", "DESKTOP-ABC.seg", "sync-conflict-20260501-123456-ABCDEFG.seg",
    ])
    func `are not those of objects that only look alike`(name: String) async throws {
        #expect(try await place.put(name) == .stored)
        #expect(try await place.list() == [name])
        #expect(try transport.foreignNames() == [])
    }

    @Test(arguments: ["0001.sync-conflict-20260501-123456-ABCDEFG.seg", "0001-DESKTOP-ABC.seg"])
    func `are refused for objects`(name: String) async throws {
        await #expect(throws: TransportError.self) { try await place.put(name) }
        #expect(folder.names() == [])
    }

    @Test(arguments: [
        ".DS_Store", ".stfolder/x", "desktop.ini x", "é", "a b.seg", "a\nb", " (1).seg", "(1)", ".hidden", "Ä (1).seg",
        String(repeating: "x", count: 65), ".~groundwave-1.tmp", "..icloud", ". .icloud",
    ])
    func `are told, whatever they are`(name: String) async throws {
        try folder.write([1], to: name)
        let shown = name.split(separator: "/").first.map(String.init)
        #expect(try transport.foreignNames() == [ForeignName(path: try #require(shown), kind: .other)])
        #expect(try await place.list() == [])
        #expect(try await place.folders() == [])
    }

    #if os(Linux)
    // The file systems of macOS take no such name.
    @Test func `are told where they are no Unicode`() async throws {
        try #require(rename(try file("plain"), [UInt8(ascii: "x"), 0xFF]))
        #expect(rename(try file("plain"), [UInt8](repeating: 0xFF, count: 255)))
        let repaired = ["x\u{FFFD}", String(repeating: "\u{FFFD}", count: 255)]
        #expect(try transport.foreignNames() == repaired.map { ForeignName(path: $0, kind: .other) })
        #expect(try await place.list() == [])
    }
    #endif

    private func file(_ name: String) throws -> String {
        try folder.write([1], to: name)
        return folder(name)
    }

    /// Gives a file a name of any bytes.
    private func rename(_ path: String, _ name: [UInt8]) -> Bool {
        let target = Array((folder.path + "/").utf8) + name + [0]
        return Foundation.rename(path, target.map { CChar(bitPattern: $0) }) == 0
    }

    @Test func `are told in the order of their paths, and no more than one wants`() async throws {
        for number in 0..<20 { try folder.write([1], to: "folder\(number % 3)/\(number) x") }
        _ = try await place.put("folder1/1")
        let all = try transport.foreignNames()
        #expect(all.map(\.path) == all.map(\.path).sorted() && all.count == 20)
        #expect(try transport.foreignNames(limit: 7) == Array(all.prefix(7)))
        #expect(try transport.foreignNames(limit: 0) == [])
    }

    @Test func `stand for an object that a cloud has, which is there and not at hand`() async throws {
        let name = try #require(ObjectName("log/1.seg"))
        try folder.write([1, 2, 3], to: "log/.1.seg.icloud")
        #expect(try transport.foreignNames() == [ForeignName(path: "log/.1.seg.icloud", kind: .notDownloaded(name))])
        #expect(try await place.list() == [])
        await #expect(throws: TransportError.unreachable("The object log/1.seg is not downloaded yet.")) {
            try await place.get("log/1.seg")
        }
        #expect(try await place.put("log/1.seg") == .exists)
        try await place.delete("log/1.seg")
        #expect(folder.names(in: "log") == [])
        #expect(try await place.get("log/1.seg") == nil)
    }
}

import Foundation
import Testing

@testable import GroundwaveReplication

@Suite struct `A place that is a folder` {
    let folder: TemporaryFolder
    let place: TestedPlace
    let transport: FolderTransport

    init() throws {
        folder = try TemporaryFolder()
        transport = FolderTransport(folder.url)
        place = TestedPlace(transport)
    }

    private func isRefused(_ error: any Error, _ name: String) -> Bool {
        if case .refused(let refused, _) = error as? TransportError { refused.description == name } else { false }
    }

    private func isUnreachable(_ error: any Error) -> Bool {
        if case .unreachable = error as? TransportError { true } else { false }
    }

    // MARK: What is in it

    @Test func `holds each object as a file of its name, and nothing else`() async throws {
        _ = try await place.put("log/7K/1.seg", [1, 2])
        _ = try await place.put("log/7K/1.seg", [3])
        #expect(folder.names() == ["log"])
        #expect(folder.names(in: "log/7K") == ["1.seg"])
        #expect(try Data(contentsOf: URL(filePath: folder("log/7K/1.seg"))) == Data([1, 2]))
    }

    @Test func `shows what others put there`() async throws {
        try folder.write([5], to: "log/1")
        #expect(try await place.list() == ["log/1"])
        #expect(try await place.get("log/1") == [5])
        #expect(try await place.put("log/1") == .exists)
        try await place.delete("log/1")
        #expect(folder.names(in: "log") == [])
    }

    @Test func `does not read an object that is larger than the limit`() async throws {
        try folder.write([], to: "a")
        let byteCount = 1 << 42
        try FileHandle(forWritingTo: URL(filePath: folder("a"))).truncate(atOffset: UInt64(byteCount))
        await #expect(throws: TransportError.tooLarge(ObjectName("a")!, byteCount: byteCount)) {
            try await place.get("a")
        }
        #expect(try await place.get("a", range: byteCount - 2..<byteCount + 9) == [0, 0])
    }

    @Test func `does not take an object for a folder, nor a folder for an object`() async throws {
        _ = try await place.put("a/b", [1])
        await #expect { try await place.put("a") } throws: { isRefused($0, "a") }
        await #expect { try await place.get("a") } throws: { isRefused($0, "a") }
        await #expect { try await place.delete("a") } throws: { isRefused($0, "a") }
        await #expect { try await place.put("a/b/c") } throws: { isRefused($0, "a/b") }
        await #expect { try await place.get("a/b/c/d") } throws: { isRefused($0, "a/b") }
        await #expect { try await place.list("a/b") } throws: { isRefused($0, "a/b") }
        #expect(try await place.list() == ["a/b"])
    }

    // MARK: Where it is

    @Test func `that is not there is unreachable, and nobody makes it`() async throws {
        let stick = folder.url.appending(path: "stick")
        let place = TestedPlace(FolderTransport(stick.appending(path: "log")))
        let transport = FolderTransport(stick.appending(path: "log"))
        await #expect { try await place.put("a") } throws: { isUnreachable($0) }
        await #expect { try await place.get("a") } throws: { isUnreachable($0) }
        await #expect { try await place.list() } throws: { isUnreachable($0) }
        await #expect { try await place.folders() } throws: { isUnreachable($0) }
        await #expect { try await place.delete("a") } throws: { isUnreachable($0) }
        #expect { try transport.foreignNames() } throws: { isUnreachable($0) }
        await #expect { try await transport.create() } throws: { isUnreachable($0) }
        #expect(folder.names() == [])

        try FileManager.default.createDirectory(at: stick, withIntermediateDirectories: false)
        await #expect { try await place.put("a") } throws: { isUnreachable($0) }
        try await transport.create()
        try await transport.create()
        #expect(try await place.put("a") == .stored)
        #expect(folder.names(in: "stick/log") == ["a"])
    }

    @Test func `that is a file is unreachable`() async throws {
        try folder.write([1], to: "file")
        let transport = FolderTransport(folder.url.appending(path: "file"))
        await #expect { try await transport.create() } throws: { isUnreachable($0) }
        await #expect { try await TestedPlace(transport).list() } throws: { isUnreachable($0) }
    }

    @Test func `may be reached through links`() async throws {
        try FileManager.default.createDirectory(atPath: folder("real/log"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder("way"), withDestinationPath: "real")
        try FileManager.default.createSymbolicLink(atPath: folder("root"), withDestinationPath: "real/log")
        for root in ["way/log", "root"] {
            let place = TestedPlace(FolderTransport(URL(filePath: folder(root))))
            #expect(try await place.put(String(root.prefix(3)) + "/1") == .stored)
        }
        #expect(folder.names(in: "real/log") == ["roo", "way"])
    }

    // MARK: What is hostile in it

    @Test func `does not follow a link that has the name of an object`() async throws {
        try folder.write([7], to: "secret")
        let transport = FolderTransport(URL(filePath: folder("root")))
        try await transport.create()
        let place = TestedPlace(transport)
        for (name, destination) in [("outside", "../secret"), ("dangling", "../new"), ("itself", "itself")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder("root/" + name), withDestinationPath: destination)
            await #expect { try await place.get(name) } throws: { isRefused($0, name) }
            await #expect { try await place.put(name) } throws: { isRefused($0, name) }
            await #expect { try await place.delete(name) } throws: { isRefused($0, name) }
        }
        #expect(try await place.list() == [])
        #expect(folder.names() == ["root", "secret"])
        #expect(folder.names(in: "root") == ["dangling", "itself", "outside"])
        #expect(try transport.foreignNames().map(\.kind) == [.symbolicLink, .symbolicLink, .symbolicLink])
    }

    @Test func `does not follow a link on the way to an object`() async throws {
        try folder.write([7], to: "elsewhere/inner/1")
        let transport = FolderTransport(URL(filePath: folder("root")))
        try await transport.create()
        let place = TestedPlace(transport)
        _ = try await place.put("log/2")
        for link in ["way", "log/way"] {
            let destination = link == "way" ? "../elsewhere" : "../../elsewhere"
            try FileManager.default.createSymbolicLink(
                atPath: folder("root/" + link), withDestinationPath: destination)
            for name in ["\(link)/inner/1", "\(link)/new", "\(link)/inner/new"] {
                await #expect { try await place.get(name) } throws: { isRefused($0, link) }
                await #expect { try await place.put(name) } throws: { isRefused($0, link) }
                await #expect { try await place.delete(name) } throws: { isRefused($0, link) }
            }
            await #expect { try await place.list(link) } throws: { isRefused($0, link) }
            await #expect { try await place.folders(link + "/inner") } throws: { isRefused($0, link) }
        }
        #expect(try await place.list() == ["log/2"])
        #expect(try await place.folders() == ["log"])
        #expect(folder.names(in: "elsewhere/inner") == ["1"])
        #expect(try transport.foreignNames().map(\.path) == ["log/way", "way"])
    }

    @Test func `does not follow a link that takes the place of a file while one looks`() async throws {
        try folder.write([7], to: "elsewhere")
        try folder.write([1], to: "kept")
        try folder.write([1], to: "root/file")
        let swapping = Task.detached { [folder] in
            while !Task.isCancelled {
                symlink("../elsewhere", folder("next"))
                rename(folder("next"), folder("root/file"))
                link(folder("kept"), folder("next"))
                rename(folder("next"), folder("root/file"))
            }
        }
        let objects = FolderTransport(URL(filePath: folder("root"))).objects
        let name = try #require(ObjectName("file"))
        let end = ContinuousClock.now + .seconds(10)
        var readings: Set<[UInt8]?> = []
        var refusals = 0
        while refusals < 3_000, ContinuousClock.now < end {
            do { readings.insert(try objects.get(name, range: nil, limit: 10)) } catch {
                #expect(isRefused(error, "file"))
                refusals += 1
            }
        }
        swapping.cancel()
        await swapping.value
        #expect(readings == [[1]])
    }

    @Test(.timeLimit(.minutes(10)))
    func `refuses a FIFO without waiting for its other end`() async throws {
        #expect(mkfifo(folder("fifo"), 0o600) == 0)
        await #expect { try await place.get("fifo") } throws: { isRefused($0, "fifo") }
        await #expect { try await place.put("fifo") } throws: { isRefused($0, "fifo") }
        await #expect { try await place.get("fifo/a") } throws: { isRefused($0, "fifo") }
        #expect(try await place.list() == [])
        #expect(try transport.foreignNames() == [ForeignName(path: "fifo", kind: .special)])
    }

    #if os(Linux)
    /// Makes the device that is /dev/zero, which needs privileges.
    private static func makeDevice(_ path: String) -> Bool { mknod(path, S_IFCHR | 0o666, 1 << 8 | 5) == 0 }

    private static let mayMakeDevices: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        return makeDevice(folder("zero"))
    }()

    @Test(.enabled(if: mayMakeDevices, "making a device needs privileges"))
    func `refuses a device`() async throws {
        try #require(Self.makeDevice(folder("zero")))
        await #expect { try await place.get("zero", range: 0..<10) } throws: { isRefused($0, "zero") }
        await #expect { try await place.put("zero") } throws: { isRefused($0, "zero") }
        #expect(try await place.list() == [])
        #expect(try transport.foreignNames() == [ForeignName(path: "zero", kind: .special)])
    }
    #endif

    // MARK: What others tell

    @Test func `tells of what another program does, also when it was away`() async throws {
        let transport = FolderTransport(URL(filePath: folder("root")), interval: .milliseconds(20))
        var hints = try #require(transport.watch()).makeAsyncIterator()
        // It comes, and has an object.
        try folder.write([1], to: "root/a")
        await hints.next()
        try FileManager.default.removeItem(atPath: folder("root"))
        await hints.next()
        try folder.write([1], to: "root/new/folder/b")
        await hints.next()
        #expect(try await TestedPlace(transport).list() == ["new/folder/b"])
    }
}

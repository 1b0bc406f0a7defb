import GroundwaveReplication
import GroundwaveSeededNumbers
import ObjectServers
import Testing

@testable import GroundwaveObjectStore

@Suite struct `A listing of a bucket` {
    private static let folders = ["a", "a-", "a-b", "a.b", "b", "-", "a/b", "a/b-", "a/b/c"]

    /// Names where no object is also a folder, of letters on both sides of `/` in byte order.
    private static func names(_ numbers: inout SeededGenerator) -> Set<String> {
        Set(
            (0..<40).map { _ in
                let folder = folders.randomElement(using: &numbers)!
                let letters = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
                    "-.0aZ_x".randomElement(using: &numbers)!
                }
                return "\(Bool.random(using: &numbers) ? folder + "/" : "")o\(String(letters))"
            })
    }

    @Test(arguments: ["bytes", "folders"], UInt64(1)...6)
    func `is that of memory, in whatever order the server lists`(order: String, seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let (server, memory) = (try await FaultServer.start(), MemoryTransport())
        let texts = Self.names(&numbers).union(["~foreign", "a/ b", "a/\u{1}", "a/oz", "é"])
        let page = Int.random(in: 1...7, using: &numbers)
        try await server.order {
            [
                "order": order, "page": page,
                "objects": Dictionary(uniqueKeysWithValues: texts.map { ("p/\($0)", $0) })
                    .merging(["outside": "x", "p0": "x"]) { $1 },
            ]
        }
        let names = texts.compactMap { ObjectName($0) }
        for name in names { #expect(try memory.putIfAbsent(name, [1]) == .stored) }
        let bucket = S3Transport(try server.bucket("p"), ObjectStoreServer.credentials)
        for _ in 0..<12 {
            let prefix =
                Bool.random(using: &numbers)
                ? .all : ObjectPrefix(folder: Self.folders.randomElement(using: &numbers)!)!
            let after = [nil, names.randomElement(using: &numbers), ObjectName("a-"), ObjectName("a")].randomElement(
                using: &numbers)!
            let limit = [0, 1, 2, 5, 1_000].randomElement(using: &numbers)!
            let expected = try memory.list(prefix: prefix, startAfter: after, limit: limit)
            let found = try await bucket.list(prefix: prefix, startAfter: after, limit: limit)
            #expect(found == expected, "below \(prefix), after \(after.map { "\($0)" } ?? "nothing"), \(limit)")
            let folders = try await bucket.folders(prefix: prefix, limit: limit)
            let known = try memory.folders(prefix: prefix, limit: limit)
            #expect(folders == known, "of \(prefix), \(limit): \(folders), not \(known)")
        }
    }

    @Test func `of segments costs one request for each thousand, and goes on where it ended`() async throws {
        let server = try await FaultServer.start()
        func name(_ number: Int) -> String { "stores/S/\(String(100_000 + number)).segment" }
        let objects = Dictionary(uniqueKeysWithValues: (0..<2_500).map { (name($0), "x") })
        try await server.order { ["objects": objects] }
        let transport = S3Transport(try server.bucket(), ObjectStoreServer.credentials)
        let prefix = try #require(ObjectPrefix(folder: "stores/S"))
        let first = try await transport.list(prefix: prefix, startAfter: nil, limit: 998)
        #expect(first.count == 998)
        #expect(try await server.order().requests.count == 1)
        let rest = try await transport.list(prefix: prefix, startAfter: first.last, limit: 10_000)
        #expect(rest.count == 1_502)
        #expect(rest.first?.description == name(998))
        #expect(try await server.order().requests.count == 2)
        #expect(try await transport.sizes(below: prefix).map(\.byteCount) == [Int](repeating: 1, count: 2_500))
    }

    @Test func `of folders is used for half a minute, and no longer after a write`() async throws {
        let server = try await FaultServer.start()
        let transport = S3Transport(try server.bucket(), ObjectStoreServer.credentials)
        let prefix = try #require(ObjectPrefix(folder: "stores"))
        try await server.order { ["objects": ["stores/A/1": "x"]] }
        for _ in 0..<5 { #expect(try await transport.folders(prefix: prefix, limit: 10) == ["A"]) }
        #expect(try await server.order { ["objects": ["stores/B/1": "x"]] }.requests.count == 1)
        #expect(try await transport.folders(prefix: prefix, limit: 10) == ["A"])
        _ = try await transport.putIfAbsent(try #require(ObjectName("stores/A/2")), [1])
        #expect(try await transport.folders(prefix: prefix, limit: 10) == ["A"], "it has no new folder")
        _ = try await transport.putIfAbsent(try #require(ObjectName("stores/C/1")), [1])
        #expect(try await transport.folders(prefix: prefix, limit: 10) == ["A", "B", "C"])
        #expect(try await transport.folders(prefix: prefix, limit: 1) == ["A"])
    }

    @Test func `of folders is forgotten when its time is over`() throws {
        let (cache, prefix) = (FolderCache(), try #require(ObjectPrefix(folder: "stores")))
        cache.keep(["A"], of: prefix, milliseconds: 1_000, since: cache.generation)
        #expect(cache.value(of: prefix, milliseconds: 30_999) == ["A"])
        #expect(cache.value(of: prefix, milliseconds: 31_000) == nil)
        #expect(cache.value(of: .all, milliseconds: 1_000) == nil)
        // An object in a folder that was listed, or outside, makes no new folder.
        for text in ["stores/A/1", "stores/1", "other/B/1"] { cache.forget(without: try #require(ObjectName(text))) }
        #expect(cache.value(of: prefix, milliseconds: 1_000) == ["A"])
        cache.forget(without: try #require(ObjectName("stores/B/1")))
        #expect(cache.value(of: prefix, milliseconds: 1_000) == nil)
        cache.keep(["A"], of: prefix, milliseconds: 1_000, since: cache.generation)
        let generation = cache.generation
        cache.forget()
        cache.keep(["A"], of: prefix, milliseconds: 1_000, since: generation)
        #expect(cache.value(of: prefix, milliseconds: 1_000) == nil)
    }
}

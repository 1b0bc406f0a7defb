import GroundwaveLMDB
import Testing

@Suite struct `Creating an environment` {
    struct Refused: Error {}

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the file holds what was prepared and nothing lies beside it`() throws {
        try Environment.create(at: folder()) { transaction in
            let table = try transaction.openOrCreate("names", of: [UInt8].self)
            try transaction.put(Array("Groundwave".utf8), for: Array("name".utf8), in: table)
        }
        #expect(folder.names == ["store"])
        let name = try Environment.open(folder()).read { transaction in
            try transaction.value(Array("name".utf8), in: try #require(try transaction.table("names")))
        }
        #expect(name == Array("Groundwave".utf8))
    }

    @Test func `an existing file is left as it was`() throws {
        try write([1, 2, 3], to: folder())
        #expect(try reason { try Environment.create(at: folder()) { _ in } } == .exists)
        #expect(try contents(of: folder()) == [1, 2, 3])
        #expect(folder.names == ["store"])
    }

    @Test func `a file that appears during the creation is left as it was`() throws {
        #expect(
            try reason {
                try Environment.create(at: folder()) { _ in try write([1, 2, 3], to: folder()) }
            } == .exists)
        #expect(try contents(of: folder()) == [1, 2, 3])
        #expect(folder.names == ["store"])
    }

    @Test func `if the preparation throws there is no file`() throws {
        #expect(throws: Refused.self) {
            try Environment.create(at: folder()) { transaction in
                _ = try transaction.openOrCreate(entries, of: UInt64.self)
                throw Refused()
            }
        }
        #expect(folder.names == [])
    }

    @Test func `a missing folder is an error`() throws {
        #expect(try reason { try Environment.create(at: folder("no/store")) { _ in } } == .missing)
    }

    @Test func `the map grows while a large content is prepared`() throws {
        let environment = try Environment.make(
            folder(), keys: 0..<20_000, options: .init(initialMapSizeBytes: 1 << 20))
        #expect(try environment.info().mapSizeBytes >= 4 << 20)
        #expect(try environment.allEntries() == values(for: 0..<20_000))
    }

    /// A creation takes a few milliseconds; the alarm of the child walks through them.
    @Test func `creation killed at any moment leaves no file or a whole one`() throws {
        var (missing, whole) = (0, 0)
        for step in 0..<80 {
            let path = folder("store-\(step)")
            try ChildProcess("create", path, String(200 + step * 150)).status()
            do {
                let environment = try Environment.open(path)
                #expect(try environment.allEntries() == values(for: 0..<100))
                whole += 1
            } catch let error as LMDBError where error.reason == .missing {
                missing += 1
                // The name is still free, whatever the killed process left beside it.
                if step % 10 == 0 {
                    #expect(try Environment.make(path, keys: 0..<100).allEntries() == values(for: 0..<100))
                }
            }
        }
        print("Creation killed \(missing) times before the file had its name; \(whole) files were whole.")
        #expect(missing > 0 && missing + whole == 80)
    }
}

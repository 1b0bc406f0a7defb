import GroundwaveLMDB
import Testing

@Suite struct `A compacted copy` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `holds the same entries in fewer pages`() throws {
        let environment = try Environment.make(folder(), keys: 0..<5_000)
        try environment.write { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            for key in UInt64(100)..<5_000 { _ = try transaction.remove(key, in: table) }
        }
        try environment.copyCompacted(to: folder("copy"))
        #expect(folder.names == ["copy", "store", "store-lock", "store-writer"])
        let copy = try Environment.open(folder("copy"))
        #expect(try copy.allEntries() == values(for: 0..<100))
        #expect(try copy.fileSizeBytes * 5 < environment.fileSizeBytes)
        try copy.put(100..<200)
        #expect(try environment.allEntries() == values(for: 0..<100))
    }

    @Test func `replaces no file`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try write([1, 2, 3], to: folder("copy"))
        #expect(try reason { try environment.copyCompacted(to: folder("copy")) } == .exists)
        #expect(try reason { try environment.copyCompacted(to: folder("no/copy")) } == .missing)
        #expect(try contents(of: folder("copy")) == [1, 2, 3])
        #expect(folder.names == ["copy", "store", "store-lock"])
    }

    @Test func `is one state although others write meanwhile`() throws {
        let environment = try Environment.make(folder(), keys: 0..<5_000)
        try inParallel([
            { for start in UInt64(50)..<90 { try environment.put(start * 100..<(start + 1) * 100) } },
            { try environment.copyCompacted(to: folder("copy")) },
        ])
        let found = try Environment.open(folder("copy")).allEntries()
        #expect(found.count % 100 == 0)
        #expect(found == values(for: 0..<UInt64(found.count)))
    }
}

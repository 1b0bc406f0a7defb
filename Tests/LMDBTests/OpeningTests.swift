import GroundwaveLMDB
import GroundwaveSeededNumbers
import Testing

@Suite struct `Opening a file` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Refuses `path` and must leave the folder as it was.
    private func refusal(of path: String, options: Environment.Options = .init()) throws -> LMDBError.Reason? {
        let before = folder.names
        let refusal = try reason { _ = try Environment.open(path, options: options) }
        #expect(folder.names == before, "A refused file has left something behind.")
        return refusal
    }

    @Test func `a missing file is an error and is not made`() throws {
        #expect(try refusal(of: folder()) == .missing)
        #expect(try refusal(of: folder("no-folder/store")) == .missing)
        #expect(try refusal(of: folder(), options: .init(isReadOnly: true)) == .missing)
    }

    @Test func `an empty file is an error and stays empty`() throws {
        try write([], to: folder())
        #expect(try refusal(of: folder()) == .empty)
        #expect(try refusal(of: folder(), options: .init(isReadOnly: true)) == .empty)
        #expect(try contents(of: folder()) == [])
    }

    @Test func `a file that is no LMDB file is named so`() throws {
        try write([UInt8](repeating: 0x47, count: 100_000), to: folder())
        #expect(try refusal(of: folder()) == .notLMDB)
        try write([UInt8](repeating: 0, count: 100_000), to: folder())
        #expect(try refusal(of: folder()) == .notLMDB)
        #expect(try refusal(of: folder.path) == .notLMDB)
    }

    @Test func `a file shorter than its meta pages is cut short`() throws {
        let environment = try Environment.make(folder())
        let pageSize = environment.pageSize
        environment.close()
        let whole = try contents(of: folder())
        for count in [1, 151, 152, pageSize - 1, pageSize, 2 * pageSize - 1] {
            try write(Array(whole[..<count]), to: folder())
            guard case .truncated(_, count) = try refusal(of: folder()) else {
                Issue.record("\(count) bytes were not seen as cut short.")
                continue
            }
        }
    }

    @Test func `a file cut anywhere is refused with the length it should have`() throws {
        let environment = try Environment.make(folder(), keys: 0..<2_000)
        let expected = (try environment.info().lastPage + 1) * environment.pageSize
        environment.close()
        let whole = try contents(of: folder())
        #expect(whole.count >= expected)
        for count in [expected - 1, expected - environment.pageSize, expected / 2, 3 * environment.pageSize] {
            try write(Array(whole[..<count]), to: folder())
            #expect(try refusal(of: folder()) == .truncated(expected: expected, actual: count))
        }
        try write(Array(whole[..<expected]), to: folder())
        #expect(try Environment.open(folder()).allEntries() == values(for: 0..<2_000))
    }

    @Test func `a file whose missing pages were never written opens`() throws {
        let environment = try Environment.make(folder(), keys: 0..<100)
        // Free pages of earlier writes make LMDB take note of what this write gives back...
        for _ in 0..<5 { try environment.put(0..<100) }
        try environment.write { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            try transaction.put(value(for: 0), for: 0, in: table)
            // ... so the large value takes pages at the end of the file, and they are free before they are written.
            try transaction.put([UInt8](repeating: 1, count: 300_000), for: 500, in: table)
            #expect(try transaction.remove(500, in: table))
        }
        let counted = (try environment.info().lastPage + 1) * environment.pageSize
        try #require(try environment.fileSizeBytes < counted, "The file is not short, so this tests nothing.")
        environment.close()
        let reopened = try Environment.open(folder())
        #expect(try reopened.allEntries() == values(for: 0..<100))
        try reopened.put(100..<3_000)
        reopened.close()
        #expect(try Environment.open(folder()).allEntries() == values(for: 0..<3_000))
    }

    @Test func `a damaged meta page is told from a foreign file`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        let pageSize = environment.pageSize
        environment.close()
        let whole = try contents(of: folder())
        for start in [0, pageSize] {
            var damaged = whole
            damaged.replaceSubrange(start..<start + pageSize, with: repeatElement(0, count: pageSize))
            try write(damaged, to: folder())
            guard case .damaged(code: -30793, _) = try refusal(of: folder()) else {
                Issue.record("The page at \(start) was not seen as damaged.")
                continue
            }
        }
        var newer = whole
        newer[20] = 2
        try write(newer, to: folder())
        #expect(try refusal(of: folder()) == .versionMismatch(found: 2))
    }

    @Test(arguments: UInt64(1)...30)
    func `noise in the meta pages is refused or opens, and never ends the process`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let environment = try Environment.make(folder(), keys: 0..<10)
        let pageSize = environment.pageSize
        environment.close()
        var bytes = try contents(of: folder())
        // The table descriptions between 40 and 136 lead liblmdb to pages; noise there is not for this check to find.
        let places = [10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 136, 137, 138, 139, 140, 141, 142, 143]
        for _ in 0..<4 {
            let place = places[Int.random(in: 0..<places.count, using: &random)]
            bytes[place + (Bool.random(using: &random) ? pageSize : 0)] = .random(in: 0 ... .max, using: &random)
        }
        try write(bytes, to: folder())
        switch try reason({ try Environment.open(folder()).close() }) {
        case nil, .notLMDB, .damaged, .versionMismatch, .truncated: break
        case let other: Issue.record("Refused as \(String(describing: other)).")
        }
    }

    @Test func `errors say which file and what helps`() throws {
        let error = try #require(throws: LMDBError.self) { try Environment.open(folder("log.mdb")) }
        #expect(error.path == folder("log.mdb"))
        #expect(error.operation == .open)
        #expect(
            error.description
                == "\(folder("log.mdb")): there is no such file. Check the path, or create the store first.")
    }
}

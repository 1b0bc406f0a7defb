import Foundation
import GroundwaveLMDB
import Testing

@Suite struct `A file that is replaced` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Replaces the file of `environment` by one with `keys`, and opens that.
    private func replaced(_ environment: Environment, by keys: Range<UInt64>) throws -> Environment {
        try environment.write { transaction in
            #expect(environment.standing == .present)
            try environment.replaceFile(during: transaction) { new in
                let table = try new.openOrCreate(entries, of: UInt64.self)
                for key in keys { try new.append(value(for: key), for: key, in: table) }
            }
        }
        #expect(environment.standing == .replaced)
        environment.close()
        return try Environment.open(folder())
    }

    @Test(arguments: 0..<4)
    func `has what was written, and can be written to`(writes: UInt64) throws {
        var environment = try Environment.make(folder(), keys: 0..<500)
        for number in 0..<writes { try environment.put(1_000 + number..<1_001 + number) }
        environment = try replaced(environment, by: 2_000..<2_010)
        #expect(environment.standing == .present)
        #expect(try environment.allEntries() == values(for: 2_000..<2_010))
        try environment.put(2_010..<2_020)
        #expect(try environment.allEntries() == values(for: 2_000..<2_020))
        #expect(folder.names == ["store", "store-lock", "store-writer"])
    }

    @Test(arguments: 0..<6)
    func `shares the lock file with a process that reads the old one`(writes: UInt64) throws {
        var environment = try Environment.make(folder(), keys: 0..<500)
        for number in 0..<writes { try environment.put(500 + number..<501 + number) }
        let child = try ChildProcess("hold-read", folder())
        #expect(child.isReady())
        for round in UInt64(1)...3 {
            let first = round * 1_000
            environment = try replaced(environment, by: first..<first + 10)
            #expect(try environment.allEntries() == values(for: first..<first + 10))
            for number in 0..<round { try environment.put(first + 10 + number..<first + 11 + number) }
            #expect(try environment.allEntries() == values(for: first..<first + 10 + round))
            // A third process, which opens the new file beside both.
            #expect(try ChildProcess("count", folder()).text() == "\(10 + round)")
            #expect(try ChildProcess("write", folder(), "\(first + 500)", "\(first + 501)").status() == 0)
            #expect(try environment.allEntries().count == 11 + Int(round))
        }
        child.kill()
        try environment.put(0..<1)
        environment.close()
        #expect(try Environment.open(folder()).allEntries().count == 15)
    }

    @Test(arguments: 0..<5)
    func `goes on counting where the old one stopped, in two meta pages that are neighbours`(writes: UInt64) throws {
        var environment = try Environment.make(folder(), keys: 0..<500)
        for number in 0..<writes { try environment.put(500 + number..<501 + number) }
        let last = try environment.info().lastTransaction
        environment = try replaced(environment, by: 0..<10)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder())))
        // Of a page: its number at 0; of a meta page: the number of its transaction at 144 (mdb.c, MDB_page, MDB_meta).
        func number(at offset: Int) -> UInt64 {
            bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let pages = [0, 4096].map { [number(at: $0), number(at: $0 + 144)] }
        #expect(pages.map { $0[0] } == [0, 1])
        #expect(pages.map { $0[1] } == (last.isMultiple(of: 2) ? [last, last - 1] : [last - 1, last]))
        #expect(try environment.info().lastTransaction == last)
        // Whichever of the two is lost, the other one leads to the same.
        for page in [0, 4096] {
            let copy = folder() + "-copy"
            var copied = bytes
            copied.replaceSubrange(page + 144..<page + 152, with: [UInt8](repeating: 0, count: 8))
            try Data(copied).write(to: URL(filePath: copy))
            let other = try Environment.open(copy)
            #expect(try other.allEntries() == values(for: 0..<10))
            other.close()
        }
    }

    @Test func `is gone where nothing is at its path any more`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try FileManager.default.removeItem(atPath: folder())
        #expect(environment.standing == .missing)
    }

    @Test func `stays as it was where the new one could not be filled`() throws {
        struct Refusal: Error {}
        let environment = try Environment.make(folder(), keys: 0..<10)
        #expect(throws: Refusal.self) {
            try environment.write { transaction in
                try environment.replaceFile(during: transaction) { _ in throw Refusal() }
            }
        }
        #expect(environment.standing == .present)
        try environment.put(10..<20)
        #expect(try environment.allEntries() == values(for: 0..<20))
        #expect(folder.names == ["store", "store-lock", "store-writer"])
    }
}

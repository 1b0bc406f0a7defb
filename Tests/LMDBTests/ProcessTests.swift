import Foundation
import GroundwaveLMDB
import GroundwaveSeededNumbers
import Testing

@Suite struct `With a second process` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `each reads what the other has written`() throws {
        let environment = try Environment.make(folder(), keys: 0..<100)
        #expect(try ChildProcess("write", folder(), "100", "200").status() == 0)
        #expect(try environment.allEntries() == values(for: 0..<200))
        try environment.put(200..<300)
        #expect(try ChildProcess("count", folder()).text() == "300")
    }

    @Test func `both write at once and nothing is lost`() throws {
        let environment = try Environment.make(folder())
        let child = try ChildProcess("write-many", folder(), "1000", "1200")
        for key in UInt64(0)..<200 { try environment.put(key..<key + 1) }
        #expect(child.status() == 0)
        #expect(
            try environment.allEntries()
                == values(for: 0..<200).merging(values(for: 1000..<1200)) { $1 })
    }

    @Test func `a map the other has grown is taken over by reads and by writes`() throws {
        let options = Environment.Options(initialMapSizeBytes: 1 << 20)
        let environment = try Environment.make(folder(), options: options)
        #expect(try ChildProcess("grow", folder(), "0", "50").status() == 0)
        #expect(try environment.allEntries().count == 50)
        #expect(try environment.info().mapSizeBytes >= 50 * 100_000)
        #expect(try ChildProcess("grow", folder(), "50", "200").status() == 0)
        try environment.put(1_000..<1_001)
        #expect(try environment.allEntries().count == 201)
        #expect(try ChildProcess("count", folder()).text() == "201")
    }

    @Test func `a map the other has grown cannot be taken over inside an open read`() throws {
        let environment = try Environment.make(folder(), keys: 0..<1, options: .init(initialMapSizeBytes: 1 << 20))
        try environment.read { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            #expect(try ChildProcess("grow", folder(), "1", "50").status() == 0)
            #expect(try reason { try environment.read { _ in } } == .inUse)
            #expect(try transaction.count(of: table) == 1)
        }
        #expect(try environment.allEntries().count == 50)
    }

    @Test func `a table the other has made is found, also in the middle of a read`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        var runs = 0
        #expect(try environment.read { try $0.table("made elsewhere", of: UInt64.self) } == nil)
        #expect(try ChildProcess("new-table", folder()).status() == 0)
        let count = try environment.read { transaction in
            runs += 1
            let table = try #require(try transaction.table("made elsewhere", of: UInt64.self))
            return try transaction.count(of: table)
        }
        #expect(count == 10)
        #expect(runs == 2)
    }

    @Test func `a table the other has made is found by a write, and forgotten if that is undone`() throws {
        struct Refused: Error {}
        let environment = try Environment.make(folder(), keys: 0..<10)
        #expect(try ChildProcess("new-table", folder()).status() == 0)
        #expect(throws: Refused.self) {
            try environment.write { transaction in
                #expect(try transaction.table("made elsewhere", of: UInt64.self) != nil)
                throw Refused()
            }
        }
        let count = try environment.write { transaction in
            try transaction.count(of: try transaction.openOrCreate("made elsewhere", of: UInt64.self))
        }
        #expect(count == 10)
    }

    @Test func `a table the other has made cannot be opened by a read inside a write that opens tables`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        #expect(try ChildProcess("new-table", folder()).status() == 0)
        let find = { try environment.read { try $0.table("made elsewhere", of: UInt64.self) } }
        try environment.write { transaction in
            _ = try transaction.openOrCreate("mine", of: UInt64.self)
            #expect(try reason { _ = try find() } == .inUse)
        }
        #expect(try find() != nil)
    }

    @Test func `killed inside a write it leaves nothing, and the next write goes on`() throws {
        let environment = try Environment.make(folder(), keys: 0..<100)
        for round in UInt64(1)...3 {
            let child = try ChildProcess("hold-write", folder())
            #expect(child.isReady())
            #expect(try environment.allEntries() == values(for: 0..<100 * round))
            child.kill()
            try environment.put(100 * round..<100 * (round + 1))
            #expect(try environment.allEntries() == values(for: 0..<100 * (round + 1)))
        }
        environment.close()
        #expect(try Environment.open(folder()).allEntries() == values(for: 0..<400))
    }

    @Test func `killed inside a read it holds no pages once the file is opened again`() throws {
        var environment = try Environment.make(folder(), keys: 0..<1_000)
        let child = try ChildProcess("hold-read", folder())
        #expect(child.isReady())
        child.kill()
        environment.close()
        environment = try Environment.open(folder())
        try environment.put(0..<1_000)
        let before = try environment.fileSizeBytes
        for _ in 0..<30 { try environment.put(0..<1_000) }
        #expect(try environment.fileSizeBytes < before * 3)
        #expect(try environment.allEntries() == values(for: 0..<1_000))
    }

    @Test func `dead readers make room for new ones`() throws {
        let options = Environment.Options(maximumReaders: 4)
        let environment = try Environment.make(folder(), keys: 0..<10, options: options)
        let children = try (0..<4).map { _ in try ChildProcess("hold-read", folder()) }
        for child in children { #expect(child.isReady()) }
        #expect(try reason { _ = try environment.allEntries() } == .readersFull(maximum: 4))
        for child in children { child.kill() }
        #expect(try environment.allEntries() == values(for: 0..<10))
    }

    @Test func `stopped anywhere inside a read, it sees no state that is not committed yet`() throws {
        _ = try Environment.make(folder(), keys: 0..<1)
        let readers = try (0..<4).map { _ in try ChildProcess("read-many", folder()) }
        for reader in readers { #expect(reader.isReady()) }
        let writer = try ChildProcess("write-many", folder(), "1", "1000000")
        // For as long as several commits take: the next one may then be at its end, written and not yet committed.
        for stop in 0..<1_000 {
            for reader in readers { reader.stop() }
            usleep(UInt32(1_000 + stop % 50 * 40))
            for reader in readers { reader.goOn() }
            usleep(UInt32(stop % 7 * 10))
        }
        writer.kill()
        for reader in readers { reader.kill() }
        for reader in readers { #expect(reader.status() == -SIGKILL) }
    }

    @Test(arguments: UInt64(1)...12)
    func `killed at any moment, every write it finished is whole`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let environment = try Environment.make(folder(), keys: 0..<1)
        let child = try ChildProcess("write-many", folder(), "1", "100000")
        let wanted = Int.random(in: 2...60, using: &random)
        while try environment.read({ try $0.count(of: try #require(try $0.table(entries, of: UInt64.self))) }) < wanted
        {}
        child.kill()
        let found = try environment.allEntries()
        #expect(found.count >= wanted)
        #expect(found == values(for: 0..<UInt64(found.count)))
        try environment.put(UInt64(found.count)..<UInt64(found.count) + 10)
        #expect(try environment.allEntries().count == found.count + 10)
    }
}

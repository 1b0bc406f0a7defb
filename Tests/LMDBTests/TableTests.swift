import GroundwaveLMDB
import Testing

@Suite struct `Tables` {
    struct Refused: Error {}

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a handle may be kept for later transactions`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        let table = try #require(try environment.read { try $0.table(entries, of: UInt64.self) })
        try environment.put(10..<20)
        #expect(try environment.read { try $0.count(of: table) } == 20)
        try environment.write { try $0.put([1], for: 3, in: table) }
        #expect(try environment.read { try $0.value(3, in: table) } == [1])
        #expect(try environment.read { try $0.table(entries, of: UInt64.self) } == table)
    }

    @Test func `a handle of another environment is refused`() throws {
        let environment = try Environment.make(folder("one"), keys: 0..<10)
        let other = try Environment.make(folder("two"), keys: 0..<10)
        let table = try #require(try other.read { try $0.table(entries, of: UInt64.self) })
        #expect(try reason { _ = try environment.read { try $0.value(1, in: table) } } == .noTable)
        #expect(try reason { _ = try environment.read { try $0.count(of: table) } } == .noTable)
        #expect(try reason { try environment.read { try $0.withCursor(table) { _ in } } } == .noTable)
        #expect(try reason { try environment.write { try $0.put([1], for: 1, in: table) } } == .noTable)
        #expect(try reason { try environment.write { try $0.removeAll(in: table) } } == .noTable)
        #expect(try environment.allEntries() == values(for: 0..<10))
    }

    @Test func `a handle of a write that was undone is refused, also when its number is used again`() throws {
        let environment = try Environment.make(folder())
        var undone: Table<UInt64>?
        #expect(throws: Refused.self) {
            try environment.write { transaction in
                undone = try transaction.openOrCreate("undone", of: UInt64.self)
                throw Refused()
            }
        }
        let table = try #require(undone)
        #expect(try reason { _ = try environment.read { try $0.value(1, in: table) } } == .noTable)
        try environment.write { transaction in
            let next = try transaction.openOrCreate("next", of: UInt64.self)
            try transaction.put([1], for: 1, in: next)
            #expect(try reason { _ = try transaction.value(1, in: table) } == .noTable)
        }
        #expect(try environment.read { try $0.table("undone", of: UInt64.self) } == nil)
    }

    @Test func `a table made after a read began is not in that read`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try environment.read { (transaction) throws in
            let table = try environment.write { transaction in
                let table = try transaction.openOrCreate("new", of: UInt64.self)
                try transaction.put([1], for: 1, in: table)
                return table
            }
            #expect(try transaction.table("new", of: UInt64.self) == nil)
            #expect(try reason { _ = try transaction.value(1, in: table) } == .noTable)
            #expect(try reason { _ = try transaction.count(of: table) } == .noTable)
            #expect(try environment.read { try $0.value(1, in: table) } == [1])
        }
    }

    @Test func `no more of them open than there is room for`() throws {
        let environment = try Environment.make(folder(), options: .init(tables: 3))
        try environment.write { transaction in
            _ = try transaction.openOrCreate("second", of: UInt64.self)
            _ = try transaction.openOrCreate("third", of: UInt64.self)
        }
        #expect(
            try reason { _ = try environment.write { try $0.openOrCreate("fourth", of: UInt64.self) } }
                == .tablesFull(maximum: 3))
        #expect(try environment.read { try $0.table("third", of: UInt64.self) } != nil)
        environment.close()
        #expect(try reason { _ = try Environment.open(folder(), options: .init(tables: 2)) } == .tablesFull(maximum: 2))
        let reopened = try Environment.open(folder(), options: .init(tables: 4))
        try reopened.write { _ = try $0.openOrCreate("fourth", of: UInt64.self) }
    }

    @Test func `names have 1 to 511 bytes, none of them zero`() throws {
        let environment = try Environment.make(folder())
        for name in ["", "a\0b", String(repeating: "a", count: 512)] {
            #expect(
                try reason { _ = try environment.write { try $0.openOrCreate(name, of: UInt64.self) } }
                    == .tableName(name))
            #expect(try environment.read { try $0.table(name, of: UInt64.self) } == nil)
        }
        try environment.write { transaction in
            let table = try transaction.openOrCreate("Göteborg 73", of: UInt64.self)
            try transaction.put([73], for: 73, in: table)
        }
        environment.close()
        let found = try Environment.open(folder()).read { transaction in
            try transaction.value(73, in: try #require(try transaction.table("Göteborg 73", of: UInt64.self)))
        }
        #expect(found == [73])
    }
}

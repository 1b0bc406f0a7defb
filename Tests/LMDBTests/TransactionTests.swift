import GroundwaveLMDB
import Testing

@Suite struct `Transactions` {
    struct Refused: Error {}

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a write that throws leaves nothing`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        let before = try environment.info().lastTransaction
        #expect(throws: Refused.self) {
            try environment.write { transaction in
                let table = try #require(try transaction.table(entries, of: UInt64.self))
                _ = try transaction.openOrCreate("new", of: UInt64.self)
                try transaction.removeAll(in: table)
                throw Refused()
            }
        }
        #expect(try environment.allEntries() == values(for: 0..<10))
        #expect(try environment.read { try $0.table("new", of: UInt64.self) } == nil)
        #expect(try environment.info().lastTransaction == before)
    }

    @Test func `a write reads what it wrote, a read inside it what was before`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try environment.write { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            try transaction.put([1], for: 3, in: table)
            #expect(try transaction.value(3, in: table) == [1])
            #expect(try environment.read { try $0.value(3, in: table) } == value(for: 3))
        }
        #expect(try environment.allEntries()[3] == [1])
    }

    @Test func `a read sees one state whatever is written meanwhile`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try environment.read { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            try environment.put(10..<20)
            #expect(try transaction.count(of: table) == 10)
            #expect(try environment.read { try $0.count(of: table) } == 20)
        }
    }

    @Test func `a closed environment refuses everything`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        environment.close()
        environment.close()
        #expect(try reason { try environment.read { _ in } } == .closed)
        #expect(try reason { try environment.write { _ in } } == .closed)
        #expect(try reason { try environment.synchronise() } == .closed)
        #expect(try reason { _ = try environment.info() } == .closed)
        #expect(try reason { _ = try environment.fileSizeBytes } == .closed)
        #expect(try Environment.open(folder()).allEntries() == values(for: 0..<10))
    }

    @Test func `a read-only environment refuses writes and reads all`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        let environment = try Environment.open(folder(), options: .init(isReadOnly: true))
        #expect(try reason { try environment.write { _ in } } == .readOnly)
        #expect(try reason { try environment.synchronise() } == .readOnly)
        #expect(try environment.allEntries() == values(for: 0..<10))
        try environment.read { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            try transaction.withCursor(table) { (cursor) throws in
                #expect(try cursor.first())
                #expect(try reason { try cursor.remove() } == .readOnly)
                #expect(try reason { try cursor.append([1], for: 99) } == .readOnly)
                #expect(try reason { try cursor.replace(with: [1]) } == .readOnly)
            }
        }
    }

    @Test func `an error caught inside a write does not commit half of it`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try environment.write { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            #expect(try reason { try transaction.append([1], for: 5, in: table) } == .keyOrder)
            try transaction.append(value(for: 10), for: 10, in: table)
        }
        // A refused key is harmless, so the rest was committed.
        #expect(try environment.allEntries() == values(for: 0..<11))
    }

    @Test func `an environment nobody holds closes itself`() throws {
        weak var last: Environment?
        do {
            let environment = try Environment.make(folder())
            last = environment
        }
        #expect(last == nil)
        let readOnly = try Environment.open(folder(), options: .init(isReadOnly: true))
        #expect(readOnly.isReadOnly)
    }

    @Test func `writes do not nest`() async {
        await #expect(processExitsWith: .failure) {
            let environment = try Environment.make(try TemporaryFolder()())
            try environment.write { _ in try environment.write { _ in } }
        }
    }

    @Test func `closing from inside a transaction stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let environment = try Environment.make(try TemporaryFolder()())
            try environment.read { _ in environment.close() }
        }
    }

    @Test func `writing while bytes are lent stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let environment = try Environment.make(try TemporaryFolder()(), keys: 0..<10)
            try environment.write { transaction in
                let table = try #require(try transaction.table(entries, of: UInt64.self))
                _ = try transaction.withValue(1, in: table) { bytes in
                    try transaction.put(bytes, for: 2, in: table)
                }
            }
        }
    }

    @Test func `exchanging two cursors stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let environment = try Environment.make(try TemporaryFolder()(), keys: 0..<10)
            try environment.read { transaction in
                let table = try #require(try transaction.table(entries, of: UInt64.self))
                try transaction.withCursor(table) { outer in
                    try environment.read { inner in
                        try inner.withCursor(table) { cursor in swap(&outer, &cursor) }
                    }
                }
            }
        }
    }
}

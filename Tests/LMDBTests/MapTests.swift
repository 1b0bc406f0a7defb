import GroundwaveLMDB
import Synchronization
import Testing

@Suite struct `The map` {
    static let small = Environment.Options(initialMapSizeBytes: 1 << 20)

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `grows when a transaction does not fit, and the transaction runs again`() throws {
        let environment = try Environment.make(folder(), options: Self.small)
        var runs = 0
        try environment.write { transaction in
            runs += 1
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            for key in UInt64(0)..<20_000 { try transaction.put(value(for: key), for: key, in: table) }
        }
        #expect(runs > 1)
        #expect(try environment.info().mapSizeBytes == 8 << 20)
        #expect(try environment.allEntries() == values(for: 0..<20_000))
        environment.close()
        // The file remembers the size.
        let reopened = try Environment.open(folder(), options: Self.small)
        #expect(try reopened.info().mapSizeBytes == 8 << 20)
    }

    @Test func `grows even if the closure hides that it was full`() throws {
        let environment = try Environment.make(folder(), options: Self.small)
        try environment.write { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            try? transaction.put([UInt8](repeating: 1, count: 3 << 20), for: 1, in: table)
        }
        #expect(try environment.allEntries()[1]?.count == 3 << 20)
    }

    @Test func `waits for open reads before it moves`() throws {
        let environment = try Environment.make(folder(), keys: 0..<100, options: Self.small)
        let isDone = Atomic(false)
        let reads = Atomic(0)
        try inParallel([
            {
                defer { isDone.store(true, ordering: .releasing) }
                for batch in UInt64(0)..<60 { try environment.put(batch * 300..<(batch + 1) * 300) }
            },
            {
                while !isDone.load(ordering: .acquiring) {
                    try environment.read { transaction in
                        let table = try #require(try transaction.table(entries, of: UInt64.self))
                        try transaction.withCursor(table) { cursor in
                            try cursor.forEach { key, bytes in
                                // A map that had moved would end the process here.
                                let first = bytes.unsafeLoadUnaligned(as: UInt8.self)
                                return first == UInt8(truncatingIfNeeded: UInt64(keyBytes: key) ?? 0)
                            }
                            #expect(try cursor.next() == false)
                        }
                    }
                    reads.add(1, ordering: .relaxed)
                }
            },
        ])
        #expect(try environment.info().mapSizeBytes >= 4 << 20)
        #expect(reads.load(ordering: .relaxed) > 0)
        #expect(try environment.allEntries() == values(for: 0..<18_000))
    }

    @Test func `cannot grow for a write inside a read of the same thread`() throws {
        let environment = try Environment.make(folder(), keys: 0..<100, options: Self.small)
        try environment.read { (_) throws in
            #expect(try reason { try environment.put(0..<20_000) } == .mapFull(mapSizeBytes: 1 << 20))
        }
        #expect(try environment.allEntries() == values(for: 0..<100))
        try environment.put(0..<20_000)
        #expect(try environment.allEntries() == values(for: 0..<20_000))
    }

    @Test func `that no address space holds is refused, and the environment lives on`() throws {
        try Environment.make(folder(), keys: 0..<100).close()
        let error = try reason { _ = try Environment.open(folder(), options: .init(initialMapSizeBytes: 1 << 60)) }
        #expect(error != nil)
        let environment = try Environment.open(folder())
        #expect(try environment.allEntries() == values(for: 0..<100))
    }

    @Test func `several writers grow it together`() throws {
        let environment = try Environment.make(folder(), options: Self.small)
        try inParallel(
            (0..<4).map { writer in
                {
                    for batch in UInt64(0)..<10 {
                        let start = UInt64(writer) * 10_000 + batch * 400
                        try environment.put(start..<start + 400)
                    }
                }
            })
        #expect(try environment.allEntries().count == 16_000)
    }
}

import GroundwaveLMDB
import Synchronization
import Testing

@Suite struct `Many threads` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `read whole transactions while others write them`() throws {
        let environment = try Environment.make(folder(), keys: 0..<8, options: .init(initialMapSizeBytes: 1 << 20))
        let isDone = Atomic(false)
        let writersLeft = Atomic(2)
        // A write gives all eight keys one value, so a read that sees two values has seen half a write.
        let writer: @Sendable () throws -> Void = {
            defer {
                if writersLeft.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
                    isDone.store(true, ordering: .releasing)
                }
            }
            for round in 0..<100 {
                try environment.write { transaction in
                    let table = try #require(try transaction.table(entries, of: UInt64.self))
                    let value = [UInt8](repeating: UInt8(round), count: 100 + round * 20)
                    for key in UInt64(0)..<8 { try transaction.put(value, for: key, in: table) }
                }
            }
        }
        let reader: @Sendable () throws -> Void = {
            while !isDone.load(ordering: .acquiring) {
                try environment.read { (transaction) throws in
                    let table = try #require(try transaction.table(entries, of: UInt64.self))
                    let values = try (UInt64(0)..<8).map { try transaction.value($0, in: table)?.count }
                    let bytes = try (UInt64(0)..<8).map { try transaction.value($0, in: table)?.first }
                    #expect(Set(values).count == 1)
                    #expect(Set(bytes).count == 1 || values.first == 200)
                }
            }
        }
        try inParallel([writer, writer, reader, reader, reader])
    }

    @Test func `make and look up tables at once`() throws {
        let environment = try Environment.make(folder(), options: .init(tables: 64))
        try inParallel(
            (0..<4).map { thread in
                {
                    for number in 0..<10 {
                        let name = "table \(thread % 2) \(number)"
                        try environment.write { transaction in
                            let table = try transaction.openOrCreate(name, of: UInt64.self)
                            try transaction.put([UInt8(number)], for: UInt64(thread), in: table)
                        }
                        let found = try environment.read { transaction in
                            try transaction.value(
                                UInt64(thread), in: try #require(try transaction.table(name, of: UInt64.self)))
                        }
                        #expect(found == [UInt8(number)])
                    }
                }
            })
    }

    @Test func `make tables while others read and write them`() throws {
        let environment = try Environment.make(folder(), options: .init(tables: 256))
        let isDone = Atomic(false)
        // A reader that begins between a commit and the handle's listing sees a table whose handle it does not have.
        let others: @Sendable () throws -> Void = {
            while !isDone.load(ordering: .acquiring) {
                let newest = try environment.read { transaction in
                    var newest = 0
                    while let table = try transaction.table("table \(newest + 1)", of: UInt64.self) {
                        #expect(try transaction.value(1, in: table) == [1])
                        newest += 1
                    }
                    return newest
                }
                if newest > 0 { try environment.write { try put(2, in: "table \(newest)", $0) } }
            }
        }
        try inParallel([
            {
                defer { isDone.store(true, ordering: .releasing) }
                for number in 1...200 { try environment.write { try put(1, in: "table \(number)", $0) } }
            }, others, others, others,
        ])
    }

    @Test func `a read meets a table that another thread has opened since it began`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        #expect(try ChildProcess("new-table", folder()).status() == 0)
        var runs = 0
        let count = try environment.read { transaction in
            runs += 1
            if runs == 1 {
                try inParallel([
                    { _ = try environment.read { _ = try $0.table("made elsewhere", of: UInt64.self) } }
                ])
            }
            return try transaction.count(of: try #require(try transaction.table("made elsewhere", of: UInt64.self)))
        }
        #expect(count == 10)
        #expect(runs == 2)
    }

    @Test func `a write that makes a table does not take the number of a handle opened since it began`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        #expect(try ChildProcess("new-table", folder()).status() == 0)
        var runs = 0
        try environment.write { transaction in
            runs += 1
            if runs == 1 {
                try inParallel([
                    { _ = try environment.read { _ = try $0.table("made elsewhere", of: UInt64.self) } }
                ])
            }
            try put(1, in: "made here", transaction)
            let elsewhere = try #require(try transaction.table("made elsewhere", of: UInt64.self))
            #expect(try transaction.count(of: elsewhere) == 10)
        }
        #expect(runs == 2)
        let counts = try environment.read { transaction in
            try ["made here", "made elsewhere"].map { name in
                try transaction.count(of: try #require(try transaction.table(name, of: UInt64.self)))
            }
        }
        #expect(counts == [1, 10])
    }

    @Test func `read until one of them closes the environment`() throws {
        let environment = try Environment.make(folder(), keys: 0..<100)
        let started = Atomic(0)
        let reader: @Sendable () throws -> Void = {
            let refusal = try reason {
                while true {
                    let count = try environment.allEntries().count
                    #expect(count == 100)
                    started.add(1, ordering: .relaxed)
                }
            }
            #expect(refusal == .closed)
        }
        try inParallel([
            reader, reader,
            {
                while started.load(ordering: .relaxed) < 20 {}
                environment.close()
            },
        ])
        #expect(try Environment.open(folder()).allEntries().count == 100)
    }
}

private func put(_ number: UInt8, in table: String, _ transaction: borrowing WriteTransaction) throws {
    try transaction.put([number], for: UInt64(number), in: try transaction.openOrCreate(table, of: UInt64.self))
}

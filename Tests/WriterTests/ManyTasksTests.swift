import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// A record of an application's own.
private enum Memo: RecordKind {
    static let schema = KindSchema(name: "memo", fields: [FieldSchema(1, "TEXT")])

    /// Writes a memo with `text`, and returns its id.
    static func add(_ text: String, to store: Store) async throws -> RecordID {
        try await store.write { try $0.add("memo", [Assignment("TEXT", text: text)]) }.value
    }

    /// The ids of all memos, as one read of the store shows them.
    static func all(in store: Store) throws -> Set<RecordID> { try store.read { try ids(in: $0) } }

    /// The number of memos.
    static func count(in view: borrowing ViewReader) throws -> Int { try ids(in: view).count }

    private static func ids(in view: borrowing ViewReader) throws -> Set<RecordID> {
        var ids: Set<RecordID> = []
        try view.forEachRecordID(of: "memo", textPrefix: "") { id in
            ids.insert(id)
            return true
        }
        return ids
    }
}

/// The suite that the thread sanitizer runs of the writer and what reads beside it; it needs the engine alone.
@Suite struct `Many tasks with one store` {
    private static let configuration = Configuration(author: "N0CALL", deviceName: "shack", kinds: [Memo.self])

    @Test func `each write is acknowledged once, shown to the next read, and observed`() async throws {
        let (writers, each) = (6, 25)
        let temporary = try await TemporaryStore(Self.configuration)
        let store = temporary.store
        let token = try store.currentToken()
        let observed = Task {
            var records: [RecordID] = []
            for try await set in store.changes(since: token) {
                records += set.changes.filter { $0.kind == "memo" }.map(\.record)
                if records.count >= writers * each { break }
            }
            return records
        }
        let counted = Task {
            var counts = [0]
            while counts.last != writers * each {
                counts.append(try Memo.all(in: store).count)
                await Task.yield()
            }
            return counts
        }
        let written = try await withThrowingTaskGroup(of: [RecordID].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var ids: [RecordID] = []
                    for number in 0..<each {
                        let id = try await Memo.add("\(writer).\(number)", to: store)
                        #expect(try store.record("memo", id) != nil, "a read after the write shows it")
                        ids.append(id)
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let counts = try await counted.value
        #expect(counts == counts.sorted(), "no read shows less than the one before")
        #expect(try await observed.value.sorted() == written.sorted())
        #expect(try Memo.all(in: store) == Set(written) && written.count == writers * each)
        try store.close()
    }

    @Test func `a point in the past and maintenance beside writes see whole batches`() async throws {
        let temporary = try await TemporaryStore(Self.configuration)
        let store = temporary.store
        let first = try await Memo.add("first", to: store)
        let position = try store.currentToken().position
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<40 {
                    _ = try await store.write { batch in
                        for half in 0..<2 { _ = try batch.add("memo", [Assignment("TEXT", text: "\(number).\(half)")]) }
                    }
                }
            }
            group.addTask { for _ in 0..<5 { _ = try store.runMaintenance() } }
            group.addTask {
                for _ in 0..<10 {
                    let past = try await store.at(.position(position))
                    #expect(try past.record("memo", first) != nil)
                    #expect(try Memo.all(in: store).count % 2 == 1, "one memo, and two of each batch")
                }
            }
            try await group.waitForAll()
        }
        #expect(try Memo.all(in: store).count == 81)
        try store.close()
    }

    @Test func `what was acknowledged before a close is there at the next open, and nothing else`() async throws {
        let temporary = try await TemporaryStore(Self.configuration)
        let store = temporary.store
        let written = await withTaskGroup(of: [RecordID].self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var ids: [RecordID] = []
                    // A write after the close throws, and nothing of it was stored.
                    while ids.count < 1000, let id = try? await Memo.add("\(writer).\(ids.count)", to: store) {
                        ids.append(id)
                    }
                    return ids
                }
            }
            group.addTask {
                while ((try? Memo.all(in: store).count) ?? 0) < 60 { await Task.yield() }
                try? store.close()
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(written.count >= 60)
        let again = try await temporary.reopened(Self.configuration)
        #expect(try Memo.all(in: again) == Set(written))
        try again.close()
    }

    @Test(arguments: UInt64(1)...6)
    func `suspending again and again loses no write, no change and no value`(seed: UInt64) async throws {
        let (writers, each) = (4, 20)
        let temporary = try await TemporaryStore(Self.configuration)
        let store = temporary.store
        let token = try store.currentToken()
        let fed = Task {
            var records: [RecordID] = []
            for try await set in store.changes(since: token) {
                records += set.changes.filter { $0.kind == "memo" }.map(\.record)
                if records.count >= writers * each { break }
            }
            return records
        }
        let observed = Task {
            for try await count in store.values(of: ["memo"], { try Memo.count(in: $0) }) where count == writers * each
            {
                return true
            }
            return false
        }
        let suspending = Task {
            var numbers = SeededGenerator(seed: seed)
            while !Task.isCancelled {
                try? await store.suspend()
                for _ in 0..<Int.random(in: 0..<20, using: &numbers) { await Task.yield() }
            }
        }
        let written = try await withThrowingTaskGroup(of: [RecordID].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var (ids, numbers) = ([RecordID](), SeededGenerator(seed: seed * 100 + UInt64(writer)))
                    for number in 0..<each {
                        let id = try await Memo.add("\(writer).\(number)", to: store)
                        #expect(try store.record("memo", id) != nil, "a read after the write shows it")
                        for _ in 0..<Int.random(in: 0..<10, using: &numbers) { await Task.yield() }
                        ids.append(id)
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        suspending.cancel()
        await suspending.value
        // Whoever follows goes on now.
        #expect(try Memo.all(in: store) == Set(written) && written.count == writers * each)
        #expect(try await fed.value.sorted() == written.sorted())
        #expect(try await observed.value)
        try await store.suspend()
        try store.close()
    }
}

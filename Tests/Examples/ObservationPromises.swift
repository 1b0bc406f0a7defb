import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// The guarantees of observation, in the words in which they are given.
@Suite struct `Observing` {
    @Test func `the first element comes at once, and no two that are equal follow one another`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.write { _ = try $0.add(Contact("W1AW", start: 0)) }
        var seen: [[String]] = []
        for try await contacts in store.values(of: .contacts.worked("W1AW")) {
            seen.append(contacts.map(\.call))
            if contacts.count == 2 { break }
            // Of no concern to this query, so no element comes of it.
            try await store.write { _ = try $0.add(Contact("N0CALL", start: 1)) }
            try await store.write { _ = try $0.add(Contact("W1AW", start: 2)) }
        }
        #expect(seen == [["W1AW"], ["W1AW", "W1AW"]])
    }

    @Test func `what comes together is told together, and never without the last state`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let writing = Task {
            for number in 1...60 { try await store.write { _ = try $0.add(Contact("W1AW", start: Int64(number))) } }
        }
        var counts: [Int] = []
        for try await contacts in store.values(of: .contacts) {
            counts.append(contacts.count)
            if contacts.count == 60 { break }
        }
        #expect(counts == counts.sorted())
        #expect(Set(counts).count == counts.count)
        try await writing.value
    }

    @Test func `a token is codable and survives a restart: none is missed, none comes twice`() async throws {
        let temporary = try await TemporaryStore(.full())
        let saved = try await temporary.store.write { try $0.add(Contact("W1AW", start: 0)) }
        let bytes = try JSONEncoder().encode([try temporary.store.currentToken()])
        try await temporary.store.write { try $0.set(\.name, of: saved.value, to: "Ann") }
        try temporary.store.close()

        let store = try await temporary.reopened(.full())
        try await store.write { try $0.set(\.name, of: saved.value, to: "Bob") }
        let token = try #require(try JSONDecoder().decode([ChangeToken].self, from: bytes).first)
        var names: [String] = []
        for try await set in store.changes(since: token, matching: .contacts()) where !set.changes.isEmpty {
            let after = set.changes.first?.fields.first { $0.field == "NAME" }?.after ?? []
            names.append(String(decoding: after, as: UTF8.self))
            if names.count == 2 { break }
        }
        #expect(names == ["Ann", "Bob"])
        try store.close()
    }

    @Test func `a token of another history says that it has expired`() async throws {
        let (one, other) = (try await TemporaryStore(.full()), try await TemporaryStore(.full()))
        let token = try one.store.currentToken()
        let error = await #expect(throws: StoreError.self) {
            for try await _ in other.store.changes(since: token) { break }
        }
        #expect(error?.code == .expired)
    }

    @Test func `it ends when its task is cancelled`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = Signal()
        let task = Task {
            var count = 0
            for try await _ in store.values(of: .contacts) {
                count += 1
                first.fire()
            }
            return count
        }
        await first.wait()
        task.cancel()
        #expect(try await task.value == 1)
    }
}

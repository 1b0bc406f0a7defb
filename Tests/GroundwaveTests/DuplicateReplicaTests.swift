import Everything
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Duplicates on two devices` {
    /// Two stores that both have the same two contacts, which are one.
    private func pair() async throws -> (TemporaryStore, TemporaryStore, RecordID, RecordID) {
        let first = try await TemporaryStore(Configuration.full(author: "N0ONE"))
        let second = try await TemporaryStore(Configuration.full(author: "N0TWO"))
        let x = try await first.store.logged(oneContact("NAME=Joe"))
        let y = try await second.store.logged(oneContact("QTH=Here"))
        try exchange(first.store, second.store)
        return (first, second, x, y)
    }

    private func expectSame(_ first: TemporaryStore, _ second: TemporaryStore) throws {
        #expect(try first.store.digest() == second.store.digest())
    }

    @Test func `merged in the same direction, one is hidden on both`() async throws {
        let (first, second, x, y) = try await pair()
        for store in [first.store, second.store] { _ = try await store.merge([y], into: x) }
        try exchange(first.store, second.store)
        try expectSame(first, second)
        for store in [first.store, second.store] {
            #expect(try store.isVisible(x) && !store.isVisible(y))
            #expect(try store.contact(x).text("QTH") == "Here")
            #expect(try store.conflicts().isEmpty)
            #expect(try store.duplicates().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `merged in opposite directions, both show again as a conflict, and none is lost`(isFilled: Bool) async throws {
        let (first, second, x, y) = try await pair()
        if !isFilled {
            // Now neither lacks anything, so a merge has nothing to write on the one that stays but that it stays.
            for id in [x, y] {
                _ = try await first.store.write { try $0.set("qso", id, fields("NAME=Joe", "QTH=Here")) }
            }
            try exchange(first.store, second.store)
        }
        _ = try await first.store.merge([y], into: x)
        _ = try await second.store.merge([x], into: y)
        try exchange(first.store, second.store)
        try expectSame(first, second)
        for store in [first.store, second.store] {
            #expect(try store.isVisible(x) && store.isVisible(y))
            let waiting = try store.conflicts().flatMap { try store.conflicts(in: $0) }
            #expect(waiting.map(\.field) == [Conflict.wholeRecord, Conflict.wholeRecord])
            #expect(try store.duplicates().count == 1, "the pair is listed again")
        }
        let before = try first.store.digest().content
        _ = try await first.store.merge([y], into: x)
        #expect(try first.store.isVisible(x) && !first.store.isVisible(y))
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try second.store.isVisible(x) && !second.store.isVisible(y))
        try await first.store.undo()
        #expect(try first.store.digest().content == before)
    }

    @Test func `the one that stays survives a delete that did not see the merge`() async throws {
        let (first, second, x, y) = try await pair()
        _ = try await first.store.merge([y], into: x)
        _ = try await second.store.write { try $0.remove("qso", x) }
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try second.store.isVisible(x) && !second.store.isVisible(y))
    }

    @Test func `merged round in a circle of three, none is lost`() async throws {
        let temporaries = try await [TemporaryStore(.full()), TemporaryStore(.full()), TemporaryStore(.full())]
        let stores = temporaries.map(\.store)
        var ids: [RecordID] = []
        for store in stores { ids.append(try await store.logged(oneContact())) }
        func exchangeAll() throws {
            for _ in 0..<2 { for (a, b) in [(0, 1), (1, 2), (2, 0)] { try exchange(stores[a], stores[b]) } }
        }
        try exchangeAll()
        for place in 0..<3 { _ = try await stores[place].merge([ids[(place + 1) % 3]], into: ids[place]) }
        try exchangeAll()
        let digests = try stores.map { try $0.digest() }
        #expect(digests.allSatisfy { $0 == digests[0] })
        for id in ids { #expect(try stores[0].isVisible(id)) }
        withExtendedLifetime(temporaries) {}
    }

    @Test func `all merged on both at once end with one contact a group`() async throws {
        let (first, second, x, y) = try await pair()
        _ = try await first.store.logged(oneContact("COMMENT=third"))
        try exchange(first.store, second.store)
        let groups = try first.store.duplicateGroups()
        #expect(try second.store.duplicateGroups() == groups, "equal states give equal groups")
        for store in [first.store, second.store] { _ = try await store.merge(try store.duplicateGroups()) }
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try first.store.read { try $0.count(.everything) } == 1)
        #expect(try first.store.conflicts().isEmpty)
        let shown = try #require(try first.store.firstContact())
        #expect([x, y].contains(shown.id) || shown.text("COMMENT") == "third")
        #expect(shown.text("NAME") == "Joe" && shown.text("QTH") == "Here" && shown.text("COMMENT") == "third")
    }

    @Test func `a dismissal of both devices is one record, and counts on both`() async throws {
        let (first, second, x, y) = try await pair()
        let one = try await first.store.dismissDuplicate(x, y)
        let other = try await second.store.dismissDuplicate(y, x)
        #expect(one.value == other.value)
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try first.store.duplicates().isEmpty)
        #expect(try first.store.conflicts().isEmpty)
    }
}

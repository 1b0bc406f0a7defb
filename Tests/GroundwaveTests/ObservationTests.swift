import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Synchronization
import Testing

@Suite struct `Changes` {
    /// The next `count` sets of a sequence.
    private static func take(_ count: Int, of sequence: ChangeSequence) async throws -> [ChangeSet] {
        var sets: [ChangeSet] = []
        if count == 0 { return [] }
        for try await set in sequence where !set.changes.isEmpty {
            sets.append(set)
            if sets.count == count { break }
        }
        return sets
    }

    @Test func `tell the record, the fields, before and after, who and why`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL", deviceName: "shack"))
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }.value
        let token = try store.currentToken()
        _ = try await store.write(note: "Heard it again") { try $0.set("qso", id, [Assignment("CALL", text: "W1AX")]) }
        let set = try #require(try await Self.take(1, of: store.changes(since: token)).first)
        #expect(set.author == "N0CALL")
        #expect(set.device == "shack")
        #expect(set.note == "Heard it again")
        #expect(set.isLocal)
        let change = try #require(set.changes.first)
        #expect(change.record == id)
        #expect(change.fields.map(\.field) == ["CALL"])
        #expect(change.fields[0].before == Array("W1AW".utf8))
        #expect(change.fields[0].after == Array("W1AX".utf8))
    }

    @Test func `from the beginning are all batches, each once, and go on where a token says`() async throws {
        let temporary = try await TemporaryStore(.full())
        for number in 0..<10 {
            _ = try await temporary.store.write { try $0.add("qso", [Assignment("CALL", text: "N0C\(number)")]) }
        }
        let all = try await Self.take(10, of: temporary.store.changes(since: nil))
        #expect(Set(all.map(\.token)).count == 10)
        #expect(all.map(\.token.position) == all.map(\.token.position).sorted())
        let kept = try JSONDecoder().decode(ChangeToken.self, from: JSONEncoder().encode(all[6].token))
        #expect(ChangeToken(kept.description) == kept)
        let rest = try await Self.take(3, of: temporary.store.changes(since: kept))
        #expect(rest == Array(all[7...]))
    }

    @Test func `a token of another history has expired`() async throws {
        let first = try await TemporaryStore(.full())
        let second = try await TemporaryStore(.full())
        let token = try first.store.currentToken()
        let error = await #expect(throws: StoreError.self) {
            try await Self.take(1, of: second.store.changes(since: token))
        }
        #expect(error?.code == .expired)
        for text in ["12.1@", "zz.1@1", "1.zz@1", "1@1", "1.1@1@1", "1.1", "@", "."] {
            #expect(ChangeToken(text) == nil, "\(text)")
        }
    }

    @Test func `a token from before a clear has expired, however long the log has become since`() async throws {
        let made = try await TemporaryStore(.full())
        let store = made.store
        try await store.logMany(5)
        let (early, token) = (try store.log.token(at: 0), try store.currentToken())
        _ = try await store.clear(store.prepareClearing())
        try await store.logMany(20)
        #expect(try store.currentToken().position > token.position)
        let error = await #expect(throws: StoreError.self) {
            try await Self.take(1, of: store.changes(since: token))
        }
        #expect(error?.code == .expired)
        #expect(try await Self.take(20, of: store.changes(since: early)).count == 20, "the beginning is always there")
    }

    @Test func `a running watch ends where the log is cleared, before it passes anything over`() async throws {
        let made = try await TemporaryStore(.full())
        let store = made.store
        try await store.logMany(5)
        var changes = store.changes(since: nil, matching: .contacts()).makeAsyncIterator()
        for _ in 0..<5 { _ = try await changes.next() }
        _ = try await store.clear(store.prepareClearing())
        try await store.logMany(20)
        await #expect { try await changes.next() } throws: { ($0 as? StoreError)?.code == .expired }
    }

    @Test func `a token outlives an erasure`() async throws {
        let made = try await TemporaryStore(.full())
        let store = made.store
        try await store.logMany(5)
        let token = try store.currentToken()
        let gone = try await store.log("N0GONE")
        try await store.erase([gone])
        try await store.logMany(1, "N1C")
        let sets = try await Self.take(2, of: store.changes(since: token))
        #expect(sets.allSatisfy { $0.token.position > token.position })
    }

    @Test func `can be those of some fields of contacts, and of others alone`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let token = try store.currentToken()
        let id = try await store.write { try $0.add(Contact("W1AW", start: 0, mode: .cw)) }.value
        _ = try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Joe")]) }
        _ = try await store.write { try $0.set(\.frequency, of: id, to: Frequency(hertz: 7_030_000)) }
        _ = try await store.write { try $0.remove("qso", id) }
        let filter = ChangeFilter.contacts([\.frequency])
        #expect(filter.fields == ["FREQ", "BAND"])
        let sets = try await Self.take(2, of: store.changes(since: token, matching: filter))
        #expect(sets[0].changes[0].fields.map(\.field) == ["FREQ", "BAND"])
        #expect(
            sets[1].changes[0].fields.map(\.operation) == [.delete], "a record that goes is a change of all its fields")
        let others = Task {
            try await Self.take(1, of: store.changes(since: token, matching: filter.excludingThisDevice()))
        }
        try await Task.sleep(for: .milliseconds(50))
        others.cancel()
        #expect(try await others.value.isEmpty)
    }

    @Test func `end when their task is cancelled, while they wait`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let task = Task { try await Self.take(1, of: store.changes(since: store.currentToken())) }
        let count = Mutex(0)
        let values = Task {
            for try await _ in store.values(of: .contacts) { count.withLock { $0 += 1 } }
        }
        // The first element comes at once.
        while count.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(150))
        task.cancel()
        values.cancel()
        #expect(try await task.value.isEmpty)
        try await values.value
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `come while another task writes, none missed and none twice`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let token = try store.currentToken()
        let watching = Task { try await Self.take(200, of: store.changes(since: token)) }
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0C\(number)")]) }
                }
            }
            try await group.waitForAll()
        }
        let calls = try await watching.value.flatMap { $0.changes }.compactMap { $0.fields.first?.after }
        #expect(calls.count == 200)
        #expect(Set(calls).count == 200)
    }

    @Test func `of a local write come at once`() async throws {
        let temporary = try await TemporaryStore(.full())
        var shortest = Duration.seconds(60)
        // On a busy machine a task may wait for its turn longer than for a look at other processes.
        for _ in 0..<20 where shortest > .milliseconds(90) {
            shortest = min(shortest, try await Self.waiting(for: 20, in: temporary.store))
        }
        #expect(shortest < .milliseconds(90), "without waiting for a look at other processes")
    }

    /// How long the last of `count` changes takes to come once it was written.
    private static func waiting(for count: Int, in store: Store) async throws -> Duration {
        let token = try store.currentToken()
        let watching = Task {
            let sets = try await take(count, of: store.changes(since: token))
            return (sets, ContinuousClock.now)
        }
        for number in 0..<count {
            _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0C\(number)")]) }
        }
        let written = ContinuousClock.now
        let (sets, told) = try await watching.value
        #expect(sets.count == count)
        return told - written
    }
}

@Suite struct `Observed values` {
    @Test func `come at once, end with the last state, and never twice the same`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let watching = Task {
            var states: [[Contact]] = []
            for try await contacts in store.values(of: .contacts) {
                states.append(contacts)
                if contacts.count == 100 { break }
            }
            return states
        }
        for number in 0..<100 {
            _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0C\(number)")]) }
        }
        let states = try await watching.value
        #expect(states.last?.count == 100)
        for (state, next) in zip(states, states.dropFirst()) { #expect(state != next) }
    }

    @Test func `are not told again when something else changes`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let watching = Task {
            var counts: [Int] = []
            for try await contacts in store.values(of: .contacts.worked("W1AW")) {
                counts.append(contacts.count)
                if contacts.count == 1 { break }
            }
            return counts
        }
        for number in 0..<30 {
            _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0C\(number)")]) }
        }
        _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }
        let counts = try await watching.value
        #expect(counts == [0, 1] || counts == [1])
    }
}

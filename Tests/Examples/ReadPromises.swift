import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// The guarantees of `Store.read` and of records, in the words in which they are given.
@Suite struct `Reading` {
    @Test func `sees one state for the whole closure, whatever is written meanwhile`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.write { _ = try $0.add(Contact("W1AW")) }
        let (isReading, mayGoOn) = (Signal(), DispatchSemaphore(value: 0))
        async let counts: [Int] = onThread {
            try store.read { view in
                let before = try view.count(.contacts)
                isReading.fire()
                mayGoOn.wait()
                return [before, try view.count(.contacts)]
            }
        }
        await isReading.wait()
        // A reader never blocks a writer.
        try await store.write { _ = try $0.add(Contact("N0CALL")) }
        #expect(try store.read { try $0.count(.contacts) } == 2)
        mayGoOn.signal()
        #expect(try await counts == [1, 1])
    }

    @Test func `on any thread never sees less than before, while others write`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        async let isAscending: [Bool] = withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await onThread {
                        var most = 0
                        while most < 40 {
                            let count = try store.read { try $0.count(.contacts) }
                            if count < most { return false }
                            most = count
                        }
                        return true
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for number in 0..<40 { try await store.write { _ = try $0.add(Contact("N\(number % 10)CALL")) } }
        #expect(try await isAscending == [true, true, true])
    }

    @Test func `a kind of one's own is registered at open, and its records are found by name`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(kinds: [Antenna.self]))
        let saved = try await temporary.store.write {
            try $0.add("antenna", [Assignment("NAME", text: "Dipole"), Assignment("BANDS", text: "20m,40m")])
        }
        let record = try #require(try temporary.store.read { try $0.record("antenna", saved.value) })
        #expect(Antenna.schema.value(of: "NAME", in: record) == Array("Dipole".utf8))
        #expect(Antenna.schema.value(of: "BANDS", in: record) == Array("20m,40m".utf8))
        let error = await #expect(throws: StoreError.self) {
            try await temporary.store.write { try $0.add("rotator", [Assignment("NAME", text: "x")]) }
        }
        #expect(error?.code == .usage)
    }

    @Test func `kinds that nobody registered are kept and listed, and have their names again when somebody does`()
        async throws
    {
        let temporary = try await TemporaryStore(Configuration.full(kinds: [Antenna.self]))
        let saved = try await temporary.store.write { try $0.add("antenna", [Assignment("NAME", text: "Dipole")]) }
        try temporary.store.close()

        let stranger = try await temporary.reopened(.full())
        try stranger.read { view in
            #expect(try view.kindsWithRecords().contains("antenna"))
            let record = try #require(try view.record("antenna", saved.value))
            #expect(record[.number(1)]?.shown.value == Array("Dipole".utf8))
        }
        try await stranger.write { _ = try $0.add(Contact("W1AW")) }
        try stranger.close()

        let friend = try await temporary.reopened(Configuration.full(kinds: [Antenna.self]))
        let record = try #require(try friend.read { try $0.record("antenna", saved.value) })
        #expect(friend.kinds["antenna"]?.value(of: "NAME", in: record) == Array("Dipole".utf8))
        try friend.close()
    }

    @Test func `unknown fields are reachable as text, and typed values keep what was written`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var contact = Contact("W1AW", start: 1_800_000_000)
        contact.fields = ["APP_MINE_MOOD": "über gut", "FREQ": "14.07400"]
        let written = contact
        let saved = try await store.write { try $0.add(written) }
        let record = try #require(try store.read { try $0.record("qso", saved.value) })
        let shown = Contact(record)
        #expect(shown.fields["APP_MINE_MOOD"] == "über gut")
        #expect(shown.frequency == Frequency(hertz: 14_074_000))
        #expect(record.text(.freq) == "14.07400", "as it was written, noughts and all")
    }

    @Test func `what is refused says so in one error with code, message and hint`() async throws {
        let temporary = try await TemporaryStore(.full())
        let error = await #expect(throws: StoreError.self) { try await Store.create(at: temporary.url, .full()) }
        #expect(error?.code == .exists)
        #expect(error?.code.exitCode == 73, "the exit code of the program")
        #expect(error?.message.contains(temporary.url.path) == true)
        #expect(error?.hint?.isEmpty == false)
    }
}

/// Runs `body` on a thread of its own, so that it may wait.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

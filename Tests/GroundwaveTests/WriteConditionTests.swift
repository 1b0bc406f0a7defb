import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTesting
import Testing

@Suite struct `Writes with an expectation` {
    private static func made() async throws -> (TemporaryStore, RecordID) {
        let made = try await TemporaryStore(.full())
        return (made, try await made.store.write { try $0.add("qso", [Assignment("NAME", text: "0")]) }.value)
    }

    private static func set(_ text: String, of id: RecordID, _ batch: inout WriteBatch) throws {
        try batch.set("qso", id, [Assignment("NAME", text: text)])
    }

    @Test func `are written if the records are as they were read`() async throws {
        let (made, id) = try await Self.made()
        let seen = try #require(try made.store.record("qso", id))
        try await made.store.write { _ = try $0.add("friend", [Assignment("CALL", text: "W1AW")]) }
        try await made.store.write(expecting: .unchanged([seen])) { try Self.set("1", of: id, &$0) }
        #expect(try made.store.record("qso", id)?.text("NAME") == "1")
    }

    @Test func `are refused, and write nothing, if one of the records has changed`() async throws {
        let (made, id) = try await Self.made()
        let store = made.store
        let seen = try #require(try store.record("qso", id))
        try await store.write { try Self.set("1", of: id, &$0) }
        let last = try store.log.lastPosition()
        let error = await #expect(throws: StoreError.self) {
            try await store.write(expecting: .unchanged([seen])) { batch in
                _ = try batch.add("friend", [Assignment("CALL", text: "W1AW")])
            }
        }
        #expect(error?.code == .conflict && StoreError.Code.conflict.exitCode == 75)
        #expect(try store.log.lastPosition() == last)
    }

    @Test func `can expect that nothing at all was added to the log`() async throws {
        let (made, id) = try await Self.made()
        let store = made.store
        let token = try store.currentToken()
        try await store.write(expecting: .unchanged(since: token)) { try Self.set("1", of: id, &$0) }
        let error = await #expect(throws: StoreError.self) {
            try await store.write(expecting: .unchanged(since: token)) { try Self.set("2", of: id, &$0) }
        }
        #expect(error?.code == .conflict)
        let other = try await TemporaryStore(.full())
        let foreign = await #expect(throws: StoreError.self) {
            try await store.write(expecting: .unchanged(since: other.store.currentToken())) {
                try Self.set("2", of: id, &$0)
            }
        }
        #expect(foreign?.code == .conflict, "the token of another log")
    }

    @Test func `of a copied store are not refused for the event with which it introduces itself`() async throws {
        let (made, id) = try await Self.made()
        try made.store.close()
        let folder = try TemporaryFolder()
        let copy = folder.url.appending(path: "copy")
        try FileManager.default.copyItem(at: made.url, to: copy)
        var configuration = Configuration.full()
        configuration.stateFolder = made.stateFolder
        let store = try await Store.open(at: copy, configuration).whole
        defer { try? store.close() }
        let replica = store.replica
        try await store.write(expecting: .unchanged(since: store.currentToken())) { try Self.set("1", of: id, &$0) }
        #expect(store.replica != replica)
        #expect(try store.record("qso", id)?.text("NAME") == "1")
    }

    @Test func `lose no update, however many write at once through two stores of one folder`() async throws {
        let (made, id) = try await Self.made()
        let other = try await made.reopened(.full())
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                let store = number % 2 == 0 ? made.store : other
                group.addTask {
                    while true {
                        let seen = try #require(try store.record("qso", id))
                        let next = "\((Int(seen.text("NAME") ?? "") ?? 0) + 1)"
                        do {
                            try await store.write(expecting: .unchanged([seen])) { try Self.set(next, of: id, &$0) }
                            return
                        } catch let error as StoreError where error.code == .conflict {}
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try made.store.record("qso", id)?.text("NAME") == "20")
        #expect(try made.store.record("qso", id)?.eventCount == 21, "one event for each, and the first")
    }

    @Test func `are checked against what another store of the folder writes while the batch is filled`() async throws {
        let (made, id) = try await Self.made()
        let other = try await made.reopened(.full())
        let seen = try #require(try made.store.record("qso", id))
        let runs = Runs()
        let error = await #expect(throws: StoreError.self) {
            try await made.store.write(expecting: .unchanged([seen])) { batch in
                if runs.next() == 1 {
                    // The writer has a thread of its own, which may wait.
                    let written = DispatchSemaphore(value: 0)
                    Task.detached {
                        try await other.write { try Self.set("other", of: id, &$0) }
                        written.signal()
                    }
                    written.wait()
                }
                try Self.set("mine", of: id, &batch)
            }
        }
        #expect(error?.code == .conflict)
        #expect(try made.store.record("qso", id)?.text("NAME") == "other")
    }
}

/// Counts how often a closure runs.
private final class Runs: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}

@Suite struct `Writes with an id` {
    private static func add(_ batch: inout WriteBatch) throws -> [RecordID] {
        try ["W1AW", "K1AA"].map { try batch.add("friend", [Assignment("CALL", text: $0)]) }
    }

    private static func count(_ store: Store) throws -> Int { try store.read { try $0.shownCounts()["friend"] ?? 0 } }

    @Test func `are written once, and the second call returns the first batch and its value`() async throws {
        let made = try await TemporaryStore(.full())
        let first = try await made.store.write(id: "order 1") { try Self.add(&$0) }
        let second = try await made.store.write(id: "order 1") { try Self.add(&$0) }
        #expect(first.batch != nil && second.batch == first.batch && second.value == first.value)
        #expect(try Self.count(made.store) == 2)
        _ = try await made.store.write(id: "order 2") { try Self.add(&$0) }
        #expect(try Self.count(made.store) == 4, "another one")
    }

    @Test func `are known after a restart, after an erase, to another store of the folder, and to another device`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        let first = try await fleet[0].write(id: "order 1") { try Self.add(&$0) }
        let contact = try await fleet[0].write { try $0.add("qso", [Assignment("CALL", text: "N0GONE")]) }.value
        try await fleet[0].erase([contact])
        try await fleet.settle()
        let elsewhere = try await fleet[1].write(id: "order 1") { try Self.add(&$0) }
        #expect(elsewhere.value == first.value && elsewhere.batch?.first == first.batch?.first)
        try fleet[0].close()
        let store = try await fleet.stores[0].opening().whole
        defer { try? store.close() }
        let again = try await store.write(id: "order 1") { try Self.add(&$0) }
        #expect(again.batch == first.batch && again.value == first.value)
        #expect(try Self.count(store) == 2)
    }

    @Test func `are written once by many that write at the same time, through two stores of one folder`() async throws {
        let made = try await TemporaryStore(.full())
        let other = try await made.reopened(.full())
        let batches = try await withThrowingTaskGroup(of: Batch?.self) { group in
            for number in 0..<30 {
                let store = number % 2 == 0 ? made.store : other
                group.addTask { try await store.write(id: "order 1") { try Self.add(&$0) }.batch }
            }
            var batches: Set<Batch?> = []
            for try await batch in group { batches.insert(batch) }
            return batches
        }
        #expect(batches.count == 1 && batches.first != .some(nil))
        #expect(try Self.count(made.store) == 2)
    }

    @Test func `return the first batch even if what they expect is so no longer`() async throws {
        let made = try await TemporaryStore(.full())
        let token = try made.store.currentToken()
        let first = try await made.store.write(expecting: .unchanged(since: token), id: "1") { try Self.add(&$0) }
        let second = try await made.store.write(expecting: .unchanged(since: token), id: "1") { try Self.add(&$0) }
        #expect(second.batch == first.batch)
    }

    @Test func `are not remembered if they write nothing, and refused if the id is no id`() async throws {
        let made = try await TemporaryStore(.full())
        #expect(try await made.store.write(id: "1") { _ in }.batch == nil)
        #expect(try await made.store.write(id: "1") { try Self.add(&$0) }.batch != nil)
        for id in ["", String(repeating: "x", count: 1025)] {
            let error = await #expect(throws: StoreError.self) {
                try await made.store.write(id: id) { try Self.add(&$0) }
            }
            #expect(error?.code == .usage)
        }
    }

    @Test func `leave no trace of the id in any file`() async throws {
        let made = try await TemporaryStore(.full())
        _ = try await made.store.write(id: "invoice for Bartholomew") { try Self.add(&$0) }
        #expect(try StoreSearch.files(below: made.url, holding: ["Bartholomew"]) == [])
    }

    @Test func `can be undone, and are not written again then`() async throws {
        let made = try await TemporaryStore(.full())
        let first = try await made.store.write(id: "1") { try Self.add(&$0) }
        let step = try #require(try made.store.undoableSteps(1).first)
        _ = try await made.store.revert(step)
        #expect(try Self.count(made.store) == 0)
        #expect(try await made.store.write(id: "1") { try Self.add(&$0) }.batch == first.batch)
        #expect(try Self.count(made.store) == 0)
    }
}

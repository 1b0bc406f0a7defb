import Everything
import Foundation
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

@Suite struct `The engine journal` {
    @Test(
        arguments: [
            (99, 0, 0, false), (100, 0, 0, true), (1, 256 << 10, 0, true), (1, (256 << 10) - 1, 299_999, false),
            (0, 0, 300_000, true), (.max, .max, .max, true), (0, 0, 0, false),
        ] as [(UInt64, Int, Int64, Bool)])
    func `pushes once 100 events or 256 KiB wait, or after five quiet minutes`(
        count: UInt64, bytes: Int, quiet: Int64, isDue: Bool
    ) {
        #expect(JournalRule.isPushDue(WaitingEvents(count: count, bytes: bytes), quiet: quiet) == isDue)
    }

    @Test func `wakes for the last quiet minute, and never sleeps for nothing`() {
        #expect(JournalRule.pause(quiet: 0) == .seconds(300) && JournalRule.pause(quiet: 299_999) == .milliseconds(1))
        #expect(JournalRule.pause(quiet: .max) == .milliseconds(1))
    }

    /// A store with the engine, all of which is at a remote in memory.
    private func journal(_ clock: VirtualClock, _ cloud: MemoryTransport) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(.full(author: "N0CALL", surroundings: .virtual(clock, seed: 1)))
        _ = try await temporary.store.set(setting: "syncEngine", to: "journal")
        try await temporary.store.sync(with: cloud, as: "cloud")
        return temporary
    }

    @Test func `counts what waits in a store, and lets changes wait for each other`() async throws {
        let (clock, cloud) = (VirtualClock(), MemoryTransport())
        let temporary = try await journal(clock, cloud)
        let store = temporary.store
        let pace = PushPace(store, remote: "cloud")
        #expect(try store.waitingEvents(at: "cloud") == WaitingEvents())
        for number in 0..<3 { _ = try await store.log("N\(number)CALL") }
        #expect(try store.waitingEvents(at: "cloud").count == 3)
        #expect(try store.waitingEvents(at: "cloud").bytes > 100)
        #expect(!pace.noteChange() && !pace.isPushDue)
        // Half of the quiet time, a change, and half again: it begins anew.
        clock.advance(by: .seconds(200))
        #expect(!pace.isPushDue)
        #expect(pace.pause(.seconds(900), hasPushed: false) == .seconds(100))
        #expect(!pace.noteChange())
        clock.advance(by: .seconds(299))
        #expect(!pace.isPushDue)
        clock.advance(by: .seconds(1))
        #expect(pace.isPushDue)
        // A hundred do not wait at all.
        try await store.importText(generatedLog(97), named: "generated.adi")
        #expect(pace.noteChange())
        try await store.sync(with: cloud, as: "cloud")
        #expect(!pace.noteChange())
    }

    @Test func `pushes large changes at once`() async throws {
        let (clock, cloud) = (VirtualClock(), MemoryTransport())
        let temporary = try await journal(clock, cloud)
        let pace = PushPace(temporary.store, remote: "cloud")
        let id = try await temporary.store.log("N0CALL")
        #expect(!pace.noteChange())
        for letter in "abcde" {
            try await temporary.store.edit(id, ["NOTES": String(repeating: letter, count: 60_000)])
        }
        #expect(pace.noteChange())
    }

    @Test func `can be switched at any time, for all devices, and holds from the next change on`() async throws {
        let (clock, cloud) = (VirtualClock(), MemoryTransport())
        let first = try await journal(clock, cloud)
        let second = try await TemporaryStore(
            joining: cloud, as: "cloud", .full(author: "N1CALL", surroundings: .virtual(clock, seed: 2)))
        #expect(try first.store.syncEngine() == .journal && second.store.syncEngine() == .journal)
        let pace = PushPace(first.store, remote: "cloud")
        _ = try await first.store.log("W1AW")
        #expect(!pace.noteChange())
        _ = try await second.store.set(setting: "syncEngine", to: "records")
        try await second.store.sync(with: cloud, as: "cloud")
        try await first.store.sync(with: cloud, as: "cloud", isPushing: false)
        #expect(try first.store.syncEngine() == .records && pace.noteChange())
        _ = try await first.store.set(setting: "syncEngine", to: nil)
        #expect(try first.store.syncEngine() == .records)
        let plain = try await TemporaryStore()
        #expect(try plain.store.syncEngine() == .records, "without the logbook there is no such setting")
    }

    @Test func `and the engine records understand each other`() async throws {
        // The setting is the log's; a device that has not heard of it yet goes on as before.
        let (clock, cloud) = (VirtualClock(), MemoryTransport())
        let first = try await TemporaryStore(.full(author: "N0CALL", surroundings: .virtual(clock, seed: 1)))
        try await first.store.sync(with: cloud, as: "cloud")
        let second = try await TemporaryStore(
            joining: cloud, as: "cloud", .full(author: "N1CALL", surroundings: .virtual(clock, seed: 2)))
        _ = try await first.store.set(setting: "syncEngine", to: "journal")
        var generator = SeededGenerator(seed: 11)
        for number in 0..<40 {
            clock.advance(by: .seconds(Int.random(in: 0...20_000, using: &generator)))
            let store = Bool.random(using: &generator) ? first.store : second.store
            _ = try await store.log("N\(number)CALL", at: String(format: "%04d", number))
            if Bool.random(using: &generator) { try await store.sync(with: cloud, as: "cloud") }
        }
        for _ in 0..<3 { for one in [first, second] { try await one.store.sync(with: cloud, as: "cloud") } }
        #expect(try first.store.logDigest() == second.store.logDigest())
        #expect(try first.store.digest().views == second.store.digest().views)
        #expect(try first.store.syncStatus().isComplete && second.store.syncStatus().isComplete)
        #expect(try first.store.contactCount() == 40)
    }

    @Test func `sends what waits in one object when it follows a remote`() async throws {
        let cloud = MemoryTransport()
        let temporary = try await journal(VirtualClock(), cloud)
        let syncing = try temporary.store.startSyncing(with: cloud, as: "cloud")
        defer { syncing.stop() }
        var events = syncing.events.makeAsyncIterator()
        // The first pass pushes what an earlier process has left: here nothing.
        _ = await events.next()
        let before = cloud.objectCount
        for number in 0..<5 { _ = try await temporary.store.log("N\(number)CALL") }
        try await temporary.store.importText(generatedLog(95), named: "generated.adi")
        while let event = await events.next() {
            guard case .synced(let summary) = event, summary.sentEvents > 0 else { continue }
            #expect(summary.sentEvents >= 100)
            break
        }
        #expect(cloud.objectCount == before + 1)
    }
}

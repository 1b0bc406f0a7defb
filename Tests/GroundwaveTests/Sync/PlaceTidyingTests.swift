import Everything
import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveTesting
import Testing

/// What stores leave at a place, read there.
@Suite struct `What lies at a place` {
    private static func files(of replica: ReplicaID, at fleet: SyncedFleet) -> [String] {
        let path = fleet.place.appending(path: "stores/\(replica)").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    private func configuration(_ name: String, _ clock: VirtualClock, _ seed: UInt64) -> Configuration {
        var configuration = Configuration.full(author: "N0CALL", deviceName: name)
        configuration.surroundings = .virtual(clock, seed: seed)
        return configuration
    }

    @Test func `of a retired device is taken over by another one, and is there when it comes back`() async throws {
        let fleet = try await SyncedFleet(3)
        for index in 0..<3 { _ = try await fleet[index].log("N\(index)AA") }
        try await fleet.settle()
        let gone = try #require(fleet[2].replica)
        try await fleet[0].retire(gone)
        try await fleet.sync(0)
        #expect(!Self.files(of: gone, at: fleet).isEmpty)
        try await fleet.sync(0, isFull: true)
        #expect(Self.files(of: gone, at: fleet) == [])
        #expect(try await !fleet.sync(1, isFull: true).wasEmptied)
        let joined = try await TemporaryStore(
            joining: .folder(fleet.place), Configuration.full(author: "N9CALL", deviceName: "new"))
        #expect(try joined.store.contactCount() == 3)
        _ = try await fleet[2].log("N2BB")
        #expect(try await !fleet.sync(2).wasEmptied)
        try await fleet.settle()
        #expect(try fleet.digests().count == 1)
        #expect(try fleet[1].contactCount() == 4)
    }

    @Test(arguments: [29, 31])
    func `of a replica that another one continues is taken over when nothing was heard of it for a month`(
        days: Int
    ) async throws {
        let clock = VirtualClock()
        let fleet = try await SyncedFleet([configuration("one", clock, 1), configuration("two", clock, 2)])
        _ = try await fleet[1].log("N1AA")
        try await fleet.settle()
        let former = try #require(fleet[1].replica)
        // Its store was copied, without what tells a copy from the original, so the copy is a new replica.
        let copy = try TemporaryFolder()
        let url = copy.url.appending(path: "store")
        try FileManager.default.copyItem(at: fleet[1].url, to: url)
        var changed = configuration("two", clock, 3)
        changed.stateFolder = copy.url.appending(path: "state")
        let store = try await Store.open(at: url, changed).whole
        defer { try? store.close() }
        _ = try await store.log("N1BB")
        #expect(store.replica != former)
        try await store.sync(try store.remote("place"))
        clock.advance(by: .seconds(days * 86_400))
        _ = try await store.log("N1CC")
        try await store.sync(try store.remote("place"), isFull: true)
        #expect(Self.files(of: former, at: fleet).isEmpty == (days > 30))
        // The original lives on beside its copy, and nothing was lost.
        _ = try await fleet[1].log("N1DD")
        #expect(try await !fleet.sync(1).wasEmptied)
        try await fleet.settle()
        try await store.sync(try store.remote("place"))
        #expect(try fleet[0].contactCount() == 4 && store.contactCount() == 4)
    }

    @Test func `loses the words of a contact that is erased, whoever has pushed them`() async throws {
        let fleet = try await SyncedFleet(2)
        let words = "Met at the made-up lighthouse"
        let id = try await fleet[0].log("N0CALL", ["COMMENT": words])
        try await fleet.settle()
        try await fleet[1].edit(id, ["NOTES": words])
        try await fleet.settle()
        #expect(try await Self.count(words, at: fleet) == 2)
        _ = try await fleet[0].erase([id], kind: "qso")
        try await fleet.settle()
        #expect(try await Self.count(words, at: fleet) == 0)
        #expect(try fleet.digests().count == 1)
    }

    /// How many events at the place have these words.
    private static func count(_ words: String, at fleet: SyncedFleet) async throws -> Int {
        var count = 0
        let unreadable = try await RemoteInventory.forEachRange(
            at: FolderTransport(fleet.place), of: fleet[0].logID
        ) { frame in
            for number in frame.range.first...frame.range.last {
                let text = try frame.withEvent(number) { event, bytes in
                    String(decoding: bytes.extracting(0..<event.length).toArray(), as: UTF8.self)
                }
                if text.contains(words) { count += 1 }
            }
        }
        #expect(unreadable == 0)
        return count
    }
}

@Suite struct `Two programs of one device` {
    @Test func `synchronise with a remote one after the other`() async throws {
        let fleet = try await SyncedFleet(1)
        let second = try await fleet.stores[0].reopened(Configuration.full(author: "N0CALL", deviceName: "device 0"))
        defer { try? second.close() }
        let memory = MemoryTransport()
        let blocking = BlockingTransport(memory, answers: 2)
        let first = Task { [store = fleet[0]] in try await store.sync(with: blocking, as: "cloud") }
        for await _ in blocking.blocked { break }
        // The first is in the middle: nothing is asked of the place by the second.
        let asked = BlockingTransport(memory, answers: 0)
        let other = Task { try await second.sync(with: asked, as: "cloud") }
        try await Task.sleep(for: .milliseconds(300))
        #expect(asked.requestCount == 0)
        first.cancel()
        _ = try? await first.value
        for await _ in asked.blocked { break }
        #expect(asked.requestCount == 1, "then it goes on")
        other.cancel()
        _ = try? await other.value
    }
}

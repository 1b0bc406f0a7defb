import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveReplication
import GroundwaveTesting
import Testing

@Suite struct `Clearing a device` {
    /// A pass of `sync --watch` that began before a clear of another process and ended after it.
    @Test func `what a pass has learnt is forgotten if the log was cleared meanwhile`() async throws {
        let fleet = try await SyncedFleet(2)
        for minute in 10..<20 { _ = try await fleet[0].log("N0CALL", at: "12\(minute)") }
        try await fleet.settle()
        let store = fleet[0]
        let before = try fleet[0].digest().content
        let name = try #require(try store.remotes().first?.name)
        let (learnt, beginning) = (store.files.readCache(of: name), try store.log.checksum(at: 1))
        try store.keep(learnt, of: name, ifBeginningIs: beginning)
        #expect(store.files.readCache(of: name) == learnt)
        try await fleet[0].clear(fleet[0].prepareClearing())
        try store.keep(learnt, of: name, ifBeginningIs: beginning)
        #expect(store.files.readCache(of: name) == RemoteCache())
        try await fleet.sync(0)
        #expect(try fleet[0].digest().content == before)
    }

    @Test func `with synchronising on everything comes back, and nobody else loses anything`() async throws {
        let fleet = try await SyncedFleet(2)
        for minute in 10..<20 { _ = try await fleet[0].log("N0CALL", at: "12\(minute)") }
        try await fleet.settle()
        _ = try await fleet[0].log("W1AW")
        let before = try fleet[0].digest().content
        let clearing = try await fleet[0].prepareClearing()
        #expect(clearing.contacts == 11)
        #expect(clearing.unsent == 0, "what was not there yet was sent first")
        #expect(clearing.restores)
        let replica = fleet[0].replica
        try await fleet[0].clear(clearing)
        #expect(try fleet[0].contactCount() == 0)
        try await fleet.sync(0)
        #expect(try fleet[0].digest().content == before)
        #expect(fleet[0].replica != replica)
        try await fleet.settle()
        #expect(try fleet[1].digest().content == before)
        #expect(try fleet.digests().count == 1)
        #expect(try fleet[1].syncStatus().isComplete)
    }

    @Test func `with synchronising off it stays empty until that is switched on`() async throws {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[0].log("N0CALL")
        try await fleet.settle()
        try fleet[0].setSync(isOff: true)
        let clearing = try await fleet[0].prepareClearing()
        #expect(!clearing.restores && clearing.unsent == 0)
        try await fleet[0].clear(clearing)
        await #expect(throws: StoreError.self) { try await fleet.sync(0) }
        try fleet[0].runMaintenance()
        #expect(try fleet[0].contactCount() == 0)
        // What is logged meanwhile counts like anything else.
        _ = try await fleet[0].log("W1AW")
        try fleet[0].setSync(isOff: false)
        try await fleet.settle()
        #expect(try fleet[0].contactCount() == 2 && fleet[1].contactCount() == 2)
    }

    @Test func `what exists nowhere else is told`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let clearing = try await temporary.store.prepareClearing()
        #expect(clearing.unsent == 2 && clearing.events == 2)
        #expect(!clearing.restores)
        #expect(clearing.remarks == ["This device has no remote."])
    }

    @Test func `is refused while values lie in an archive alone`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let folder = try TemporaryFolder()
        _ = try await temporary.store.archive(
            before: .position(try temporary.store.log.lastPosition()), to: folder.path("a.gwa"))
        let error = await #expect(throws: StoreError.self) { try await temporary.store.prepareClearing() }
        #expect(error?.code == .archived)
        #expect(try temporary.store.contactCount() == 1)
    }

    @Test func `another process that has the store open goes on with the empty one`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let other = try await temporary.reopened(.full())
        #expect(try other.contactCount() == 1)
        try await temporary.store.clear(try await temporary.store.prepareClearing())
        #expect(try other.contactCount() == 0)
        _ = try await other.log("W1AW")
        #expect(try temporary.store.contactCount() == 1)
        #expect(try await Store.verify(at: other.url, components: .all).isOK)
        try other.close()
    }
}

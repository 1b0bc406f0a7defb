import Everything
import Foundation
import GroundwaveEvents
import GroundwaveTesting
import Testing

@Suite struct `A device that is gone for ever` {
    @Test func `is retired on all devices, which are complete without it`() async throws {
        let fleet = try await SyncedFleet(3)
        try await fleet.settle()
        let gone = try #require(fleet[2].replica)
        _ = try await fleet[0].log("N0CALL")
        for _ in 0..<2 { for index in 0..<2 { try await fleet.sync(index) } }
        for index in 0..<2 { #expect(try !fleet[index].syncStatus().isComplete, "the third one has not got it") }
        #expect(try await fleet[0].retire(gone).value)
        #expect(try await !fleet[0].retire(gone).value)
        for _ in 0..<2 { for index in 0..<2 { try await fleet.sync(index) } }
        for index in 0..<2 {
            let status = try fleet[index].syncStatus()
            #expect(status.isComplete && status.remotes[0].living.count == 1)
            #expect(try fleet[index].replicas().filter(\.isRetired).map(\.id) == [gone])
        }
        // It was not gone: it says so by what it pushes, and counts again.
        _ = try await fleet[2].log("N0TWO")
        try await fleet.sync(2)
        try await fleet.sync(0)
        let back = try fleet[0].syncStatus()
        #expect(!back.isComplete && back.remotes[0].living.count == 2)
        #expect(back.remotes[0].devices.filter(\.hasReturned).map(\.replica) == [gone])
        try await fleet.settle()
        for index in 0..<3 {
            #expect(try fleet[index].syncStatus().isComplete)
            #expect(try fleet[index].replicas().filter(\.isRetired).isEmpty)
        }
        #expect(try await fleet[0].retire(gone).value, "it can be retired again")
    }

    @Test func `makes nothing incomplete by events that it took with it`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        let gone = try #require(fleet[1].replica)
        for call in ["N0ONE", "N0TWO"] {
            _ = try await fleet[1].log(call)
            try await fleet.sync(1)
        }
        // The segment with the first one is lost before anybody has read it; the next one names it.
        let folder = fleet.place.appending(path: "stores/\(gone)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".segment") }
        try FileManager.default.removeItem(at: folder.appending(path: names.sorted()[names.count - 2]))
        try await fleet.sync(0, isFull: true)
        let missing = try fleet[0].missingRanges()
        #expect(missing.map(\.range.count) == [1], "the other one waits for it: \(missing)")
        #expect(try fleet[0].syncStatus().here.events.count == 2)
        try await fleet[0].retire(gone)
        try await fleet.sync(0)
        let status = try fleet[0].syncStatus()
        #expect(status.here.isEmpty && status.pending.count == 1, "it stays here, and nobody waits for it")
        #expect(try fleet[0].missingRanges().isEmpty)
    }

    // A clock that was ahead by a day or more ends the replica: the device comes back as a new one.
    @Test(arguments: [(82_800_000, true), (305_164_800_000, false)])
    func `comes back by a sync alone, whatever its clock has said before`(ahead: Int64, isSame: Bool) async throws {
        let clock = VirtualClock(milliseconds: 1_777_593_600_000 + ahead)
        var wrong = Configuration.full(author: "N1CALL", deviceName: "device 1")
        wrong.surroundings = .virtual(clock, seed: 1)
        let fleet = try await SyncedFleet([.full(author: "N0CALL", deviceName: "device 0"), wrong])
        try await fleet.settle()
        let gone = try #require(fleet[1].replica)
        try await fleet[0].retire(gone)
        try await fleet.sync(0)
        #expect(try fleet[0].syncStatus().isComplete)
        // Its last manifest was of a later time, and its clock is right now. It writes nothing.
        clock.setWall(milliseconds: 1_777_593_600_000)
        try await fleet.sync(1)
        try await fleet.sync(0)
        let new = try #require(fleet[1].replica)
        let devices = try fleet[0].syncStatus().remotes[0].devices
        #expect((new == gone) == isSame && devices.filter(\.isLiving).map(\.replica) == [new])
        #expect(devices.filter(\.hasReturned).map(\.replica) == (isSame ? [gone] : []))
    }

    @Test func `is back with an event that somebody brings, even if it knows of nothing`() async throws {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[1].log("N0ONE")
        try await fleet.settle()
        let gone = try #require(fleet[1].replica)
        let old = fleet.folder.path("old.gwb")
        _ = try await fleet[1].createBundle(to: old)
        try await fleet[0].retire(gone)
        _ = try await fleet[0].applyBundle(old)
        #expect(try fleet[0].replicas().first { $0.id == gone }?.isRetired == true, "all of that was known")
        _ = try await fleet[1].log("N0TWO")
        let new = fleet.folder.path("new.gwb")
        _ = try await fleet[1].createBundle(to: new)
        _ = try await fleet[0].applyBundle(new)
        let back = try #require(try fleet[0].replicas().first { $0.id == gone })
        #expect(!back.isRetired && back.hasReturned)
    }

    @Test func `is not this one, nor one that does not exist`() async throws {
        let fleet = try await SyncedFleet(1)
        let own = try #require(fleet[0].replica)
        let error = await #expect(throws: StoreError.self) { try await fleet[0].retire(own) }
        #expect(error?.code == .usage)
        let none = await #expect(throws: StoreError.self) { try await fleet[0].retire(ReplicaID(high: 1, low: 2)) }
        #expect(none?.code == .notFound)
    }

    @Test func `and joined again stands in the list as one device`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        let gone = try #require(fleet[1].replica)
        let configuration = Configuration.full(author: "N1CALL", deviceName: "device 1")
        let again = try await TemporaryStore(joining: .folder(fleet.place), configuration)
        #expect(try again.store.otherReplica(named: "device 1") == gone)
        try await again.store.replace(gone)
        for _ in 0..<2 {
            try await again.store.sync(try again.store.remotes()[0])
            try await fleet.sync(0)
        }
        for store in [fleet[0], again.store] {
            #expect(try store.syncStatus().isComplete)
            let writing = try store.replicas().filter { $0.successors.isEmpty }
            #expect(writing.map(\.device).sorted { $0 ?? "" < $1 ?? "" } == ["device 0", "device 1"])
        }
        let new = try #require(again.store.replica)
        #expect(try fleet[0].replicas().first { $0.id == new }?.former == gone)
    }
}

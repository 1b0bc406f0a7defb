import Everything
import Foundation
import GroundwaveReplication
import GroundwaveTesting
import Testing

// Points 5, 6 and 7 of the testing checklist of USB Meter, on contacts and settings.
@Suite struct `The checklist of synchronising` {
    @Test func `in airplane mode changes queue, and go out on reconnecting`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        // No connection: the folder is out of reach.
        let away = fleet.folder.url.appending(path: "away")
        try FileManager.default.moveItem(at: fleet.place, to: away)
        let id = try await fleet[0].log("N0CALL")
        _ = try await fleet[0].set(setting: "myCallsign", to: "N0CALL")
        let error = await #expect(throws: StoreError.self) { try await fleet.sync(0) }
        #expect(error?.code == .unreachable)
        #expect(!FileManager.default.fileExists(atPath: fleet.place.path), "a stick that is away is no folder to make")
        guard case .offline(let waiting) = try fleet[0].syncState(failure: error) else {
            Issue.record("it is offline")
            return
        }
        #expect(waiting == 2)
        #expect(try fleet[0].contactCount() == 1)
        try FileManager.default.moveItem(at: away, to: fleet.place)
        #expect(try await fleet.sync(0).sentEvents == 2)
        try await fleet.settle()
        #expect(try fleet[1].field("CALL", of: id) == "N0CALL")
        #expect(try fleet[1].setting("myCallsign")?.value == "N0CALL")
        #expect(try fleet[0].syncStatus().isComplete && fleet[1].syncStatus().isComplete)
    }

    @Test(arguments: SyncEngine.allCases)
    func `deleted and installed again, a device is rebuilt from what lies elsewhere`(engine: SyncEngine) async throws {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[0].set(setting: "syncEngine", to: engine.rawValue)
        let id = try await fleet[0].log("N0CALL")
        try await fleet[0].edit(id, ["RST_SENT": "599"])
        _ = try await fleet[0].set(setting: "myCallsign", to: "N0CALL")
        try await fleet.settle()
        let before = try fleet[0].digest()
        try fleet[0].close()
        let again = try await TemporaryStore(
            joining: .folder(fleet.place), Configuration.full(author: "N0CALL", deviceName: "device 0"))
        #expect(try again.store.digest().content == before.content)
        #expect(try again.store.setting("myCallsign")?.value == "N0CALL")
        #expect(again.store.replica != fleet[0].replica)
        // It goes on like any other.
        _ = try await again.store.log("N0TWO")
        try await again.store.sync(try again.store.remotes()[0])
        try await fleet.sync(1)
        #expect(try fleet[1].contactCount() == 2)
    }

    @Test func `a conflict of two devices is settled by the policy, and nothing is lost`() async throws {
        let clocks = [VirtualClock(), VirtualClock()]
        let fleet = try await SyncedFleet(
            clocks.enumerated().map { index, clock in
                Configuration.full(
                    author: "N\(index)CALL", deviceName: "device \(index)",
                    surroundings: .virtual(clock, seed: UInt64(index) + 7))
            })
        let id = try await fleet[0].log("N0CALL", ["RST_SENT": "599"])
        try await fleet.settle()
        try await fleet[0].edit(id, ["RST_SENT": "579"])
        for clock in clocks { clock.advance(by: .seconds(10)) }
        try await fleet[1].edit(id, ["RST_SENT": "559"])
        try await fleet[1].edit(id, ["RST_RCVD": "449"])
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try fleet[index].field("RST_SENT", of: id) == "559", "the later write is shown")
            #expect(try fleet[index].field("RST_RCVD", of: id) == "449", "another field is no conflict")
            #expect(try fleet[index].conflicts().count == 1)
        }
        #expect(try fleet.digests().count == 1)
    }
}

@Suite struct `Logging at the same time` {
    @Test func `one contact logged on two devices at the same second is kept twice, and both list the pair`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        _ = try await fleet[0].log("W1AW")
        _ = try await fleet[1].log("W1AW")
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try fleet[index].contactCount() == 2)
            #expect(try fleet[index].duplicates().count == 1)
        }
    }

    @Test(.enabled(if: Collection.folder != nil))
    func `real logs of seven devices, merged through a folder in any order, show what one device shows`()
        async throws
    {
        let files = Collection.files(in: "operators").prefix(7)
        try #require(files.count == 7)
        let one = try await TemporaryStore(.full())
        for file in files {
            try await one.store.importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
        }
        let fleet = try await SyncedFleet(7)
        var order = Array(files.enumerated())
        var numbers = SeededGenerator(seed: 7)
        order.shuffle(using: &numbers)
        for (index, file) in order {
            try await fleet[index].importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
            if Bool.random(using: &numbers) { try await fleet.sync(Int.random(in: 0..<7, using: &numbers)) }
        }
        try await fleet.settle()
        #expect(try fleet.digests().count == 1)
        #expect(try fleet[3].digest().content == one.store.digest().content)
        #expect(try fleet[3].syncStatus().isComplete)
    }
}

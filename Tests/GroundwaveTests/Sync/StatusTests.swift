import Everything
import Foundation
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

@Suite struct `The status of synchronising` {
    @Test func `never says complete while one event is held back`() async throws {
        let fleet = try await SyncedFleet(3)
        for index in 0..<3 { _ = try await fleet[index].log("N\(index)CALL") }
        try await fleet.settle()
        for index in 0..<3 { #expect(try fleet[index].syncStatus().isComplete) }
        _ = try await fleet[0].log("W1AW")
        #expect(try !fleet[0].syncStatus().isComplete)
        // The segment with it is held back, as by a cloud that has not copied it yet.
        try await fleet.sync(0)
        let own = fleet.place.appending(path: "stores/\(try #require(fleet[0].replica))")
        let last = try #require(
            try FileManager.default.contentsOfDirectory(atPath: own.path).filter { $0.hasSuffix(".segment") }.max())
        let held = fleet.folder.url.appending(path: "held")
        try FileManager.default.moveItem(at: own.appending(path: last), to: held)
        for index in 1..<3 {
            try await fleet.sync(index)
            try await fleet.sync(index, isFull: true)
        }
        #expect(try !fleet[0].syncStatus().isComplete, "the others have not said that they have it")
        let place = try #require(try fleet[0].syncStatus().remotes.first)
        #expect(place.devices.flatMap(\.missing).count == 2)
        try FileManager.default.moveItem(at: held, to: own.appending(path: last))
        try await fleet.settle()
        for index in 0..<3 { #expect(try fleet[index].syncStatus().isComplete) }
    }

    @Test func `becomes complete even when every hint is dropped each time`() async throws {
        let fleet = try await SyncedFleet(3)
        for round in 0..<4 {
            for index in 0..<3 {
                _ = try await fleet[index].log("N\(index)CALL", at: "12\(10 + round)")
                for index in 0..<3 {
                    try? FileManager.default.removeItem(atPath: fleet[index].files.cachePath(of: "place"))
                }
                try await fleet.sync(index)
            }
        }
        try await fleet.settle()
        try await fleet.settle()
        for index in 0..<3 { #expect(try fleet[index].syncStatus().isComplete) }
        #expect(try fleet.digests().count == 1)
        #expect(try fleet[0].contactCount() == 12)
    }

    @Test func `says what a place has lost, and no device loses anything`() async throws {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[0].log("N0CALL")
        try await fleet.settle()
        try FileManager.default.removeItem(at: fleet.place.appending(path: "stores"))
        let summary = try await fleet.sync(1)
        #expect(summary.wasEmptied)
        #expect(try fleet[1].contactCount() == 1)
        try await fleet.settle()
        #expect(try fleet[0].syncStatus().isComplete && fleet[1].syncStatus().isComplete)
        #expect(try fleet[1].syncStatus().remotes[0].emptied != nil)
        let newcomer = try await TemporaryStore(joining: .folder(fleet.place), .full())
        #expect(try newcomer.store.contactCount() == 1)
    }

    @Test func `who only leaves does not miss what it did not take`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        _ = try await fleet[1].log("N0CALL")
        try await fleet.sync(1)
        _ = try await fleet[0].log("N0TWO")
        let remote = try fleet[0].remote("place")
        #expect(try await fleet[0].sync(remote, isPulling: false).sentEvents == 1)
        #expect(try fleet[0].contactCount() == 1)
        try await fleet.settle()
        #expect(try fleet[0].contactCount() == 2)
        #expect(try fleet.digests().count == 1)
    }

    @Test func `off means that nothing goes and nothing is deleted, and on goes on`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        try fleet[0].setSync(isOff: true)
        _ = try await fleet[0].log("N0CALL")
        let error = await #expect(throws: StoreError.self) { try await fleet.sync(0) }
        #expect(error?.code == .syncOff)
        #expect(try !fleet[0].syncStatus().isComplete)
        try await fleet.sync(1)
        #expect(try fleet[1].contactCount() == 0)
        try fleet[0].setSync(isOff: false)
        try await fleet.settle()
        #expect(try fleet[1].contactCount() == 1)
    }
}

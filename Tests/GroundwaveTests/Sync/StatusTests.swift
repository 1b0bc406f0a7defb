import Everything
import Foundation
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore
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

    @Test func `names nothing as pending that came later in the same look`() async throws {
        let fleet = try await SyncedFleet(3)
        try await fleet.settle()
        let order = try (0..<3).sorted { try #require(fleet[$0].replica) < #require(fleet[$1].replica) }
        let (relay, author, reader) = (order[0], order[1], order[2])
        _ = try await fleet[author].log("N0ONE")
        try await fleet.sync(author)
        try await fleet.sync(relay)
        let vector = try fleet[author].log.vector()
        _ = try await fleet[author].log("N0TWO")
        let bundle = fleet.folder.path("two.gwb")
        _ = try await fleet[author].createBundle(missingFrom: vector, to: bundle)
        _ = try await fleet[relay].applyBundle(bundle)
        try await fleet.sync(relay)
        // The relay's folder is read first, and has the second event; the author's has the first one.
        let summary = try await fleet.sync(reader)
        #expect(summary.receivedEvents == 2 && summary.pending.isEmpty)
        #expect(try fleet[reader].syncStatus().here.isEmpty)
    }

    @Test func `names the folder of another log, and counts nothing of it`() async throws {
        let (fleet, other) = (try await SyncedFleet(2), try await SyncedFleet(1))
        try await fleet.settle()
        let stranger = try #require(other[0].replica)
        try FileManager.default.copyItem(
            at: other.place.appending(path: "stores/\(stranger)"),
            to: fleet.place.appending(path: "stores/\(stranger)"))
        let summary = try await fleet.sync(0)
        #expect(summary.quarantined.isEmpty && summary.strangers.keys.elementsEqual([stranger]))
        let status = try fleet[0].syncStatus()
        #expect(status.isComplete)
        #expect(status.remotes[0].strangers[stranger]?.contains("another log, \(other[0].logID.short)") == true)
        let contents = try await fleet[0].contents(of: try fleet[0].remote("place"))
        #expect(contents.stores.first { $0.replica == stranger }?.otherLog == other[0].logID)
    }

    @Test func `is behind by what only waits, and never says complete`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        _ = try await fleet[0].log("N0ONE")
        let vector = try fleet[0].log.vector()
        _ = try await fleet[0].log("N0TWO")
        let bundle = fleet.folder.path("two.gwb")
        _ = try await fleet[0].createBundle(missingFrom: vector, to: bundle)
        _ = try await fleet[1].applyBundle(bundle)
        try await fleet.sync(1)
        #expect(try fleet[1].syncState() == .behind(2))
        #expect(try !fleet[1].syncStatus().remotes[0].isComplete)
        try await fleet.settle()
        guard case .complete = try fleet[1].syncState() else { return #expect(Bool(false), "it has everything") }
    }

    @Test func `shows times that no clock shows as the nearest one that can be written`() {
        #expect(UTCText.milliseconds(.max).hasPrefix("9999-12-31T23:59:59."))
        #expect(UTCText.spaced(253_402_300_800) == "9999-12-31 23:59:59Z")
        #expect(UTCText.spaced(253_402_300_799) == "9999-12-31 23:59:59Z")
        #expect(UTCText.spaced(.min) == "0000-01-01 00:00:00Z")
        #expect(UTCText.seconds(951_782_400) == "2000-02-29T00:00:00Z")
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

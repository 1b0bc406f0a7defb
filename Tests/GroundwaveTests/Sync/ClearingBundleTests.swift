import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveRecovery
import GroundwaveReplication
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveSyncing

extension Store {
    /// Clears the store, and says where what was found nowhere else is.
    @discardableResult
    fileprivate func clearNow() async throws -> String? { try await clear(try await prepareClearing()) }
}

/// The events in a bundle that have their values.
private func values(in bundle: String, of store: Store) throws -> EventSet {
    let reader = try BundleReader(bundle, of: store)
    var found = EventSet()
    while let frames = try reader.frames(of: store.logID) {
        for frame in frames {
            for sequence in frame.range.first...frame.range.last {
                try frame.withEvent(sequence) { event, _ in
                    if !event.isWithheld { found.insert(EventID(frame.range.replica, sequence)) }
                }
            }
        }
    }
    return found
}

@Suite struct `The bundle of a cleared store` {
    /// Two devices with contacts of both, one of them erased, and a range that waits on the first.
    private func fleet() async throws -> (fleet: SyncedFleet, erased: EventSet) {
        let fleet = try await SyncedFleet(2)
        for minute in 10..<20 { _ = try await fleet[0].log("N0CALL", at: "12\(minute)") }
        let id = try await fleet[1].log("W1AW", at: "1300", ["NAME": "Forget"])
        try await fleet.settle()
        _ = try await fleet[0].erase([id])
        try await fleet.settle()
        // The second of two bundles: what it follows was lost on the way.
        for minute in 10..<12 { _ = try await fleet[1].log("N1CALL", at: "14\(minute)") }
        let known = try fleet[1].log.vector()
        var lacking = known
        lacking[try #require(fleet[1].replica)] -= 1
        let bundle = fleet.folder.path("waits.gwb")
        _ = try await fleet[1].createBundle(missingFrom: lacking, to: bundle)
        #expect(try await fleet[0].applyBundle(bundle).pending.count == 1)
        return (fleet, try fleet[0].log.erased())
    }

    @Test func `brings back events of several devices, erases, and what waited`() async throws {
        let (fleet, erased) = try await fleet()
        try FileManager.default.removeItem(at: fleet.place)
        let (store, digest) = (fleet[0], try fleet[0].digest().content)
        let (vector, waiting) = (try store.log.vector(), try store.missing())
        let bundle = try #require(try await store.clearNow())
        #expect(try store.log.lastPosition() == 0 && store.missing().isEmpty)
        #expect(!erased.isEmpty)
        #expect(try values(in: bundle, of: store).intersection(erased).isEmpty, "what was erased is in no bundle")
        let applied = try await store.applyBundle(bundle)
        #expect(applied.pending.count == 1)
        #expect(try store.digest().content == digest)
        #expect(try store.log.vector().covers(vector))
        #expect(try store.missing().map(\.range) == waiting.map(\.range))
        #expect(try store.log.erased() == erased)
        try store.close()
        #expect(try await Store.verify(at: fleet.stores[0].url, isDeep: true, components: .all).isOK)
    }

    @Test func `brings everything back to a store that was joined anew`() async throws {
        let (fleet, _) = try await fleet()
        let digest = try fleet[0].digest()
        // The other device had less of the first one's events, and begins a new remote.
        try FileManager.default.removeItem(at: fleet.place)
        let bundle = try #require(try await fleet[0].clearNow())
        let other = RemoteAddress.folder(fleet.folder.url.appending(path: "other"))
        try await fleet[1].add(remote: "other", at: other)
        try await fleet[1].sync(try fleet[1].remote("other"))
        let newcomer = try await TemporaryStore(joining: other, .full())
        _ = try await newcomer.store.applyBundle(bundle)
        let now = try newcomer.store.digest().content
        #expect(try now != digest.content && newcomer.store.contactCount() == 12, "two more of the other device")
        #expect(try newcomer.store.log.vector().covers(fleet[0].log.vector()))
    }

    @Test func `has all histories of a replica`() async throws {
        let fleet = try await SyncedFleet(1)
        _ = try await fleet[0].log("N0CALL")
        try fleet[0].close()
        let twin = try await fleet.stores[0].twin(.full())
        let original = try await fleet.stores[0].reopened(.full())
        _ = try await original.log("N0ONE")
        _ = try await twin.store.log("N0TWO")
        let bundle = fleet.folder.path("twin.gwb")
        _ = try await twin.store.createBundle(to: bundle)
        _ = try await original.applyBundle(bundle)
        let (digest, forks) = (try original.digest(), try original.forks().count)
        #expect(try original.contactCount() == 3 && forks == 1)
        try FileManager.default.removeItem(at: fleet.place)
        let saved = try #require(try await original.clearNow())
        _ = try await original.applyBundle(saved)
        #expect(try original.digest().content == digest.content)
        #expect(try original.forks().count == forks)
        try original.close()
    }

    @Test(arguments: [true, false])
    func `has the samples that no remote has, whether it is applied before or after the remote`(isFirst: Bool)
        async throws
    {
        let fleet = try await SyncedFleet(1)
        let store = fleet[0]
        let trace = try await store.recorded(6_000)
        _ = try await store.log("N0CALL")
        try await fleet.settle()
        let clearing = try await store.prepareClearing()
        #expect(clearing.unsent > 0 && clearing.unsent < clearing.events, "their events lie there without values")
        let bundle = try #require(try await store.clear(clearing))
        if !isFirst { try await fleet.settle() }
        _ = try await store.applyBundle(bundle)
        try await fleet.settle()
        #expect(try store.numbers(of: trace) == (Array(0..<6_000), 0))
        #expect(try store.contactCount() == 1)
        #expect(try store.syncStatus().isComplete)
    }

    @Test func `has what a recording that was interrupted had not in the log yet`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var trace = RecordID(high: 0, low: 0)
        do {
            let recorder = try await store.record(meter: simulatedMeter, model: .um25c)
            trace = recorder.trace
            try await recorder.append(simulatedRows(0..<70))
            try await recorder.flush()
            let error = await #expect(throws: StoreError.self) { _ = try await store.prepareClearing() }
            #expect(error?.code == .busy, "who records still adds to it")
        }
        let bundle = try #require(try await store.clearNow())
        _ = try await store.applyBundle(bundle)
        #expect(try store.numbers(of: trace) == (Array(0..<70), 0))
    }

    @Test func `has values that a remote has the events of, and not them`() async throws {
        let fleet = try await SyncedFleet(2)
        let id = try await fleet[0].log("N0CALL")
        try await fleet.settle()
        // The second device moves its values to an archive, and leaves the events at another remote.
        _ = try await fleet[1].archive(
            before: .position(try fleet[1].log.lastPosition()), to: fleet.folder.path("a.gwa"))
        let other = RemoteAddress.folder(fleet.folder.url.appending(path: "other"))
        try await fleet[1].add(remote: "other", at: other)
        try await fleet[1].sync(try fleet[1].remote("other"))
        try fleet[0].remove(remote: "place")
        try fleet[0].setSync(isOff: true)
        try await fleet[0].add(remote: "other", at: other)
        let bundle = try #require(try await fleet[0].clearNow())
        try fleet[0].setSync(isOff: false)
        try await fleet[0].sync(try fleet[0].remote("other"))
        #expect(try fleet[0].field("CALL", of: id) == nil)
        _ = try await fleet[0].applyBundle(bundle)
        #expect(try fleet[0].field("CALL", of: id) == "N0CALL")
    }
}

@Suite struct `Clearing what a bundle cannot hold` {
    @Test func `is refused behind events that were lost, unless a remote has them or they are given up`() async throws {
        let fleet = try await SyncedFleet(1)
        try await fleet[0].logMany(120)
        try fleet[0].setSync(isOff: true)
        try fleet[0].close()
        let lost = try Damage.loseEvents(of: fleet.stores[0].url)
        let recovery = try await fleet.stores[0].recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await fleet.stores[0].opening().whole
        #expect(try restored.log.lostRanges() == lost && !lost.isEmpty)
        let (contacts, clearing) = (try restored.contactCount(), try await restored.prepareClearing())
        #expect(clearing.unprovable > 0 && clearing.unprovable < clearing.unsent)
        let error = await #expect(throws: StoreError.self) { try await restored.clear(clearing) }
        #expect(error?.code == .notPermitted)
        #expect(try restored.contactCount() == contacts)
        #expect(try await restored.clear(clearing, discarding: clearing.unsent) == nil)
        #expect(try restored.contactCount() == 0)
        try restored.close()
    }

    @Test func `goes on where the remote has what stands behind events that were lost`() async throws {
        let fleet = try await SyncedFleet(1)
        try await fleet[0].logMany(120)
        try await fleet.settle()
        let digest = try fleet[0].digest().content
        try fleet[0].setSync(isOff: true)
        try fleet[0].close()
        _ = try Damage.loseEvents(of: fleet.stores[0].url)
        let recovery = try await fleet.stores[0].recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await fleet.stores[0].opening().whole
        let bundle = try #require(try await restored.clearNow(), "what recovery wrote down lies nowhere else")
        try restored.setSync(isOff: false)
        try await restored.sync(try restored.remote("place"))
        _ = try await restored.applyBundle(bundle)
        #expect(try restored.digest().content == digest)
        try restored.close()
    }
}

@Suite struct `Clearing that does not come to its end` {
    @Test func `since the bundle is damaged on the disk or cannot be written deletes nothing`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "taken"), withIntermediateDirectories: true)
        for path in [folder.path("nowhere/x.gwb"), folder.path("taken"), "/dev/full"] {
            let clearing = try await temporary.store.prepareClearing(bundle: path)
            let error = await #expect(throws: StoreError.self) { try await temporary.store.clear(clearing) }
            #expect(error?.hint?.contains("Nothing was deleted") == true)
            #expect(try temporary.store.contactCount() == 1)
        }
    }

    @Test func `since the state folder cannot be written leaves the store as it was`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let (store, replica) = (temporary.store, temporary.store.replica)
        let clearing = try await store.prepareClearing()
        let away = temporary.stateFolder.appendingPathExtension("away")
        let tokens = temporary.stateFolder.appending(path: "tokens")
        await #expect(throws: StoreError.self) {
            try await store.clear(clearing) { _, _ in
                try? FileManager.default.moveItem(at: tokens, to: away)
                try? Data().write(to: tokens)
            }
        }
        try FileManager.default.removeItem(at: tokens)
        try FileManager.default.moveItem(at: away, to: tokens)
        #expect(try store.contactCount() == 1 && store.replica == replica)
        #expect(try await store.clearNow() != nil)
        #expect(try store.contactCount() == 0)
    }

    @Test func `since another program writes meanwhile deletes nothing, and what came counts the next time`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let other = try await temporary.reopened(.full())
        _ = try await other.log("W1AW")
        let clearing = try await temporary.store.prepareClearing()
        let saved = Mutex("")
        let error = await #expect(throws: StoreError.self) {
            try await temporary.store.clear(clearing) { bundle, _ in
                saved.withLock { $0 = bundle }
                let done = DispatchSemaphore(value: 0)
                Task.detached {
                    _ = try await other.log("N0LATE")
                    done.signal()
                }
                done.wait()
            }
        }
        #expect(error?.code == .busy)
        #expect(!FileManager.default.fileExists(atPath: saved.withLock { $0 }))
        #expect(try temporary.store.calls() == ["N0CALL", "W1AW", "N0LATE"])
        let again = try await temporary.store.prepareClearing()
        #expect(again.unsent == clearing.unsent + 2, "the contact, and the event that introduces the new replica")
    }

    @Test func `leaves no snapshot and no remains, and keeps the preferences of the device`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        _ = try await store.log("N0CALL")
        _ = try store.createSnapshot()
        let settings = Data(#"{"editorFontSize": "14"}"#.utf8)
        try settings.write(to: store.url.appending(path: "settings.json"))
        let clearing = try await store.prepareClearing()
        #expect(clearing.snapshots == 1)
        let bundle = try #require(clearing.bundle)
        // What a process that was killed had written of its bundle.
        let remains = bundle.replacing(".gwb", with: "-9.gwb.part-1-1")
        try Data("half".utf8).write(to: URL(filePath: remains))
        try await store.clear(clearing)
        #expect(store.snapshots().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: remains))
        #expect(try Data(contentsOf: store.url.appending(path: "settings.json")) == settings)
    }
}

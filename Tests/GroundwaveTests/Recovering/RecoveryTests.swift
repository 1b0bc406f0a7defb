import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogRepair
import GroundwaveRadio
import GroundwaveRecovery
import GroundwaveTesting
import Testing

@Suite struct `A damaged store` {
    @Test func `is preserved byte for byte, and says what happened and what is lost`() async throws {
        let (made, lost, _) = try await TemporaryStore.damaged()
        let bytes = try Data(contentsOf: Damage.log(of: made.url))
        let recovery = try await made.recovery()
        #expect(!FileManager.default.fileExists(atPath: Damage.log(of: made.url).path), "nobody goes on with it")
        let backup = made.url.appending(path: recovery.failure.backup).appending(path: "log.mdb")
        #expect(try Data(contentsOf: backup) == bytes)
        #expect(recovery.failure.code == "damaged" && recovery.failure.file == "log.mdb" && !recovery.failure.isMoved)
        let receipt = try #require(recovery.receipt)
        #expect(receipt.lost == lost && receipt.unnamed == 0 && !receipt.isAtLeast)
        #expect(receipt.recovered + receipt.lostCount == receipt.appended && receipt.appended == 121)
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: made.url.appending(path: "ContainerInitFailure.json")))
        let record = try #require(json as? [String: Any])
        #expect(Set(["at", "code", "message", "file", "backup", "lastGood"]).isSubset(of: record.keys))
        try recovery.temporary.close()
    }

    @Test func `can be used meanwhile, stays locked across launches, and joins what was logged when it is restored`()
        async throws
    {
        let (made, lost, calls) = try await TemporaryStore.damaged()
        let first = try await made.recovery(Configuration.full(author: "N0CALL"))
        _ = try await first.temporary.log("N0MEANWHILE")
        try first.temporary.close()
        let second = try await made.recovery(Configuration.full(author: "N0CALL"))
        #expect(try second.temporary.calls() == ["N0MEANWHILE"], "the same temporary store")
        #expect(second.failure == first.failure, "one incident, one copy")
        _ = try await second.temporary.log("N0LATER")
        try await second.stageRestore(from: .salvage)
        #expect(second.staged == .salvage)
        try second.temporary.close()
        let restored = try await made.opening().whole
        let now = try restored.calls()
        #expect(now.subtracting(["N0MEANWHILE", "N0LATER"]).isSubset(of: calls))
        #expect(now.contains("N0MEANWHILE") && now.contains("N0LATER"))
        #expect(UInt64(calls.count + 2 - now.count) == lost.reduce(0) { $0 + $1.count })
        #expect(try restored.compareWithReplay().isSame)
        _ = try await restored.log("N0AFTER")
        var notes = 0
        try restored.read {
            try $0.forEachRecord(of: RecoveryKind.name) { _ in
                notes += 1; return true
            }
        }
        #expect(notes == 1, "an event says what happened")
        try restored.close()
        #expect(!FileManager.default.fileExists(atPath: made.url.appending(path: "ContainerInitFailure.json").path))
        #expect(!FileManager.default.fileExists(atPath: made.url.appending(path: "recovery").path))
        let verification = try await Store.verify(at: made.url, components: .all)
        #expect(verification.damage.allSatisfy { $0.what == "hole" } && verification.missing == lost)
        let status = try Store.recoveryStatus(at: made.url)
        #expect(status.state == .recovered && status.lost == lost)
    }

    @Test func `is used meanwhile by a store that changes no log as a whole`() async throws {
        let (made, _, _) = try await TemporaryStore.damaged()
        let store = try await made.recovery(Configuration.full(author: "N0CALL")).temporary
        let id = try await store.log("N0MEANWHILE")
        let (folder, last) = (try TemporaryFolder(), try store.log.lastPosition())
        let refused: [@Sendable () async throws -> Void] = [
            { try await store.sync(with: MemoryTransport(), as: "there") },
            { try await store.erase([id], kind: "qso") },
            { try await store.archive(before: .position(1), to: folder.url.appending(path: "archive").path) },
            { _ = try await store.applyBundle(folder.url.appending(path: "bundle").path) },
            { _ = try await store.clear(try await store.prepareClearing()) },
        ]
        for action in refused {
            let error = await #expect(throws: StoreError.self) { try await action() }
            #expect(error?.code == .recovering)
        }
        #expect(try store.calls() == ["N0MEANWHILE"] && store.log.lastPosition() == last)
        try store.close()
    }

    @Test func `is whole again with a peer at hand, and has its digest`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet[0].logMany(120)
        try await fleet[1].logMany(40, "N1C")
        try await fleet.settle()
        #expect(try fleet.digests().count == 1)
        try fleet[0].close()
        let lost = try Damage.loseEvents(of: fleet.stores[0].url)
        let recovery = try await fleet.stores[0].recovery()
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await fleet.stores[0].opening().whole
        #expect(try restored.log.lostRanges() == lost)
        let remote = try restored.remote("place")
        try await restored.sync(remote)
        #expect(try restored.log.lostRanges().isEmpty, "the peer had what was lost")
        try await fleet.sync(1)
        try await restored.sync(remote)
        #expect(try restored.digest().views == fleet[1].digest().views)
        #expect(try fleet[1].calls() == restored.calls() && restored.calls().contains("N0MEANWHILE"))
        #expect(try restored.syncStatus().isComplete)
        let status = try Store.recoveryStatus(at: restored.url)
        #expect(status.lost.isEmpty && status.receipt?.lost == lost)
        try restored.close()
        #expect(try await Store.verify(at: fleet.stores[0].url, isDeep: true, components: .all).isOK)
    }

    @Test func `that lost its meta pages and tree is restored without a loss`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(80)
        let calls = try made.store.calls()
        try made.store.close()
        try Damage.loseMetaPages(of: made.url)
        let recovery = try await made.recovery()
        #expect(recovery.receipt?.lostCount == 0)
        #expect(recovery.receipt?.isAtLeast == false, "what closed it last had noted how far it went")
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await made.opening().whole
        #expect(try restored.calls() == calls)
        try restored.close()
    }

    @Test func `of which old events are archived shows them, though the log lost their places`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(120)
        let folder = try TemporaryFolder()
        try await made.store.archive(before: .position(90), to: folder.path("old.gwa"))
        let calls = try made.store.calls()
        try made.store.close()
        try Damage.loseEvents(of: made.url)
        let recovery = try await made.recovery()
        #expect(recovery.receipt?.lost.allSatisfy { $0.last < 90 } == true)
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await made.opening().whole
        #expect(try restored.calls() == calls)
        #expect(try restored.compareWithReplay().isSame)
        try restored.close()
    }

    @Test func `says at least where nobody knows how much there was`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(80)
        try made.store.close()
        try Damage.loseMetaPages(of: made.url)
        try FileManager.default.removeItem(at: made.stateFolder)
        let recovery = try await made.recovery()
        #expect(recovery.receipt?.isAtLeast == true)
        #expect(recovery.receipt?.witnesses == ["file"])
        try recovery.temporary.close()
    }

    @Test func `restored with a snapshot shows what was lost before it`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(120)
        let calls = try made.store.calls()
        let snapshot = try made.store.createSnapshot()
        try await made.store.logMany(20, "N1C")
        try made.store.close()
        try Damage.loseEvents(of: made.url)
        let recovery = try await made.recovery()
        #expect(recovery.snapshot?.contacts == 120 && recovery.snapshot?.id == "\(snapshot.id)")
        let lost = try #require(recovery.receipt).lost
        #expect(lost.allSatisfy { snapshot.vector[$0.replica] >= $0.last })
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try await recovery.stageRestore(from: .snapshot)
        try recovery.temporary.close()
        let restored = try await made.opening().whole
        let now = try restored.calls()
        #expect(calls.isSubset(of: now) && now.contains("N0MEANWHILE") && now.contains("N1C7"))
        #expect(try restored.log.lostRanges() == lost, "what shows is not what is proven")
        #expect(try restored.compareWithReplay().isSame)
        try restored.close()
    }

    @Test func `gives a report that names nothing of what was logged, and changes no byte`() async throws {
        let made = try await TemporaryStore(Configuration.full(author: "N0AUTHOR", deviceName: "shack"))
        for number in 0..<80 {
            _ = try await made.store.log("N0CANARY\(number)", ["GRIDSQUARE": "KN34AA", "COMMENT": "canary words"])
        }
        try made.store.close()
        let key = try Data(contentsOf: made.url.appending(path: "identity"))
        try Damage.loseEvents(of: made.url)
        let recovery = try await made.recovery()
        try recovery.temporary.close()
        let before = try Damage.bytes(of: made.url)
        let folder = try TemporaryFolder()
        let (report, log) = (folder.url.appending(path: "report.json"), folder.url.appending(path: "a.mdb"))
        try await recovery.writeDiagnostics(to: report, anonymousLog: log)
        #expect(try Damage.bytes(of: made.url) == before)
        #expect(try Store.recoveryStatus(at: made.url).state == .waiting)
        let hexadecimal = key.map { String(format: "%02x", $0) }.joined()
        for file in [report, log] {
            let bytes = try Data(contentsOf: file)
            for word in ["N0CANARY", "N0AUTHOR", "KN34AA", "canary", "shack", hexadecimal, key.base64EncodedString()] {
                #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) in \(file.lastPathComponent)")
            }
            #expect(bytes.range(of: key) == nil)
        }
        let events = try Salvage(path: log.path).count
        let preserved = made.url.appending(path: recovery.failure.backup).appending(path: "log.mdb")
        #expect(try Salvage(path: preserved.path).count == events, "the same number of events")
    }

    @Test func `is reset only by the word, and begins with what was logged meanwhile`() async throws {
        let (made, _, _) = try await TemporaryStore.damaged()
        let recovery = try await made.recovery()
        _ = try await recovery.temporary.log("N0MEANWHILE")
        for word in ["", "reset", "RESET ", "YES"] {
            #expect(throws: StoreError.self) { try recovery.reset(confirmation: word) }
        }
        #expect(try Store.recoveryStatus(at: made.url).state == .waiting)
        try recovery.reset(confirmation: "RESET")
        try recovery.temporary.close()
        let store = try await made.opening().whole
        #expect(try store.calls() == ["N0MEANWHILE"])
        #expect(try store.isSyncOff(), "synchronising is off until it is switched on")
        #expect(try store.recoveryStatus().state == .recovered, "it was begun anew")
        _ = try await store.log("N0AFTER")
        try store.close()
        #expect(try await Store.verify(at: made.url, isDeep: true, components: .all).isOK)
        let backups = made.url.appending(path: "EmergencyBackup").path
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: backups).count == 1, "the damaged file is still there")
    }

    @Test func `is of the same device afterwards`() async throws {
        let (made, _, _) = try await TemporaryStore.damaged()
        let recovery = try await made.recovery(Configuration.full(deviceName: "the host"))
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await made.opening(Configuration.full(deviceName: "the host")).whole
        _ = try await restored.log("N0AFTER")
        let names = try restored.deviceNames()
        #expect(names.count == 2 && Set(names.values) == ["shack"], "\(names)")
        try restored.close()
    }

    @Test func `is restored from a remote`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet[0].logMany(150)
        try await fleet.settle()
        let calls = try fleet[1].calls()
        try fleet[0].close()
        try Damage.loseEvents(of: fleet.stores[0].url)
        let recovery = try await fleet.stores[0].recovery()
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try await recovery.stageRestore(from: .remote)
        try recovery.temporary.close()
        let restored = try await fleet.stores[0].opening().whole
        try await restored.sync(try restored.remote("place"))
        #expect(try restored.calls() == calls.union(["N0MEANWHILE"]))
        try restored.close()
    }

    @Test func `is looked at closely where its file is not as it was left`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(150)
        try made.store.close()
        try Damage.flip("N0C17", of: made.url)
        let recovery = try await made.recovery()
        #expect(recovery.receipt?.lostCount == 1)
        try recovery.temporary.close()
    }

    @Test func `is looked at closely after a process that did not close it, and not else`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(150)
        try made.store.close()
        let whole = try await made.opening().whole
        try whole.close()
        // The bytes of one event, which no cheap look sees; on a disk that rots, nothing tells that the file has changed.
        try Damage.flip("N0C17", of: made.url)
        let log = Damage.log(of: made.url).path
        #expect(WriterLock.note(try #require(FileState(of: log)), of: log))
        let second = try await made.opening().whole
        try second.close()
        let folder = try #require(
            try FileManager.default.contentsOfDirectory(atPath: made.stateFolder.path + "/open").first {
                !$0.contains(".")
            })
        try Data().write(to: made.stateFolder.appending(path: "open/\(folder)/1-1"))
        let recovery = try await made.recovery()
        #expect(recovery.receipt?.lostCount == 1)
        try recovery.temporary.close()
    }

    @Test func `of which the log is gone comes back from a snapshot alone`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(40)
        let calls = try made.store.calls()
        let vector = try made.store.createSnapshot().vector
        try await made.store.logMany(5, "N1C")
        try made.store.close()
        try FileManager.default.removeItem(at: Damage.log(of: made.url))
        let recovery = try await made.recovery()
        #expect(recovery.failure.code == "missing" && recovery.receipt == nil && recovery.snapshot?.contacts == 40)
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try await recovery.stageRestore(from: .snapshot)
        try recovery.temporary.close()
        let restored = try await made.opening().whole
        #expect(try restored.calls() == calls.union(["N0MEANWHILE"]))
        let lost = try restored.log.lostRanges()
        #expect(vector.entries.allSatisfy { entry in lost.contains { $0.replica == entry.replica && $0.first == 1 } })
        #expect(try restored.compareWithReplay().isSame)
        let receipt = try #require(try Store.recoveryStatus(at: made.url).receipt)
        #expect(receipt.recovered == 0 && receipt.lostCount >= 45, "none of the events was found")
        try restored.close()
    }

    @Test func `is not staged from a snapshot that is gone as well`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(5)
        _ = try made.store.createSnapshot()
        try made.store.close()
        try FileManager.default.removeItem(at: Damage.log(of: made.url))
        let recovery = try await made.recovery()
        try FileManager.default.removeItem(at: made.url.appending(path: "snapshots"))
        await #expect {
            try await recovery.stageRestore(from: .snapshot)
        } throws: { ($0 as? StoreError)?.code == .notFound }
        try recovery.reset(confirmation: "RESET")
        try recovery.temporary.close()
        try await made.opening().whole.close()
    }

    @Test func `of which the log is gone can be begun anew`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(5)
        try made.store.close()
        try FileManager.default.removeItem(at: Damage.log(of: made.url))
        let recovery = try await made.recovery()
        #expect(recovery.failure.code == "missing" && recovery.receipt == nil)
        await #expect(throws: StoreError.self) { try await recovery.stageRestore(from: .salvage) }
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try recovery.reset(confirmation: "RESET")
        try recovery.temporary.close()
        let store = try await made.opening().whole
        #expect(try store.calls() == ["N0MEANWHILE"])
        try store.close()
    }
}

import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecovery
import GroundwaveTesting
import Testing

@Suite struct `A recovery that is interrupted, or meets damage again` {
    @Test(arguments: ["restored", "temporary"])
    func `is restored although what was made for that is damaged by now`(part: String) async throws {
        let (made, lost, calls) = try await TemporaryStore.damaged()
        let recovery = try await made.recovery()
        try await recovery.temporary.logMany(60, "N0T")
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let more = try Damage.loseEvents(of: made.url.appending(path: "recovery/\(part)"))
        let restored = try await made.opening().whole
        let holes = EventSet(try restored.log.lostRanges())
        #expect(part == "restored" ? holes == EventSet(lost) : EventSet(more + lost).subtracting(holes).count == 0)
        let gone = lost.reduce(0) { $0 + $1.count } + (part == "restored" ? 0 : more.reduce(0) { $0 + $1.count })
        #expect(UInt64(try restored.calls().count) == UInt64(calls.count) + 60 - gone)
        try restored.close()
        #expect(try Store.recoveryStatus(at: made.url, stateFolder: made.stateFolder).state == .recovered)
        #expect(!FileManager.default.fileExists(atPath: made.url.appending(path: "recovery").path))
        let kept = made.url.appending(path: "\(recovery.failure.backup)/meanwhile")
        #expect(
            FileManager.default.fileExists(atPath: kept.path) == (part == "temporary"), "nothing damaged is thrown away"
        )
    }

    @Test func `is damaged again where the log that was just put in place is, and gets a backup of its own`()
        async throws
    {
        let (made, _, _) = try await TemporaryStore.damaged()
        let recovery = try await made.recovery()
        try await recovery.temporary.logMany(60, "N0T")
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let files = RecoveryFiles(made.url)
        // As a process that is killed behind that step leaves it.
        let choice = try #require(try Choice.read(files))
        _ = try Applying(choice, in: files, arrival: Surroundings.system.now()).run()
        let lost = try Damage.loseEvents(of: made.url)
        let second = try await made.recovery()
        #expect(EventSet(lost).subtracting(EventSet(try #require(second.receipt).lost)).count == 0)
        try await second.stageRestore(from: .salvage)
        try second.temporary.close()
        let restored = try await made.opening().whole
        #expect(EventSet(lost).subtracting(EventSet(try restored.log.lostRanges())).count == 0)
        try restored.close()
        #expect(
            try await Store.verify(at: made.url, components: .all, stateFolder: made.stateFolder).damage.allSatisfy {
                $0.what == "hole"
            })
        let backups = try FileManager.default.contentsOfDirectory(atPath: made.url.path + "/EmergencyBackup")
        #expect(backups.count == 2)
    }

    @Test func `says once what was recovered, also after a process that was ended behind that`() async throws {
        let (made, _, _) = try await TemporaryStore.damaged()
        let recovery = try await made.recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let files = RecoveryFiles(made.url)
        let (choice, failure) = (try #require(try Choice.read(files)), try #require(FailureRecord.read(files.failure)))
        try await made.opening().whole.close()
        let event = try Self.lastEvent(of: made.url)
        // The last step was not done.
        try FileManager.default.createDirectory(at: files.work, withIntermediateDirectories: false)
        try choice.write(files)
        try failure.write(to: files.failure)
        try await made.opening().whole.close()
        #expect(try Self.lastEvent(of: made.url) == event)
        #expect(!files.isWaiting)
    }

    private static func lastEvent(of url: URL) throws -> Position {
        let log = try EventLog(opening: RecoveryFiles(url).log)
        defer { try? log.close() }
        return try log.lastPosition()
    }

    @Test func `damaged once more gets a second backup beside the first`() async throws {
        let (made, _, _) = try await TemporaryStore.damaged()
        for _ in 1...2 {
            let recovery = try await made.recovery()
            try await recovery.stageRestore(from: .salvage)
            try recovery.temporary.close()
            let restored = try await made.opening().whole
            try await restored.logMany(30, "N9X")
            try restored.close()
            try Damage.loseEvents(of: made.url)
        }
        let backups = try FileManager.default.contentsOfDirectory(atPath: made.url.path + "/EmergencyBackup")
        #expect(backups.count == 2)
        let recovery = try await made.recovery()
        let receipt = try #require(recovery.receipt)
        #expect(receipt.recovered + receipt.lostCount == receipt.appended)
        try recovery.temporary.close()
    }

    @Test func `does not take what the recovery before has left for its own`() async throws {
        let (made, _, _) = try await TemporaryStore.damaged()
        let recovery = try await made.recovery()
        try recovery.temporary.close()
        let (work, kept) = (made.url.appending(path: "recovery"), made.url.appending(path: "kept"))
        try FileManager.default.copyItem(at: work, to: kept)
        let again = try await made.recovery()
        try await again.stageRestore(from: .salvage)
        try again.temporary.close()
        let restored = try await made.opening().whole
        try await restored.logMany(60, "N9X")
        let calls = try restored.calls()
        try restored.close()
        // As after a power cut in the last step.
        try FileManager.default.copyItem(at: kept, to: work)
        try Damage.loseMetaPages(of: made.url)
        let second = try await made.recovery()
        #expect(second.receipt?.lost == again.receipt?.lost, "what was lost before, and nothing else")
        try await second.stageRestore(from: .salvage)
        try second.temporary.close()
        let whole = try await made.opening().whole
        #expect(try whole.calls() == calls)
        try whole.close()
        try FileManager.default.copyItem(at: kept, to: work)
        try await made.opening().whole.close()
        #expect(!FileManager.default.fileExists(atPath: work.path))
    }

    @Test func `whose log was moved by a process that did not come to say so is recovered from there`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(40)
        let calls = try made.store.calls()
        try made.store.close()
        let folder = made.url.appending(path: "EmergencyBackup/2026-01-01T000000Z")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: Damage.log(of: made.url), to: folder.appending(path: "log.mdb"))
        let recovery = try await made.recovery()
        #expect(recovery.failure.isMoved && recovery.receipt?.lostCount == 0)
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await made.opening().whole
        #expect(try restored.calls() == calls)
        try restored.close()
    }
}

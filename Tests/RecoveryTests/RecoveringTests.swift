import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveSeededNumbers
import Synchronization
import Testing

@testable import GroundwaveRecovery

@Suite struct `Recovering a log` {
    /// Makes some pages noise.
    private static func noise(_ seed: UInt64, _ pages: Int) -> (inout [UInt8]) -> Void {
        { bytes in
            var numbers = SeededGenerator(seed: seed)
            for _ in 0..<pages {
                let start = Int.random(in: 0..<bytes.count / 4096, using: &numbers) * 4096
                for offset in start..<start + 4096 { bytes[offset] = UInt8.random(in: 0...255, using: &numbers) }
            }
        }
    }

    @Test func `preserves the file byte for byte, each incident in a folder of its own`() throws {
        let made = try DamagedLog(50, Self.noise(1, 1))
        let bytes = try Data(contentsOf: URL(filePath: made.files.log))
        let record = try made.begin()
        // Another process that finds the same gets the record of the first one.
        #expect(try made.begin() == record)
        #expect(!RecoveryFiles.exists(made.files.log), "nobody goes on writing to a file that was preserved")
        try bytes.write(to: URL(filePath: made.files.log))
        try DurableFile.remove(made.files.failure)
        let second = try made.begin()
        #expect(second.backup != record.backup && !record.isMoved && !second.isMoved)
        for name in [record.backup, second.backup] {
            let copy = made.files.folder.appending(path: name).appending(path: "log.mdb")
            #expect(try Data(contentsOf: copy) == bytes)
        }
    }

    @Test func `that cannot be written down has preserved the file all the same, and goes on from there`() throws {
        let made = try DamagedLog(50, Self.noise(1, 1))
        let bytes = try Data(contentsOf: URL(filePath: made.files.log))
        // As on a disk that is full just then: the record cannot take its name where a folder has it.
        let failure = made.files.failure
        let incident = Incident(
            made.files,
            Incident.Surroundings(
                arrival: .test(1000), random: { 5 }, logName: { nil }, witnesses: { [] },
                snapshot: {
                    mkdir(failure, 0o700)
                    return nil
                }))
        let found = Incident.Finding(code: "damaged", message: "for a test", file: "log.mdb")
        let error = #expect(throws: Incident.NotWrittenDown.self) { try incident.begin(found) }
        let backup = try #require(error?.backup)
        #expect(!RecoveryFiles.exists(made.files.log) && rmdir(failure) == 0)
        let finding = try #require(try Preflight(made.files).finding(isFull: false))
        #expect(finding.code == "damaged" && finding.message.contains(backup), "\(finding.message)")
        let record = try made.incident.begin(finding)
        #expect(record.backup == backup)
        let copy = made.files.folder.appending(path: backup).appending(path: "log.mdb")
        #expect(try Data(contentsOf: copy) == bytes)
        #expect(try #require(try made.incident.prepare(record)).recovered > 0)
    }

    @Test func `waits for who writes, has all that was acknowledged, and lets nobody write afterwards`() async throws {
        let made = try DamagedLog(50)
        let log = try EventLog(opening: made.files.log)
        let acknowledged = Mutex(0)
        let draft = DraftBatch.test(7)
        let replica = made.replica
        let writer = Task.detached { () -> (any Error)? in
            while true {
                do { _ = try log.append([draft], as: replica, arrival: .test(1)) } catch { return error }
                acknowledged.withLock { $0 += 1 }
            }
        }
        while acknowledged.withLock({ $0 }) < 20 { try await Task.sleep(for: .milliseconds(1)) }
        let record = try made.begin()
        let error = await writer.value
        #expect((error as? LMDBError)?.reason == .missing)
        let receipt = try #require(try made.incident.prepare(record))
        #expect(receipt.recovered == UInt64(50 + acknowledged.withLock { $0 }))
        #expect(receipt.lostCount == 0)
        #expect(throws: LMDBError.self) { try log.lastPosition() }
    }

    @Test func `has a log of before taken for another one by who has it open still`() throws {
        let made = try DamagedLog(50)
        let log = try EventLog(opening: made.files.log)
        _ = try made.incident.prepare(made.begin())
        let choice = Choice(.salvage, at: Date(timeIntervalSince1970: 1_700_000_000), record: RecordID(high: 1, low: 2))
        try choice.write(made.files)
        _ = try Applying(choice, in: made.files, arrival: .test(2000)).run()
        #expect(throws: EventLogError.anotherLog) {
            try log.append([DraftBatch.test(7)], as: made.replica, arrival: .test(1))
        }
        #expect(throws: EventLogError.anotherLog) { try log.lastPosition() }
        #expect(try made.leavesNow() == made.leaves)
    }

    @Test(arguments: UInt64(1)...30)
    func `accounts for each event, and keeps what was logged meanwhile`(seed: UInt64) throws {
        let made = try DamagedLog(300, Self.noise(seed, Int(seed % 4) + 1))
        let record = try made.begin()
        let receipt = try #require(try made.incident.prepare(record))
        #expect(receipt.recovered + receipt.lostCount == receipt.appended)
        #expect(receipt.isAtLeast || receipt.appended == 300)
        // Once more gives what is there already.
        #expect(try made.incident.prepare(record) == receipt)
        let meanwhile = try made.logMeanwhile(3)
        let choice = Choice(.salvage, at: Date(timeIntervalSince1970: 1_700_000_000), record: RecordID(high: 1, low: 2))
        try choice.write(made.files)
        let applying = Applying(choice, in: made.files, arrival: .test(2000))
        #expect(try applying.run() == .done(receipt))
        let now = try made.leavesNow()
        #expect(now.suffix(3) == meanwhile[...])
        #expect(now.count == Int(receipt.recovered) + 3)
        #expect(Set(now).subtracting(meanwhile).isSubset(of: made.leaves))
        // A process that was killed before it came to say so leaves it to be done once more: nothing changes.
        _ = try applying.run()
        #expect(try made.leavesNow() == now)
        try applying.finish()
        #expect(!made.files.isWaiting && !RecoveryFiles.exists(made.files.work.path))
        #expect(made.files.lastReceipt == receipt)
        #expect(try LogVerifier.verify(path: made.files.log).damage.allSatisfy { $0.what == .lostRange })
    }

    @Test func `goes on with a decision that cannot be read now, and leaves one of others alone`() throws {
        let made = try DamagedLog(100, Self.noise(1, 1))
        let receipt = try #require(try made.incident.prepare(made.begin()))
        let choice = Choice(.salvage, at: Date(timeIntervalSince1970: 1_700_000_000), record: RecordID(high: 1, low: 2))
        let applying = Applying(choice, in: made.files, arrival: .test(2000))
        // The system gives nothing of what lies there.
        try FileManager.default.createDirectory(atPath: made.files.choice, withIntermediateDirectories: true)
        #expect(throws: FileFailure.self) { try applying.run() }
        #expect(throws: FileFailure.self) { try applying.finish() }
        #expect(made.files.isWaiting && RecoveryFiles.exists(made.files.restoredLog))
        try FileManager.default.removeItem(atPath: made.files.choice)
        // Meanwhile something else was decided: what this process knows of is over.
        let other = Choice(.reset, at: Date(timeIntervalSince1970: 1_700_000_060), record: RecordID(high: 1, low: 2))
        try other.write(made.files)
        #expect(try applying.run() == .over)
        try applying.finish()
        #expect(try Choice.read(made.files) == other && FailureRecord.read(made.files.failure) != nil)
        try choice.write(made.files)
        #expect(try applying.run() == .done(receipt))
        try applying.finish()
        #expect(!made.files.isWaiting && made.files.lastReceipt == receipt)
    }

    @Test func `never puts a log in place without its receipt`() throws {
        let made = try DamagedLog(100, Self.noise(1, 1))
        let record = try made.begin()
        let receipt = try #require(try made.incident.prepare(record))
        let choice = Choice(.salvage, at: Date(timeIntervalSince1970: 1_700_000_000), record: RecordID(high: 1, low: 2))
        try choice.write(made.files)
        // As a try leaves it that could not read the log for a moment, and was ended before it was made once more.
        try FileManager.default.removeItem(atPath: made.files.restoredReceipt)
        let applying = Applying(choice, in: made.files, arrival: .test(2000))
        #expect(throws: Applying.Damaged.restored) { try applying.run() }
        let again = try #require(try made.incident.prepare(record))
        #expect(again.recovered == receipt.recovered && again.lost == receipt.lost)
        #expect(try applying.run() == .done(again))
        #expect(made.files.lastReceipt == again)
    }

    @Test func `does not end while no log is in place`() throws {
        let made = try DamagedLog(100, Self.noise(1, 1))
        _ = try made.incident.prepare(made.begin())
        for (way, damaged) in [(Choice.Action.salvage, Applying.Damaged.restored), (.reset, .temporary)] {
            let choice = Choice(way, at: Date(timeIntervalSince1970: 1_700_000_000), record: RecordID(high: 1, low: 2))
            try choice.write(made.files)
            try? FileManager.default.removeItem(at: made.files.restored)
            try? FileManager.default.removeItem(at: made.files.temporary)
            #expect(throws: damaged) { try Applying(choice, in: made.files, arrival: .test(2000)).run() }
            #expect(made.files.isWaiting)
        }
    }

    @Test func `counts as lost what others know of, by name where they know it`() throws {
        let made = try DamagedLog(100)
        let path = made.files.folder.appending(path: "rebuilt.mdb").path
        var vector = VersionVector()
        vector[made.replica] = 110
        func receipt(_ witnesses: [Rebuild.Witness]) throws -> Receipt {
            let rebuild = Rebuild(log: made.log, witnesses: witnesses, arrival: .test(1), epoch: 4)
            return try rebuild.run(Salvage(path: made.files.log), source: "log.mdb", to: path)
        }
        let alone = try receipt([])
        #expect(alone.appended == 100 && alone.recovered == 100 && alone.lostCount == 0)
        let views = try receipt([Rebuild.Witness(name: "views", positions: 120)])
        #expect(views.appended == 120 && views.lost == [] && views.unnamed == 20)
        let both = try receipt([
            Rebuild.Witness(name: "views", positions: 120), Rebuild.Witness(name: "peers", vector: vector),
        ])
        #expect(both.appended == 120 && both.recovered == 100 && both.unnamed == 10)
        #expect(both.lost.compactMap(\.events) == [EventRange(made.replica, 101, through: 110)])
        #expect(both.witnesses == ["file", "views", "peers"])
    }

    @Test func `that is reset begins with what was logged meanwhile`() throws {
        let made = try DamagedLog(50, Self.noise(3, 2))
        _ = try made.begin()
        let meanwhile = try made.logMeanwhile(4)
        let choice = Choice(.reset, at: Date(timeIntervalSince1970: 1_700_000_000), record: RecordID(high: 1, low: 2))
        try choice.write(made.files)
        #expect(try Applying(choice, in: made.files, arrival: .test(2000)).run() == .done(nil))
        #expect(try made.leavesNow() == meanwhile)
        let key = try Data(contentsOf: URL(filePath: made.files.identity))
        #expect(key == Data(repeating: 1, count: 32))
    }

    @Test func `does nothing where nothing was decided, or it was done`() throws {
        let made = try DamagedLog(20)
        let choice = Choice(.reset, at: Date(), record: RecordID(high: 1, low: 2))
        let applying = Applying(choice, in: made.files, arrival: .test(1))
        #expect(try applying.run() == .over)
        #expect(try made.leavesNow() == made.leaves)
    }

    @Test func `waits though its record cannot be read, and its leftovers stay`() throws {
        let made = try DamagedLog(20)
        try Data("{".utf8).write(to: URL(filePath: made.files.failure))
        #expect(made.files.isWaiting)
        #expect(FailureRecord.read(made.files.failure)?.code == "damaged")
        try FileManager.default.createDirectory(at: made.files.temporary, withIntermediateDirectories: true)
        made.files.removeLeftovers()
        #expect(RecoveryFiles.exists(made.files.temporary.path))
        try DurableFile.remove(made.files.failure)
        made.files.removeLeftovers()
        #expect(!RecoveryFiles.exists(made.files.work.path))
    }

    @Test func `looks at each page where it is asked to, and at what leads to them always`() throws {
        let whole = try DamagedLog(300)
        #expect(try Preflight(whole.files).finding(isFull: true) == nil)
        let short = try DamagedLog(300) { bytes in bytes.removeLast(bytes.count / 2) }
        #expect(try Preflight(short.files).finding(isFull: false)?.code == "damaged")
        // A bit in each frame, wherever one lies: nothing leads from them to others.
        let leaf = try DamagedLog(300) { bytes in
            let magic = withUnsafeBytes(of: Frame.magic.littleEndian) { Array($0) }
            for place in stride(from: 8192, to: bytes.count - 24, by: 2) where Array(bytes[place..<place + 4]) == magic
            {
                bytes[place + 20] ^= 1
            }
        }
        #expect(try Preflight(leaf.files).finding(isFull: false) == nil)
        #expect(try Preflight(leaf.files).finding(isFull: true)?.code == "damaged")
        try DurableFile.remove(whole.files.log)
        #expect(try Preflight(whole.files).finding(isFull: false)?.code == "missing")
    }

    #if os(Linux)
    @Test func `is not taken for damaged where the system does not give it`() throws {
        let made = try DamagedLog(20)
        try DurableFile.remove(made.files.log)
        // A socket is there and cannot be opened, not even by root. Elsewhere only root may make one so.
        #expect(mknod(made.files.log, S_IFSOCK | 0o600, 0) == 0)
        for isFull in [false, true] {
            #expect(throws: LMDBError.self) { try Preflight(made.files).finding(isFull: isFull) }
        }
    }
    #endif
}

@Suite struct `What is known of a store that was open` {
    @Test func `is told by the marks of processes that ended, not of those that live`() throws {
        let made = try DamagedLog(1)
        let (folder, state) = (made.files.folder, made.files.folder.appending(path: "state"))
        let mark = try #require(OpenMark(folder, in: state))
        #expect(OpenMark.left(by: folder, in: state) == [])
        mark.abandon()
        let left = OpenMark.left(by: folder, in: state)
        #expect(left.count == 1)
        OpenMark.forget(left)
        #expect(OpenMark.left(by: folder, in: state) == [])
        let other = try #require(OpenMark(folder, in: state))
        other.remove()
        #expect(OpenMark.left(by: folder, in: state) == [])
    }

    @Test func `is thought to have ended badly where a mark cannot be looked at`() throws {
        let made = try DamagedLog(1)
        let (folder, state) = (made.files.folder, made.files.folder.appending(path: "state"))
        try #require(OpenMark(folder, in: state)).remove()
        let marks = try #require(
            FileManager.default.contentsOfDirectory(
                at: state.appending(path: "open"), includingPropertiesForKeys: nil
            ).first)
        // A link that leads to itself cannot be opened, not even by root.
        let loop = marks.appending(path: "1-1").path
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        #expect(OpenMark.left(by: folder, in: state) == [loop])
        OpenMark.forget([loop])
        #expect(OpenMark.left(by: folder, in: state) == [])
        // Nor can a file be listed that stands in the place of their folder.
        try FileManager.default.removeItem(at: marks)
        try Data().write(to: marks)
        #expect(!OpenMark.left(by: folder, in: state).isEmpty)
    }

    @Test func `is damage that anything has met, until it was looked for`() throws {
        let made = try DamagedLog(1)
        let (folder, state) = (made.files.folder, made.files.folder.appending(path: "state"))
        // Whether the store is open in this process or not.
        OpenMark.suspect(folder, in: state)
        #expect(OpenMark.left(by: folder, in: state).count == 1)
        let mark = try #require(OpenMark(folder, in: state))
        OpenMark.suspect(folder)
        mark.remove()
        let left = OpenMark.left(by: folder, in: state)
        #expect(left.count == 2)
        OpenMark.forget(left)
        #expect(OpenMark.left(by: folder, in: state) == [])
    }

    /// Changes when the file at `path` was changed, by so many seconds, and nothing else of it.
    private func change(_ path: String, by seconds: Double) throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000 + seconds)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test func `is whether a file is as one of ours left it, or as it was looked at`() throws {
        let made = try DamagedLog(1)
        let (folder, state) = (made.files.folder, made.files.folder.appending(path: "state"))
        _ = try #require(OpenMark(folder, in: state))
        let log = FileCheckRecord("log.mdb", of: folder, in: state)
        #expect(!log.isKnown(now: 0))
        #expect(log.lastFullCheck == nil)
        // What was found to be damaged is not known afterwards.
        #expect(log.checking(now: 5, wasClean: true) { "damaged" } == "damaged")
        #expect(!log.isKnown(now: 5))
        #expect(log.checking(now: 7, wasClean: true) { String?.none } == nil)
        #expect(log.isKnown(now: 7))
        #expect(log.lastFullCheck == 7)
        try change(made.files.log, by: 1)
        #expect(!log.isKnown(now: 8))
        // Another file in its place: both exist at once, so that it has another inode.
        #expect(log.checking(now: 8, wasClean: false) { String?.none } == nil)
        try FileManager.default.copyItem(atPath: made.files.log, toPath: made.files.log + "-copy")
        try DurableFile.rename(made.files.log + "-copy", to: made.files.log)
        #expect(!log.isKnown(now: 9))
        #expect(log.lastFullCheck == nil)
    }

    @Test func `is known for an hour where a file changes by itself and was found whole twice`() throws {
        let made = try DamagedLog(1)
        let (folder, state) = (made.files.folder, made.files.folder.appending(path: "state"))
        _ = try #require(OpenMark(folder, in: state))
        let (log, hour) = (FileCheckRecord("log.mdb", of: folder, in: state), Int64(3_600_000))
        for round in 1...2 {
            try change(made.files.log, by: Double(round))
            #expect(!log.isKnown(now: Int64(round)))
            #expect(log.checking(now: Int64(round), wasClean: true) { String?.none } == nil)
        }
        try change(made.files.log, by: 3)
        #expect(log.isKnown(now: 3))
        #expect(log.isKnown(now: hour))
        #expect(!log.isKnown(now: hour + 2))
        try #require(FileHandle(forWritingAtPath: made.files.log)).truncate(atOffset: 4096)
        #expect(!log.isKnown(now: 3))
    }

    @Test func `is a file that is there whole or as it was`() throws {
        let made = try DamagedLog(1)
        let path = made.files.folder.appending(path: "note").path
        try DurableFile.write([1, 2, 3], to: path)
        try DurableFile.write([4], to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([4]))
        #expect(throws: FileFailure.self) { try DurableFile.write([5], to: path + "/below") }
        let names = try FileManager.default.contentsOfDirectory(atPath: made.files.folder.path)
        #expect(!names.contains { $0.contains(".part") })
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([4]))
    }
}

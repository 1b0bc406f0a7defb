import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveMDBPages
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

/// A file as a power cut leaves it: with all its pages but the meta page of the last commit.
private struct CutFile {
    let folder: URL
    var path: String { folder.appending(path: "log.mdb").path }
    var rescue: String { path + "-rescue" }

    /// The file of `log` after `commit`, whose meta page is put back to what was there before.
    init(of log: TestLog, _ commit: () throws -> Void) throws {
        let before = try Data(contentsOf: URL(filePath: log.path))
        try commit()
        var after = try Data(contentsOf: URL(filePath: log.path))
        let newest = try #require(try MetaPage.newest(of: PageFile(log.path)))
        let slot = Int(newest.transaction % 2) * newest.pageSize
        after.replaceSubrange(slot..<slot + newest.pageSize, with: before[slot..<slot + newest.pageSize])
        folder = log.folder.appending(path: "cut-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try after.write(to: URL(filePath: path))
    }

    /// Changes the bytes of the file.
    func edit(_ body: (inout Data) throws -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        try body(&bytes)
        try bytes.write(to: URL(filePath: path))
    }

    func contents() throws -> Contents {
        let log = try EventLog(opening: path)
        defer { try? log.close() }
        return try Contents(of: log)
    }
}

@Suite("A commit that trails")
struct TrailingTests {
    /// A log whose next commit trails.
    private func going(sizes: Sizes = .small) throws -> TestLog {
        let log = try TestLog()
        for _ in 0..<3 { try log.append(20, sizes: sizes) }
        #expect(try log.log.state().mayBeTrailed)
        return log
    }

    @Test("is the third of a log object and those after it, until the log is closed")
    func begins() throws {
        let log = try TestLog()
        var states: [Bool] = []
        for _ in 0..<3 {
            try log.append(5)
            states.append(try log.log.state().mayBeTrailed)
        }
        #expect(states == [false, true, true])
        try log.log.close()
        let again = try EventLog(opening: log.path)
        #expect(try !again.state().mayBeTrailed)
        try again.close()
    }

    @Test("comes back when the log is opened, as it was", arguments: [Sizes.small, .mixed])
    func comesBack(sizes: Sizes) throws {
        let log = try going(sizes: sizes)
        let cut = try CutFile(of: log) { try log.append(60, sizes: sizes) }
        let reader = try EventLog(opening: cut.path, options: Environment.Options(isReadOnly: true))
        #expect(try reader.lastPosition() == 60, "who can only read sees what was before")
        try reader.close()
        #expect(try cut.contents() == Contents(of: log.log))
        let again = try EventLog(opening: cut.path)
        #expect(try again.arrival(of: 61) == log.log.arrival(of: 61), "and when it came")
        _ = try again.append([.test(3, seed: 1)], as: log.replica, arrival: .test(1))
        #expect(try again.vector()[log.replica] == 123)
        try again.close()
        #expect(try LogVerifier.verify(path: cut.path).damage.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: cut.rescue))
    }

    @Test("comes back from the file aside, where a second power cut came while it was appended")
    func comesBackTwice() throws {
        let log = try going(sizes: .mixed)
        let cut = try CutFile(of: log) { try log.append(60, sizes: .mixed) }
        let frames = try Contents(of: log.log).frames
        try EventLog.rescue(Array(frames[60...]), at: cut.rescue, first: 61)
        // The pages were written over by who brought them back.
        try cut.edit { bytes in
            let meta = try #require(try MetaPage.newest(of: PageFile(cut.path)))
            bytes.replaceSubrange(Int(meta.lastPage + 1) * meta.pageSize..<bytes.count, with: [])
        }
        #expect(try cut.contents().frames == frames)
        #expect(!FileManager.default.fileExists(atPath: cut.rescue))
    }

    @Test("is not brought back where it cannot be put aside first, and lost neither")
    func needsRoomAside() throws {
        let log = try going()
        let cut = try CutFile(of: log) { try log.append(60) }
        let before = try Data(contentsOf: URL(filePath: cut.path))
        // Nothing can take the place of a folder.
        try FileManager.default.createDirectory(atPath: cut.rescue + "/x", withIntermediateDirectories: true)
        #expect(throws: LMDBError.self) { try EventLog(opening: cut.path) }
        #expect(try Data(contentsOf: URL(filePath: cut.path)) == before, "nothing was written")
        try FileManager.default.removeItem(atPath: cut.rescue)
        #expect(try cut.contents() == Contents(of: log.log))
    }

    @Test("is no loss where the file aside is of an earlier time")
    func passesOverOldRescue() throws {
        let log = try going()
        let frames = try Contents(of: log.log).frames
        let cut = try CutFile(of: log) { try log.append(60) }
        try EventLog.rescue(Array(frames[10..<20]), at: cut.rescue, first: 11)
        #expect(try cut.contents() == Contents(of: log.log))
    }

    @Test("counts in whole batches: of one that is torn nothing comes back")
    func leavesTornBatches() throws {
        let log = try going()
        let whole = try Contents(of: log.log)
        var draft: [DraftBatch] = []
        for seed in 0..<10 { draft.append(.test(30, sizes: .small, seed: UInt64(seed))) }
        let cut = try CutFile(of: log) {
            _ = try log.log.append(draft, as: log.replica, arrival: .test(7))
        }
        let all = try Contents(of: log.log)
        let intact = try Data(contentsOf: URL(filePath: cut.path))
        // Wherever it is torn: each page in turn that has an event of the batch is zeros.
        var counts: [Int] = []
        for page in 2..<intact.count / 4096 {
            try intact.write(to: URL(filePath: cut.path))
            try cut.edit { $0.resetBytes(in: page * 4096..<(page + 1) * 4096) }
            guard try PageCheck.branches(of: cut.path).isEmpty,
                try LogVerifier.verify(path: cut.path).damage.isEmpty
            else { continue }
            let found = try cut.contents()
            #expect(found.frames.starts(with: whole.frames) && all.frames.starts(with: found.frames))
            #expect((found.frames.count - whole.frames.count) % 30 == 0)
            counts.append(found.frames.count)
        }
        #expect(counts.contains(360) && counts.contains { $0 < 360 }, "some were torn, and some were other pages")
    }

    @Test("is not what another process left in the file and did not live to commit")
    func isNotAnothersAttempt() throws {
        let log = try going()
        // Another process begins to write, and dies before its commit; only its mark tells of it.
        #expect(!LastWriter(of: log.path).becomeLastWriter())
        try log.append(5)
        #expect(try !log.log.state().mayBeTrailed, "what follows is flushed twice")
    }

    @Test("does not follow one that failed")
    func doesNotFollowFailure() throws {
        struct Stop: Error {}
        let log = try going()
        #expect(throws: Stop.self) { try log.log.commit(mayTrail: true) { _, _, _ in throw Stop() } }
        try log.append(5)
        #expect(try !log.log.state().mayBeTrailed)
    }

    @Test("with what came from others between is flushed twice, and so is a claim")
    func isOfEventsAlone() throws {
        let log = try going()
        let cut = try CutFile(of: log) { try log.append(5) }
        let frames = try Contents(of: log.log).frames
        let other = try EventLog(opening: cut.path)
        #expect(try other.lastPosition() == 65)
        _ = try other.append(copying: Array(frames[..<5]), arrival: .test(1))
        #expect(try !other.state().mayBeTrailed)
        try other.close()
    }
}

import Foundation
import GroundwaveEvents
import GroundwaveLMDB
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

@Suite struct `The generation of a log` {
    private let test: TestLog

    init() throws {
        test = try TestLog()
        try test.append(30)
    }

    private func events(_ first: UInt64, _ last: UInt64) -> EventSet {
        EventSet([EventRange(test.replica, first, through: last)])
    }

    /// Runs a rewrite, and expects the number after the one before, another name, and the same in a log opened meanwhile.
    ///
    /// - Parameter rewrite: Returns whether it did what it was to do.
    private func expectNext(_ what: String, of log: EventLog, _ rewrite: () throws -> Bool) throws {
        let other = try EventLog(opening: log.path)
        let before = try log.generation()
        #expect(try other.generation() == before)
        let isDone = try rewrite()
        #expect(isDone, "\(what)")
        let after = try log.generation()
        #expect(after.number == before.number + 1 && after.name != before.name, "\(what)")
        #expect(try other.generation() == after, "\(what), seen by who had the file open before")
    }

    @Test func `stays through commits, and is the same after closing`() throws {
        let first = try test.log.generation()
        #expect(first.number == 1)
        try test.append(300)
        try test.log.sealPending()
        #expect(try test.log.generation() == first)
        try test.log.close()
        let (again, other) = (try EventLog(opening: test.path), try TestLog())
        #expect(try again.generation() == first)
        #expect(try other.log.generation() != first, "another log has another name")
    }

    @Test func `is another one after each kind of rewrite, and after none that changed nothing`() throws {
        let (log, whole) = (test.log, try Self.frames(of: test.log))
        try expectNext("letting values go", of: log) { try log.letGo(events(5, 6)) == 2 }
        try expectNext("erasing", of: log) { try log.erase(events(3, 4)) == 2 }
        let generation = try log.generation()
        #expect(try log.erase(events(3, 4)) == 0 && log.erase(events(90, 99)) == 0)
        #expect(try log.generation() == generation)
        let vector = try log.vector(through: 14)
        try expectNext("archiving", of: log) {
            try log.archive(vector, keeping: { _, _ in false }, behind: [1, 2, 3]) > 0
        }
        try expectNext("taking an archive back", of: log) {
            try log.restore { whole[$0] }
            return try log.base() == nil
        }
        try expectNext("clearing", of: log) {
            try log.clear()
            return try log.lastPosition() == 0
        }
        #expect(try LogVerifier.verify(path: test.path).damage.isEmpty)
    }

    @Test func `is another one in a copy with what is archived, and in a log that is made of a damaged one`() throws {
        let (log, whole) = (test.log, try Self.frames(of: test.log))
        let vector = try log.vector(through: 14)
        #expect(try log.archive(vector, keeping: { _, _ in false }, behind: [1, 2, 3]) > 0)
        let copy = test.folder.appending(path: "copy.mdb").path
        try log.copy(to: copy) { whole[$0] }
        let generation = try log.generation()
        let copied = try EventLog(opening: copy)
        #expect(try copied.generation().number == generation.number + 1)
        #expect(try log.generation() == generation, "the log itself stays what it is")
        try copied.close()
        try log.close()
        let salvaged = test.folder.appending(path: "salvaged.mdb").path
        let salvage = try Salvage(path: test.path)
        _ = try salvage.write(to: salvaged, log: log.id, epoch: 9, arrival: .test(1), missing: [])
        let made = try EventLog(opening: salvaged).generation()
        #expect(made.number == generation.number + 1 && made.name != generation.name)
    }

    @Test func `a log that does not say it is damaged`() throws {
        try test.log.write { transaction in
            let tables = try LogTables(in: transaction)
            _ = try transaction.remove(LogGeneration.key, in: tables.meta)
        }
        #expect(throws: EventLogError.damaged("the generation of the log")) { try test.log.generation() }
        try test.log.close()
        let damage = try LogVerifier.verify(path: test.path).damage
        #expect(damage.map(\.detail) == ["the log's generation is missing"])
    }

    private static func frames(of log: EventLog) throws -> [EventID: [UInt8]] {
        var frames: [EventID: [UInt8]] = [:]
        try log.scan(from: 1) { _, frame, bytes in
            frames[frame.id] = bytes.extracting(0..<frame.length).toArray()
            return true
        }
        return frames
    }
}

import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import Testing

@Suite struct `Erasing events of a log` {
    /// The events of `test`'s log from `first` on that come in threes.
    private func everyThird(_ test: TestLog, of count: Int) -> EventSet {
        EventSet(stride(from: 3, through: UInt64(count), by: 3).map { EventRange(test.replica, $0, through: $0) })
    }

    /// The values of the events of `erased` as they lie in the log.
    private func values(_ log: EventLog, of erased: EventSet) throws -> [[UInt8]] {
        var result: [[UInt8]] = []
        try log.scan(from: 1) { _, frame, bytes in
            if erased.contains(frame.id) { result.append(bytes.extracting(frame.values).toArray()) }
            return true
        }
        return result
    }

    @Test(arguments: [1, 2, 3, 300, 1_000])
    func `leaves every root, position and number, and none of the values`(count: Int) throws {
        let test = try TestLog()
        try test.append(count, sizes: .mixed)
        try test.log.sealPending()
        try test.append(2)
        let erased = everyThird(test, of: count)
        let before = try Contents(of: test.log)
        let root = try test.log.root(of: test.replica)
        let texts = try values(test.log, of: erased).filter { $0.count >= 16 }
        let file = try Data(contentsOf: URL(filePath: test.path))
        #expect(texts.allSatisfy { file.range(of: Data($0.prefix(16))) != nil })
        #expect(try test.log.erase(erased) == Int(erased.count))
        let after = try Contents(of: test.log)
        #expect(after.ids == before.ids)
        #expect(try after.leaves(of: test.replica) == before.leaves(of: test.replica))
        #expect(try test.log.root(of: test.replica) == root)
        #expect(try test.log.erased() == erased)
        let rewritten = try Data(contentsOf: URL(filePath: test.path))
        #expect(texts.allSatisfy { rewritten.range(of: Data($0.prefix(16))) == nil })
        #expect(try LogVerifier.verify(path: test.path).damage == [])
        // Once more changes nothing, and the log goes on.
        #expect(try test.log.erase(erased) == 0)
        try test.append(20)
        #expect(try test.log.lastPosition() == Position(count + 22))
        #expect(try LogVerifier.verify(path: test.path).damage == [])
    }

    @Test func `is seen by another log object of the process, in the middle of its work too`() throws {
        let test = try TestLog()
        try test.append(50)
        let other = try EventLog(opening: test.path)
        let erased = everyThird(test, of: 50)
        #expect(try other.erase(erased) == 16)
        #expect(try test.log.erased() == erased)
        try test.append(1)
        #expect(try other.lastPosition() == 51)
        #expect(try LogVerifier.verify(path: test.path).damage == [])
    }

    @Test func `goes on while other threads read and append`() throws {
        let test = try TestLog()
        try test.append(2_000)
        let works = (0..<3).map { _ in
            BackgroundWork {
                for _ in 0..<40 {
                    var count = 0
                    try test.log.scan(from: 1) { position, _, _ in
                        count += 1
                        // A look-up within a scan stays with the state of the scan.
                        return try position % 500 != 0 || test.log.withEvent(at: position) { _, _ in } != nil
                    }
                    guard count >= 2_000 else { throw EventLogError.notALog }
                }
            }
        }
        let writing = BackgroundWork { for _ in 0..<60 { try test.append(1) } }
        for number in UInt64(1)...12 {
            #expect(try test.log.erase(EventSet([EventRange(test.replica, number, through: number)])) == 1)
        }
        for work in works + [writing] {
            while !work.isDone { Thread.sleep(forTimeInterval: 0.001) }
            try work.check()
        }
        #expect(try test.log.lastPosition() == 2_060)
        let report = try LogVerifier.verify(path: test.path)
        #expect(report.damage == [] && report.events == 2_060)
    }

    @Test func `refuses their values from every source, before and after they come`() throws {
        let (test, other) = (try TestLog(), try TestLog())
        try test.append(40)
        let erased = EventSet([EventRange(test.replica, 5, through: 9), EventRange(test.replica, 30, through: 30)])
        let frames = try Contents(of: test.log).frames
        _ = try other.log.append(copying: Array(frames.prefix(20)), arrival: .test(1))
        #expect(try other.log.erase(erased) == 5)
        _ = try other.log.append(copying: Array(frames.dropFirst(20)), arrival: .test(2))
        #expect(try values(other.log, of: erased).allSatisfy { $0.count == 32 })
        #expect(try other.log.root(of: test.replica) == test.log.root(of: test.replica))
        #expect(try LogVerifier.verify(path: other.path).damage == [])
    }

    @Test func `refuses a log whose chain is broken, and leaves it as it is`() throws {
        let test = try TestLog()
        try test.append(40)
        let whole = try Data(contentsOf: URL(filePath: test.path))
        try test.log.close()
        var damaged = whole
        let frame = try #require(whole.range(of: Data("GWE1".utf8), in: whole.count / 2..<whole.count))
        damaged[frame.lowerBound + 40] ^= 1
        try damaged.write(to: URL(filePath: test.path))
        let log = try EventLog(opening: test.path)
        #expect {
            try log.erase(EventSet([EventRange(test.replica, 1, through: 1)]))
        } throws: {
            ($0 as? LMDBError)?.meansDamage == true
        }
        try log.close()
        #expect(try LogVerifier.verify(path: test.path).damage.contains { $0.what == .frame })
    }

    @Test func `is found out by verify where the values are there all the same`() throws {
        let test = try TestLog()
        try test.append(10)
        // Nobody can erase what was not written yet; it makes the log that verify is to complain about.
        #expect(try test.log.erase(EventSet([EventRange(test.replica, 11, through: 11)])) == 0)
        #expect(try LogVerifier.verify(path: test.path).damage == [])
        try test.append(1)
        #expect(try LogVerifier.verify(path: test.path).damage.map(\.what) == [.withheld])
    }
}

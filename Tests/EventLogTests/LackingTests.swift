import Foundation
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

/// The events of `log` whose values are not here.
private func withheld(_ log: EventLog) throws -> EventSet {
    var events = EventSet()
    try log.scan(from: 1) { _, frame, _ in
        if frame.isWithheld { events.insert(frame.id) }
        return true
    }
    return events
}

@Suite struct `Events without values` {
    /// `frame` without the values of every event whose number `isLeftOut` says.
    private func leaving(_ frame: RangeFrame, _ author: Author, _ isLeftOut: (UInt64) -> Bool) throws -> RangeFrame {
        var events = EventSet()
        for sequence in frame.range.first...frame.range.last where isLeftOut(sequence) {
            events.insert(EventID(frame.range.replica, sequence))
        }
        return try frame.withholding(events, author.log.streams()) { try author.log.leaf(of: $0) }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `are named whatever happens to them`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let author = try Author(seed: seed)
        try author.append(60, batchCount: 1)
        let replica = author.identity.replica
        let target = try TestLog()
        var (next, lacking, erased) = (UInt64(1), Set<UInt64>(), Set<UInt64>())
        for _ in 0..<25 {
            let known = next - 1
            switch numbers.next() % 5 {
            case 0 where known < 60, 1 where known < 60:
                let last = min(60, next + numbers.next() % 12)
                let mask = numbers.next()
                func isLeftOut(_ sequence: UInt64) -> Bool { mask >> (sequence % 64) & 1 == 1 }
                let frame = try leaving(author.frame(next, through: last), author, isLeftOut)
                _ = try target.log.receive([frame], arrival: .test(1))
                lacking.formUnion((next...last).filter { isLeftOut($0) && !erased.contains($0) })
                next = last + 1
            case 2 where known > 0:
                var events = EventSet()
                let chosen = (0..<5).map { _ in numbers.next() % known + 1 }
                for sequence in chosen { events.insert(EventID(replica, sequence)) }
                let having = Set(chosen).filter { !lacking.contains($0) && !erased.contains($0) }
                #expect(try target.log.letGo(events) == having.count)
                lacking.formUnion(having)
            case 3 where known > 0:
                let sequence = numbers.next() % 60 + 1
                _ = try target.log.erase(EventSet([EventRange(replica, sequence, through: sequence)]))
                erased.insert(sequence)
                lacking.remove(sequence)
            case 4 where known > 0:
                let first = numbers.next() % known + 1
                let last = min(known, first + numbers.next() % 10)
                let frame = try author.frame(first, through: last)
                let filled = try target.log.receive([frame], arrival: .test(2)).filledCount
                #expect(filled == lacking.filter { (first...last).contains($0) }.count)
                lacking.subtract(first...last)
            default: break
            }
            let expected = EventSet(lacking.map { EventRange(replica, $0, through: $0) })
            #expect(try target.log.missingValues() == expected)
            #expect(try withheld(target.log).subtracting(target.log.erased()) == expected)
        }
        #expect(try target.log.root(of: replica) == (next > 1 ? author.log.root(of: replica, through: next - 1) : nil))
        #expect(try LogVerifier.verify(path: target.path).damage == [])
        // What salvage makes of the file names them too, whatever the rows say.
        let before = try (target.log.missingValues(), target.log.erased())
        try target.log.close()
        let made = target.folder.appending(path: "made.mdb").path
        let salvage = try Salvage(path: target.path)
        let log = try #require(salvage.log)
        _ = try salvage.write(to: made, log: log, epoch: 9, arrival: .test(0), missing: salvage.missing)
        #expect(try LogVerifier.verify(path: made).damage == [])
        let salvaged = try EventLog(opening: made)
        #expect(try salvaged.missingValues() == before.0 && salvaged.erased() == before.1)
        try salvaged.close()
    }

    @Test func `that nothing names, and names of events that have their values, are found by verify`() throws {
        let test = try TestLog()
        try test.append(20)
        _ = try test.log.letGo(EventSet([EventRange(test.replica, 5, through: 6)]))
        #expect(try LogVerifier.verify(path: test.path).damage == [])
        for (rows, expected) in [
            (EventSet(), [5]), (EventSet([EventRange(test.replica, 4, through: 6)]), [4]),
        ] as [(EventSet, [UInt64])] {
            try test.log.commit { transaction, tables, _ in
                try tables.lacking.replace(with: rows, in: transaction)
            }
            let damage = try LogVerifier.verify(path: test.path).damage
            #expect(damage.map(\.what) == expected.map { _ in .withheld })
            #expect(damage.map(\.first) == expected)
        }
    }

    @Test func `take nothing from an archive that is not what was written`() throws {
        let (test, other) = (try TestLog(), try TestLog())
        try test.append(20)
        // Whole events of the same numbers, that say something else.
        try other.append(20, sizes: .mixed)
        let (own, others) = (try Contents(of: test.log), try Contents(of: other.log))
        func frame(_ id: EventID, _ contents: Contents) -> [UInt8]? {
            contents.ids.firstIndex(of: id).map { contents.frames[$0] }
        }
        let vector = try test.log.vector()
        #expect(try test.log.archive(vector, keeping: { _, _ in false }, behind: [1, 2, 3]) == 20)
        let archived = try Contents(of: test.log)
        #expect(throws: EventLogError.self) { try test.log.restore { frame($0, others) } }
        #expect(throws: EventLogError.archived(own.ids[9])) {
            try test.log.restore { $0 == own.ids[9] ? nil : frame($0, own) }
        }
        #expect(try Contents(of: test.log) == archived)
        try test.log.restore { frame($0, own) }
        #expect(try Contents(of: test.log) == own)
    }

    @Test func `are given to an archive of what comes before, and are still lacking when it is taken back`() throws {
        let test = try TestLog()
        try test.append(20)
        _ = try test.log.letGo(EventSet([EventRange(test.replica, 5, through: 6)]))
        var frames: [EventID: [UInt8]] = [:]
        try test.log.scan(from: 1) { _, frame, bytes in
            if !frame.isWithheld { frames[frame.id] = bytes.extracting(0..<frame.length).toArray() }
            return true
        }
        let vector = try test.log.vector()
        #expect(try test.log.archive(vector, keeping: { _, _ in false }, behind: [1, 2, 3]) == 18)
        #expect(try test.log.missingValues().isEmpty)
        #expect(try LogVerifier.verify(path: test.path).damage == [])
        try test.log.restore { frames[$0] }
        #expect(try test.log.missingValues() == EventSet([EventRange(test.replica, 5, through: 6)]))
        #expect(try withheld(test.log) == test.log.missingValues())
        #expect(try LogVerifier.verify(path: test.path).damage == [])
    }
}

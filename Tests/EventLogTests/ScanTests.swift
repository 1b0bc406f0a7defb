import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

@Suite struct `Finding events in a log` {
    /// A log in which two replicas take turns: `0 0 0 1 1 0 …`.
    private func interleaved(_ rounds: Int) throws -> (TestLog, [ReplicaID]) {
        let store = try TestLog()
        let replicas = [ReplicaID(high: 1, low: 1), ReplicaID(high: 2, low: 2)]
        for round in 0..<rounds { try store.append(1 + round * 7 % 4, as: replicas[round % 3 == 0 ? 0 : 1]) }
        return (store, replicas)
    }

    @Test func `every event is found by its name, and no other is`() throws {
        let (store, replicas) = try interleaved(60)
        let ids = try Contents(of: store.log).ids
        for (index, id) in ids.enumerated() { #expect(try store.log.position(of: id) == Position(index + 1)) }
        for replica in replicas {
            #expect(try store.log.position(of: EventID(replica, 0)) == nil)
            let next = try store.log.vector()[replica] + 1
            #expect(try store.log.position(of: EventID(replica, next)) == nil)
        }
        #expect(try store.log.position(of: EventID(ReplicaID(high: 3, low: 3), 1)) == nil)
    }

    @Test(arguments: UInt64(1)...20)
    func `a range hands out its events in order and stops where it is told`(seed: UInt64) throws {
        let (store, replicas) = try interleaved(40)
        var numbers = SeededGenerator(seed: seed)
        let replica = try #require(replicas.randomElement(using: &numbers))
        let last = try store.log.vector()[replica]
        let first = UInt64.random(in: 1...last, using: &numbers)
        let end = UInt64.random(in: first...(last + 5), using: &numbers)
        var seen: [SequenceNumber] = []
        try store.log.scan(EventRange(replica, first, through: end)) { position, frame, _ in
            let found = try store.log.position(of: frame.id)
            #expect(frame.id.replica == replica)
            #expect(found == position)
            seen.append(frame.id.sequence)
            return true
        }
        #expect(seen == Array(first...min(end, last)))
        let limit = Int.random(in: 1...seen.count, using: &numbers)
        seen = []
        try store.log.scan(EventRange(replica, first, through: end)) { _, frame, _ in
            seen.append(frame.id.sequence)
            return seen.count < limit
        }
        #expect(seen.count == limit)
    }

    @Test func `an event is handed out by its position, and nothing where none is`() throws {
        let (store, _) = try interleaved(10)
        let ids = try Contents(of: store.log).ids
        #expect(try store.log.withEvent(at: 3) { frame, _ in frame.id } == ids[2])
        #expect(try store.log.withEvent(at: 0) { frame, _ in frame.id } == nil)
        #expect(try store.log.withEvent(at: Position(ids.count + 1)) { frame, _ in frame.id } == nil)
        var found: [EventID] = []
        try store.log.withEvents(at: [1, 4, 5]) { _, frame, _ in found.append(frame.id) }
        #expect(found == [ids[0], ids[3], ids[4]])
    }

    @Test func `the arrival of an event is that of its commit`() throws {
        let store = try TestLog()
        _ = try store.log.append([.test(3, seed: 1), .test(1, seed: 2)], as: store.replica, arrival: .test(11))
        _ = try store.log.append([.test(2, seed: 3)], as: store.replica, arrival: .test(22))
        for position in 1...4 as ClosedRange<Position> { #expect(try store.log.arrival(of: position) == .test(11)) }
        for position in 5...6 as ClosedRange<Position> { #expect(try store.log.arrival(of: position) == .test(22)) }
        #expect(try store.log.arrival(of: 0) == nil)
        #expect(try store.log.arrival(of: 7) == nil)
    }
    @Test func `a commit whose row is missing is not said to have come with the one before it`() throws {
        let store = try TestLog()
        for number in 1...3 {
            _ = try store.log.append(
                [.test(2, seed: UInt64(number))], as: store.replica, arrival: .test(11 * number))
        }
        try store.log.write { transaction in
            let tables = try LogTables(in: transaction)
            try transaction.remove(3, in: tables.arrivals)
        }
        #expect(throws: EventLogError.damaged("the arrival times of events")) { try store.log.arrival(of: 3) }
        #expect(throws: EventLogError.damaged("the arrival times of events")) { try store.log.arrival(of: 4) }
        #expect(try store.log.arrival(of: 2) == .test(11))
        #expect(try store.log.arrival(of: 5) == .test(33))
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage.map(\.what) == [.arrival] && report.damage.first?.position == 3)
    }
}

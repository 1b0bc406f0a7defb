import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair
import Testing

@Suite struct `Appending to a log` {
    @Test func `each batch gets the next numbers and positions and a stamp of its own`() throws {
        let store = try TestLog()
        let batches = [3, 1, 5].map { DraftBatch.test($0, seed: UInt64($0)) }
        let appended = try store.log.append(batches, as: store.replica, arrival: .test(1))
        #expect(appended.map(\.first.sequence) == [1, 4, 5])
        #expect(appended.map(\.last.sequence) == [3, 4, 9])
        #expect(appended.map(\.position) == [1, 4, 5])
        #expect(appended.map(\.count) == [3, 1, 5])
        #expect(appended.allSatisfy { $0.first.replica == store.replica })
        #expect(zip(appended, appended.dropFirst()).allSatisfy { $0.stamp < $1.stamp })

        var rests: [Int] = []
        var stamps: [Stamp] = []
        try store.log.scan(from: 1) { position, frame, _ in
            #expect(frame.id == EventID(store.replica, position))
            rests.append(frame.rest)
            stamps.append(frame.stamp)
            return true
        }
        #expect(rests == [2, 1, 0, 0, 4, 3, 2, 1, 0])
        let expected = appended.flatMap { Array(repeating: $0.stamp, count: $0.count) }
        #expect(stamps == expected)
        #expect(try store.log.lastPosition() == 9)
    }

    @Test func `numbers are counted by replica, positions by log`() throws {
        let store = try TestLog()
        let other = ReplicaID(high: 8, low: 8)
        let first = try store.log.append([.test(2, seed: 1)], as: store.replica, arrival: .test(1))
        let second = try store.log.append([.test(3, seed: 2)], as: other, arrival: .test(2))
        let third = try store.log.append([.test(1, seed: 3)], as: store.replica, arrival: .test(3))
        #expect(first.map(\.first) == [EventID(store.replica, 1)])
        #expect(second.map(\.first) == [EventID(other, 1)])
        #expect(third.map(\.first) == [EventID(store.replica, 3)])
        #expect(third.map(\.position) == [6])
        let vector = try store.log.vector()
        #expect(vector[store.replica] == 3)
        #expect(vector[other] == 3)
        #expect(vector.eventCount == 6)
    }

    @Test func `stamps go up although the wall clock goes back`() throws {
        let store = try TestLog()
        var last = Stamp(rawValue: 0)
        for wall in [5_000, 4_000, 4_000, 6_000, 1] as [Int64] {
            var arrival = Arrival.test(1)
            arrival.wallMilliseconds = wall
            let appended = try store.log.append([.test(1, seed: 1)], as: store.replica, arrival: arrival)
            let stamp = try #require(appended.first?.stamp)
            #expect(stamp > last)
            last = stamp
        }
        #expect(last.milliseconds == 6_000)
    }

    @Test func `what is only right behind a position is refused behind another, and nothing is appended`() throws {
        let store = try TestLog()
        try store.append(3)
        #expect(throws: EventLogError.moved(last: 3)) {
            try store.log.append([.test(2, seed: 1)], as: store.replica, arrival: .test(1), behind: 2)
        }
        #expect(try store.log.lastPosition() == 3)
        let appended = try store.log.append([.test(2, seed: 1)], as: store.replica, arrival: .test(1), behind: 3)
        #expect(appended.map(\.position) == [4])
    }

    @Test func `a batch of too many events is refused, and nothing is appended`() throws {
        let store = try TestLog()
        try store.append(3)
        let batch = DraftBatch.test(EventLimits.batchCount + 1, seed: 1)
        #expect(throws: EventLogError.batchTooLarge(count: batch.count, bytes: batch.byteCount)) {
            try store.log.append([.test(1, seed: 2), batch], as: store.replica, arrival: .test(1))
        }
        #expect(try store.log.lastPosition() == 3)
        #expect(
            try store.log.append([.test(EventLimits.batchCount, seed: 1)], as: store.replica, arrival: .test(1)).count
                == 1)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `a batch of too many bytes is refused, and nothing is appended`() throws {
        let store = try TestLog()
        var batch = DraftBatch()
        batch.append(
            shape: { _ in }, values: { $0.append(contentsOf: [UInt8](repeating: 1, count: EventLimits.batchBytes)) })
        #expect(throws: EventLogError.batchTooLarge(count: 1, bytes: batch.byteCount)) {
            try store.log.append([batch], as: store.replica, arrival: .test(1))
        }
        #expect(try store.log.lastPosition() == 0)
    }

    @Test func `the largest batch of one event is stored, read and verified`() throws {
        let store = try TestLog()
        let room = EventLimits.batchBytes - DraftBatch.overheadPerEvent - EventLimits.observedCount * 32
        var batch = DraftBatch()
        batch.append(shape: { _ in }, values: { $0.append(contentsOf: [UInt8](repeating: 1, count: room)) })
        _ = try store.log.append([batch], as: store.replica, arrival: .test(1))
        #expect(try store.log.withEvent(at: 1) { frame, _ in frame.values.count } == room)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `appending no batch changes nothing, and the log goes on`() throws {
        let store = try TestLog()
        #expect(try store.log.append([], as: store.replica, arrival: .test(1)) == [])
        try store.append(2)
        #expect(try store.log.append([], as: store.replica, arrival: .test(1)) == [])
        try store.append(2)
        #expect(try store.log.lastPosition() == 4)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `a log opened again goes on where it was`() throws {
        let store = try TestLog()
        try store.append(300)
        let before = try Contents(of: store.log)
        let root = try store.log.root(of: store.replica)
        try store.log.sealPending()
        try store.log.close()
        let log = try EventLog(opening: store.path)
        defer { try? log.close() }
        #expect(log.id == LogID(high: 1, low: 2))
        #expect(log.epoch == 3)
        #expect(try Contents(of: log) == before)
        #expect(try log.root(of: store.replica) == root)
        let appended = try log.append([.test(1, seed: 1)], as: store.replica, arrival: .test(1))
        #expect(appended.map(\.first.sequence) == [301])
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import Testing

@Suite struct `What copying must refuse` {
    @Test func `a gap in the numbers of a replica is refused, and nothing was appended`() throws {
        let origin = try TestLog()
        try origin.append(10)
        let frames = try Contents(of: origin.log).frames
        let copy = try TestLog()
        let expected = EventLogError.outOfSequence(EventID(origin.replica, 4), expected: 3)
        #expect(throws: expected) {
            try copy.log.append(copying: Array(frames[..<2]) + Array(frames[3...]), arrival: .test(1))
        }
        #expect(try copy.log.lastPosition() == 0)
        #expect(try copy.log.vector()[origin.replica] == 0)
        #expect(try copy.log.append(copying: frames, arrival: .test(2)) == 10, "the log goes on as if nothing had been")
    }

    @Test func `what is here already is passed over, and what is new beside it is taken`() throws {
        let origin = try TestLog()
        try origin.append(20)
        let frames = try Contents(of: origin.log).frames
        let copy = try TestLog()
        #expect(try copy.log.append(copying: Array(frames[..<12]), arrival: .test(1)) == 12)
        #expect(try copy.log.append(copying: Array(frames[5..<15]), arrival: .test(2)) == 3)
        #expect(try copy.log.append(copying: frames, arrival: .test(3)) == 5)
        #expect(try copy.log.append(copying: frames, arrival: .test(4)) == 0)
        #expect(try Contents(of: copy.log).ids == Contents(of: origin.log).ids)
        #expect(try copy.log.root(of: origin.replica) == origin.log.root(of: origin.replica))
    }

    @Test func `a damaged event is refused, and those before it in the same call are not appended`() throws {
        let origin = try TestLog()
        try origin.append(10)
        var frames = try Contents(of: origin.log).frames
        frames[7][frames[7].count - 6] ^= 0x10
        let copy = try TestLog()
        #expect(throws: EventLogError.self) { try copy.log.append(copying: frames, arrival: .test(1)) }
        #expect(try copy.log.lastPosition() == 0)
    }

    @Test func `what is written next stands after what was copied, though the own clock is behind`() throws {
        let origin = try TestLog()
        var ahead = Arrival.test(1)
        ahead.wallMilliseconds += 3_600_000
        let far = try origin.log.append([.test(3, seed: 1)], as: origin.replica, arrival: ahead)
        let copy = try TestLog()
        _ = try copy.log.append(copying: try Contents(of: origin.log).frames, arrival: .test(2))
        let own = try copy.log.append([.test(1, seed: 2)], as: ReplicaID(high: 8, low: 8), arrival: .test(3))
        #expect(own[0].stamp > far[0].stamp)
    }
}

@Suite struct `What appending must keep` {
    @Test(arguments: [1, 2, 7, 50])
    func `every event of a batch says how many of it follow`(count: Int) throws {
        let log = try TestLog()
        _ = try log.log.append([.test(count, seed: 1), .test(2, seed: 2)], as: log.replica, arrival: .test(1))
        var rests: [Int] = []
        try log.log.scan(from: 1) { _, frame, _ in
            rests.append(frame.rest)
            return true
        }
        #expect(rests == Array((0..<count).reversed()) + [1, 0])
    }

    @Test func `each frame goes on from the one before it, whoever wrote that and in whichever commit`() throws {
        let origin = try TestLog()
        try origin.append(5)
        let log = try TestLog()
        try log.append(30, as: ReplicaID(high: 9, low: 9))
        _ = try log.log.append(copying: try Contents(of: origin.log).frames, arrival: .test(2))
        try log.append(3, as: ReplicaID(high: 9, low: 9))
        var previous: UInt32 = 0
        try log.log.scan(from: 1) { position, frame, bytes in
            _ = try Frame(verifying: bytes)
            #expect(frame.previousChecksum == previous, "position \(position)")
            previous = frame.checksum(in: bytes)
            return true
        }
        #expect(try log.log.lastChecksum() == previous)
    }

    @Test func `numbers have no gap and stamps go up, though the wall clock goes back`() throws {
        let log = try TestLog()
        var last = Stamp(rawValue: 0)
        for step in 0..<20 {
            var arrival = Arrival.test(step)
            arrival.wallMilliseconds -= Int64(step) * 60_000
            let appended = try log.log.append([.test(3, seed: UInt64(step))], as: log.replica, arrival: arrival)
            #expect(appended[0].stamp > last)
            #expect(appended[0].first.sequence == UInt64(step * 3 + 1))
            last = appended[0].stamp
        }
    }

    @Test func `an event is found by its name wherever the runs of its replica break off`() throws {
        let log = try TestLog()
        let others = [ReplicaID(high: 1, low: 0), log.replica, ReplicaID(high: 9, low: 0)]
        for round in 0..<12 { try log.append(round % 4 + 1, as: others[round * 5 % 3]) }
        var positions: [EventID: Position] = [:]
        try log.log.scan(from: 1) { position, frame, _ in
            positions[frame.id] = position
            return true
        }
        for (event, position) in positions { #expect(try log.log.position(of: event) == position) }
        #expect(try log.log.position(of: EventID(log.replica, 1000)) == nil)
    }
}

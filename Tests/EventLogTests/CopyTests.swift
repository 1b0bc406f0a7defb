import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair
import Testing

@Suite struct `Copying events from another log` {
    private let peer: TestLog
    private let frames: [[UInt8]]
    private let author = ReplicaID(high: 1, low: 9)

    init() throws {
        peer = try TestLog()
        try peer.append(100, sizes: .mixed, as: author)
        frames = try Contents(of: peer.log).frames
    }

    @Test func `a copy has the same events and the same root, behind what is there already`() throws {
        let store = try TestLog()
        try store.append(10)
        #expect(try store.log.append(copying: frames, arrival: .test(1)) == 100)
        #expect(try store.log.root(of: author) == peer.log.root(of: author))
        #expect(try store.log.position(of: EventID(author, 1)) == 11)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `copying twice, or what overlaps, appends each event once`() throws {
        let store = try TestLog()
        #expect(try store.log.append(copying: Array(frames[..<60]), arrival: .test(1)) == 60)
        #expect(try store.log.append(copying: Array(frames[..<60]), arrival: .test(2)) == 0)
        #expect(try store.log.append(copying: Array(frames[40...]), arrival: .test(3)) == 40)
        #expect(try store.log.append(copying: frames, arrival: .test(4)) == 0)
        #expect(try store.log.append(copying: [], arrival: .test(5)) == 0)
        #expect(try store.log.lastPosition() == 100)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `a gap is refused, and nothing is appended`() throws {
        let store = try TestLog()
        _ = try store.log.append(copying: Array(frames[..<10]), arrival: .test(1))
        #expect(throws: EventLogError.outOfSequence(EventID(author, 21), expected: 16)) {
            try store.log.append(copying: Array(frames[10..<15] + frames[20...]), arrival: .test(2))
        }
        #expect(try store.log.lastPosition() == 10)
        #expect(try store.log.append(copying: Array(frames[10...]), arrival: .test(3)) == 90)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `a damaged frame is refused, and nothing is appended`() throws {
        let store = try TestLog()
        var bad = frames
        bad[5][60] ^= 1
        #expect(throws: EventLogError.self) { try store.log.append(copying: bad, arrival: .test(1)) }
        #expect(try store.log.lastPosition() == 0)
    }

    @Test func `a frame with bytes behind it is refused, since it would be stored as another one`() throws {
        let store = try TestLog()
        #expect(throws: EventLogError.damagedFrame(position: 1, .malformed)) {
            try store.log.append(copying: [frames[0] + [0, 0, 0, 0]], arrival: .test(1))
        }
        #expect(try store.log.lastPosition() == 0)
    }

    @Test func `the clock goes on behind a stamp that was copied`() throws {
        let store = try TestLog()
        _ = try store.log.append(copying: frames, arrival: .test(1))
        let last = try #require(try peer.log.withEvent(at: 100) { frame, _ in frame.stamp })
        var arrival = Arrival.test(2)
        arrival.wallMilliseconds -= 1_000_000
        let appended = try store.log.append([.test(1, seed: 1)], as: store.replica, arrival: arrival)
        #expect(try #require(appended.first).stamp > last)
    }
}

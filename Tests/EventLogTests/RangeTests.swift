import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveSeededNumbers
import Testing

/// A log whose events an identity signs.
struct Author {
    let identity: Identity
    let store: TestLog
    var log: EventLog { store.log }

    init(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        identity = Identity.random(using: &numbers)
        store = try TestLog()
    }

    func append(_ count: Int, batchCount: Int = 7) throws {
        try store.append(count, batchCount: batchCount, as: identity.replica)
    }

    func frame(_ first: UInt64, through last: UInt64) throws -> RangeFrame {
        let frame = try log.frame(
            of: EventRange(identity.replica, first, through: last), signedBy: identity, preferredBytes: 4 << 20)
        return try #require(frame)
    }
}

/// The bytes of a range with one number changed and a right checksum.
private func bytes(_ frame: RangeFrame, putting value: UInt32, at offset: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(contentsOf: Array(frame.bytes.dropLast(4)))
    writer.overwrite(littleEndian: value, at: offset)
    writer.appendChecksum(from: 0)
    return writer.bytes
}

/// What is read from the bytes of a range: nothing else than who made it had in hand.
private func read(_ frame: RangeFrame) throws -> RangeFrame {
    let found = try RangeFrame(reading: frame.bytes, of: frame.log)
    #expect(found.range == frame.range && found.leaves == frame.leaves && found.endEdge == frame.endEdge)
    #expect(found.edge == frame.edge && found.head == frame.head && found.observed == frame.observed)
    for number in frame.range.first...frame.range.last {
        let event = try frame.withEvent(number) { event, bytes in bytes.extracting(0..<event.length).toArray() }
        #expect(try found.withEvent(number) { event, bytes in bytes.extracting(0..<event.length).toArray() } == event)
    }
    return found
}

@Suite struct `Ranges of events` {
    @Test func `a range that was read says what was written`() throws {
        let author = try Author(seed: 1)
        try author.append(40)
        let frame = try author.frame(15, through: 35)
        let found = try read(frame)
        #expect(found.range == EventRange(author.identity.replica, 15, through: 35))
        #expect(found.edge == (try author.log.edge(of: author.identity.replica, through: 14)))
        #expect(found.endEdge == (try author.log.edge(of: author.identity.replica, through: 35)))
        #expect(found.head.sequence == 35)
    }

    @Test func `with any one byte changed a range is refused`() throws {
        let author = try Author(seed: 2)
        try author.append(9, batchCount: 3)
        let frame = try author.frame(4, through: 6)
        let bytes = frame.bytes
        for place in bytes.indices {
            for bit in [UInt8(1), 0x80] {
                var changed = bytes
                changed[place] ^= bit
                #expect(throws: RangeError.self, "byte \(place)") {
                    try RangeFrame(reading: changed, of: author.log.id)
                }
                // Also where whoever changes it knows how to compute a checksum.
                var writer = ByteWriter()
                writer.append(contentsOf: Array(changed.dropLast(4)))
                writer.appendChecksum(from: 0)
                // A few bits of compressed bytes mean nothing: then the events are what they were.
                let found = try? RangeFrame(reading: writer.bytes, of: author.log.id)
                #expect(found == nil || found?.endEdge == frame.endEdge, "byte \(place), with a right checksum")
            }
        }
    }

    @Test func `cut short anywhere a range is refused`() throws {
        let author = try Author(seed: 3)
        try author.append(9)
        let bytes = try author.frame(1, through: 9).bytes
        for count in 0..<bytes.count {
            #expect(throws: RangeError.self) { try RangeFrame(reading: Array(bytes.prefix(count)), of: author.log.id) }
        }
        #expect(throws: RangeError.self) { try RangeFrame(reading: bytes + [0], of: author.log.id) }
    }

    @Test func `a range of another log is refused by name`() throws {
        let author = try Author(seed: 4)
        try author.append(3)
        let other = LogID(high: 9, low: 9)
        #expect(throws: RangeError.otherLog(author.log.id)) {
            try RangeFrame(reading: author.frame(1, through: 3).bytes, of: other)
        }
    }

    @Test func `events under another key are refused`() throws {
        let (author, other) = (try Author(seed: 5), try Author(seed: 6))
        try author.append(5)
        let bytes = try author.frame(1, through: 5).bytes
        // The head of somebody else, rightly signed, over the same number of events.
        try other.append(5)
        let head = try other.frame(1, through: 5).bytes
        var spliced = ByteWriter()
        spliced.append(contentsOf: Array(bytes[0..<52] + head[52..<188] + bytes[188..<bytes.count - 4]))
        spliced.appendChecksum(from: 0)
        #expect(throws: RangeError.wrongSignature) { try RangeFrame(reading: spliced.bytes, of: author.log.id) }
    }

    @Test(arguments: UInt64(1)...24)
    func `ranges cut anywhere and sent in any order, again and again, give the same log`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let author = try Author(seed: seed)
        let count = UInt64.random(in: 1...120, using: &numbers)
        try author.append(Int(count), batchCount: Int.random(in: 1...9, using: &numbers))
        let target = try TestLog()
        var frames: [RangeFrame] = []
        var first: UInt64 = 1
        while first <= count {
            let last = UInt64.random(in: first...min(count, first + 20), using: &numbers)
            frames.append(try author.frame(first, through: last))
            // The next one may overlap it.
            first = max(first + 1, last + 1 - UInt64.random(in: 0...2, using: &numbers))
        }
        frames += frames.shuffled(using: &numbers).prefix(3)
        frames.shuffle(using: &numbers)
        while !frames.isEmpty {
            let group = frames.prefix(Int.random(in: 1...3, using: &numbers))
            frames.removeFirst(group.count)
            let received = try target.log.receive(try group.map(read), arrival: .test(1))
            #expect(received.apart.isEmpty)
        }
        #expect(try target.log.vector() == author.log.vector())
        let replica = author.identity.replica
        #expect(try target.log.root(of: replica) == author.log.root(of: replica))
        #expect(try target.log.pendingRanges().isEmpty)
        #expect(try target.log.retainedFrames().isEmpty)
        #expect(try LogVerifier.verify(path: target.path).damage.isEmpty)
    }

    @Test func `half a batch waits, and enters with its other half`() throws {
        let author = try Author(seed: 7)
        try author.append(10, batchCount: 10)
        let target = try TestLog()
        let received = try target.log.receive([try author.frame(1, through: 6)], arrival: .test(1))
        #expect(received.appendedCount == 0)
        #expect(received.pending == [EventRange(author.identity.replica, 1, through: 6)])
        #expect(try target.log.vector() == VersionVector())
        #expect(try target.log.pendingRanges().map(\.expected) == [7])
        #expect(try target.log.receive([try author.frame(7, through: 10)], arrival: .test(2)).appendedCount == 10)
        #expect(try target.log.pendingRanges().isEmpty)
    }

    @Test func `two who hold half a batch each make it whole when its author is gone`() throws {
        let author = try Author(seed: 8)
        try author.append(4, batchCount: 4)
        let (one, other) = (try TestLog(), try TestLog())
        _ = try one.log.receive([try author.frame(1, through: 2)], arrival: .test(1))
        _ = try other.log.receive([try author.frame(3, through: 4)], arrival: .test(1))
        _ = try one.log.receive(try other.log.retainedFrames().map(read), arrival: .test(2))
        #expect(try one.log.vector()[author.identity.replica] == 4)
    }

    @Test func `whoever has events of others can prove them to others`() throws {
        let author = try Author(seed: 9)
        try author.append(600)
        let (relay, target) = (try TestLog(), try TestLog())
        // Only some of it has come: the head that proves it is of more.
        let replica = author.identity.replica
        _ = try relay.log.receive([try author.frame(1, through: 350)], arrival: .test(1))
        let frame = try #require(try relay.log.frame(of: EventRange(replica, 1, through: 350), signedBy: nil))
        _ = try target.log.receive([try read(frame)], arrival: .test(1))
        #expect(try target.log.root(of: replica) == author.log.root(of: replica, through: 350))
        // A part of it is proven by the head of the whole.
        let part = try #require(
            try relay.log.frame(of: EventRange(replica, 8, through: 300), signedBy: nil, preferredBytes: 900))
        #expect(try read(part).range.last < 300)
        #expect(part.head.sequence == 350)
    }

    @Test func `a part that a later head proves is kept until that head is reached, so that it can go on`() throws {
        let author = try Author(seed: 10)
        try author.append(60)
        let (relay, next, last) = (try TestLog(), try TestLog(), try TestLog())
        let replica = author.identity.replica
        _ = try relay.log.receive([try author.frame(1, through: 60)], arrival: .test(1))
        let part = try #require(
            try relay.log.frame(of: EventRange(replica, 1, through: 60), signedBy: nil, preferredBytes: 2000))
        #expect(part.range.last < 56)
        _ = try next.log.receive([try read(part)], arrival: .test(1))
        #expect(try next.log.vector()[replica] > 0)
        _ = try last.log.receive(try next.log.retainedFrames().map(read), arrival: .test(1))
        #expect(try last.log.vector() == next.log.vector())
        let rest = try #require(
            try relay.log.frame(of: EventRange(replica, part.range.last + 1, through: 60), signedBy: nil))
        _ = try next.log.receive([try read(rest)], arrival: .test(2))
        #expect(try next.log.retainedFrames().isEmpty)
    }

    @Test func `another history of a replica is a stream of its own, and the log is whole`() throws {
        let author = try Author(seed: 11)
        try author.append(20, batchCount: 5)
        let target = try TestLog()
        _ = try target.log.receive([try author.frame(1, through: 10)], arrival: .test(1))
        // The same key goes on from event 5 with other events.
        let twin = try TestLog()
        _ = try twin.log.receive([try author.frame(1, through: 5)], arrival: .test(1))
        _ = try twin.log.append([.test(5, seed: 999)], as: author.identity.replica, arrival: .test(3))
        let branch = try #require(
            try twin.log.frame(
                of: EventRange(author.identity.replica, 6, through: 10), signedBy: author.identity))
        let received = try target.log.receive([try read(branch)], arrival: .test(2))
        #expect(received.apart == [EventRange(author.identity.replica, 6, through: 10)])
        #expect(received.appendedCount == 5)
        #expect(
            try target.log.root(of: author.identity.replica)
                == author.log.root(of: author.identity.replica, through: 5))
        _ = try target.log.receive([try author.frame(11, through: 20)], arrival: .test(4))
        let streams = try target.log.streams().children(of: author.identity.replica)
        #expect(try Set(streams.map { try target.log.vector()[$0] }) == [5, 15])
        #expect(try target.log.vector()[author.identity.replica] == 5)
        let report = try LogVerifier.verify(path: target.path)
        #expect(report.damage.isEmpty, "\(report.damage)")
        #expect(report.events == 25)
    }

    @Test func `half a batch of another history does not keep out a history that is whole`() throws {
        let author = try Author(seed: 16)
        try author.append(10, batchCount: 5)
        let replica = author.identity.replica
        let (target, twin) = (try TestLog(), try TestLog())
        for log in [target.log, twin.log] { _ = try log.receive([try author.frame(1, through: 10)], arrival: .test(1)) }
        // The same key goes on from event 10 with other events, and no more than three of them ever come.
        _ = try twin.log.append([.test(5, seed: 999)], as: replica, arrival: .test(3))
        let half = try #require(
            try twin.log.frame(of: EventRange(replica, 10, through: 12), signedBy: author.identity))
        #expect(try target.log.receive([try read(half)], arrival: .test(2)).appendedCount == 0)
        try author.append(4, batchCount: 2)
        for (first, last) in [(9, 11), (12, 13), (14, 14)] as [(UInt64, UInt64)] {
            _ = try target.log.receive([try author.frame(first, through: last)], arrival: .test(4))
        }
        #expect(try target.log.root(of: replica) == author.log.root(of: replica, through: 14))
        #expect(try target.log.pendingFrames() == [half])
    }

    @Test func `a range that says what its author did not see is refused where its history is known`() throws {
        let (author, other) = (try Author(seed: 14), try Author(seed: 15))
        try other.append(3)
        _ = try author.log.receive([try other.frame(1, through: 3)], arrival: .test(1))
        try author.append(8, batchCount: 1)
        let replica = author.identity.replica
        let honest = try author.frame(5, through: 8)
        #expect(honest.observed.map(\.event) == [EventID(other.identity.replica, 3)])
        // The number of what it observed stands behind the edge, which has one hash for 4 events.
        let lie = try RangeFrame(reading: bytes(honest, putting: 2, at: 199 + 32 + 16), of: author.log.id)
        let target = try TestLog()
        _ = try target.log.receive([try author.frame(1, through: 4)], arrival: .test(1))
        #expect(try target.log.receive([lie], arrival: .test(2)).refused == [EventRange(replica, 5, through: 8)])
        #expect(try target.log.vector()[replica] == 4)
        #expect(try target.log.receive([honest], arrival: .test(2)).appendedCount == 4)
    }

    @Test func `erased values are left out, also where their range waits`() throws {
        let author = try Author(seed: 12)
        try author.append(12, batchCount: 3)
        let target = try TestLog()
        let replica = author.identity.replica
        _ = try target.log.receive([try author.frame(7, through: 12)], arrival: .test(1))
        _ = try target.log.erase(EventSet([EventRange(replica, 2, through: 2), EventRange(replica, 8, through: 8)]))
        #expect(try LogVerifier.verify(path: target.path).damage.isEmpty)
        _ = try target.log.receive([try author.frame(1, through: 6)], arrival: .test(2))
        #expect(try target.log.vector()[replica] == 12)
        for sequence in UInt64(1)...12 {
            let position = try #require(try target.log.position(of: EventID(replica, sequence)))
            let isWithheld = try target.log.withEvent(at: position) { frame, _ in frame.isWithheld }
            #expect(isWithheld == (sequence == 2 || sequence == 8))
        }
        #expect(try target.log.root(of: replica) == author.log.root(of: replica))
        let whole = try author.frame(7, through: 12)
        let rest = try whole.withholding(EventSet([EventRange(replica, 8, through: 8)]), author.log.streams()) {
            try author.log.leaf(of: $0)
        }
        #expect(try rest != whole && read(rest).leaves == whole.leaves)
    }

    @Test func `the bound on what waits never puts out what comes next`() throws {
        let author = try Author(seed: 13)
        try author.append(8, batchCount: 8)
        let target = try TestLog()
        _ = try target.log.receive([try author.frame(5, through: 8)], arrival: .test(1))
        _ = try target.log.receive([try author.frame(3, through: 4)], arrival: .test(1))
        _ = try target.log.receive([try author.frame(1, through: 2)], arrival: .test(1))
        #expect(try target.log.vector()[author.identity.replica] == 8)
    }
}

@Suite struct `Ranges from a liar` {
    @Test(arguments: [UInt32(0), 1, 65_537, 1 << 30, .max])
    func `counts and sizes that cannot be are refused before anything is allocated`(value: UInt32) throws {
        let author = try Author(seed: 20)
        try author.append(4)
        let frame = try author.frame(1, through: 4)
        for offset in [4, 48, 191, 195] {
            #expect(throws: RangeError.self) {
                try RangeFrame(reading: bytes(frame, putting: value, at: offset), of: author.log.id)
            }
        }
        #expect(throws: RangeError.malformed) {
            try bytes(frame, putting: .max, at: 4).withSpan { try RangeFrame.byteCount(of: $0) }
        }
    }
}

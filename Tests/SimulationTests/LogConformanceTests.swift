import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSeededNumbers
import Testing

@testable import histories

/// Which log: the promises below are those of both.
enum LogSort: CaseIterable, Sendable {
    case inMemory, onDisk

    func make() throws -> any SimulatedLog {
        let id = LogID(high: 1, low: 2)
        switch self {
        case .inMemory: return MemoryLog.empty(id)
        case .onDisk: return try DiskLog.empty(id)
        }
    }
}

/// A log, and who writes into it.
struct Writer {
    let log: any SimulatedLog
    let identity: Identity
    var replica: ReplicaID { identity.replica }

    init(_ sort: LogSort, seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        identity = Identity.random(using: &numbers)
        log = try sort.make()
    }

    init(_ log: any SimulatedLog, _ identity: Identity) {
        self.log = log
        self.identity = identity
    }

    /// Appends batches of so many events.
    @discardableResult
    func write(_ counts: Int..., at milliseconds: Int64 = 1000, seed: UInt64 = 1) throws -> [Appended] {
        try counts.enumerated().map { place, count in
            try log.append(
                .seeded(seed * 100 + UInt64(place), count: count), as: replica,
                arrival: Arrival(milliseconds: milliseconds))
        }
    }

    /// A range, read as it comes from somewhere.
    func range(_ first: UInt64, _ last: UInt64, preferredBytes: Int = 1 << 20) throws -> RangeFrame {
        let made = try log.frame(
            of: EventRange(replica, first, through: last), signedBy: identity, preferredBytes: preferredBytes)
        return try RangeFrame(reading: #require(made).bytes, of: log.id)
    }

    @discardableResult
    func receive(_ frames: RangeFrame..., at milliseconds: Int64 = 1000) throws -> Received {
        try log.receive(frames, arrival: Arrival(milliseconds: milliseconds))
    }

    /// What is there, as far as others can tell.
    func content() throws -> [String] {
        try log.vector().entries.map {
            "\($0.replica.short).\($0.sequence) \(try log.root(of: $0.replica, through: $0.sequence)?.description ?? "")"
        }
    }
}

@Suite struct `A log that is replicated, in memory and on disk` {
    @Test(arguments: LogSort.allCases)
    func `numbers events without holes, stamps a batch once and counts what follows`(sort: LogSort) throws {
        let one = try Writer(sort, seed: 1)
        let appended = try one.write(3, 1)
        #expect(appended.map(\.first.sequence) == [1, 4])
        #expect(appended.map(\.position) == [1, 4])
        #expect(appended[0].stamp < appended[1].stamp)
        var rests: [Int] = []
        var stamps: Set<Stamp> = []
        try one.log.forEach(from: 1) { _, frame, _ in
            rests.append(frame.rest)
            stamps.insert(frame.stamp)
        }
        #expect(rests == [2, 1, 0, 0])
        #expect(stamps == Set(appended.map(\.stamp)))
    }

    @Test(arguments: LogSort.allCases)
    func `never lets its stamps go down, and takes over no stamp that is far ahead`(sort: LogSort) throws {
        let (one, other) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        let day: Int64 = 24 * 3600 * 1000
        try other.write(1, at: 10 * day)
        try one.receive(other.range(1, 1), at: 1000)
        let after = try one.write(1, at: 1000)[0].stamp
        #expect(after.milliseconds == 1000)
        #expect(try one.write(1, at: 5)[0].stamp > after)
        let near = try Writer(sort, seed: 3)
        try near.write(1, at: 2000)
        try one.receive(near.range(1, 1), at: 1000)
        #expect(try one.write(1, at: 5)[0].stamp.milliseconds == 2000)
    }

    @Test(arguments: LogSort.allCases)
    func `says with an event what its author had seen since the one before`(sort: LogSort) throws {
        let (one, other) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try other.write(2, 1)
        try one.write(1)
        try one.receive(other.range(1, 3))
        try one.write(2)
        try one.write(1)
        let root = try #require(try other.log.root(of: other.replica, through: 3))
        let head = ObservedHead(event: EventID(other.replica, 3), rootPrefix: root.prefix)
        var observed: [[ObservedHead]] = []
        try one.log.forEach(from: 1) { _, frame, bytes in
            if frame.id.replica == one.replica { observed.append(frame.observed(in: bytes)) }
        }
        #expect(observed == [[], [head], [], []])
        #expect(try one.log.observedHeads(before: EventID(one.replica, 2)) == [])
        #expect(try one.log.observedHeads(before: EventID(one.replica, 4)) == [head])
        #expect(try one.range(4, 4).observed == [head])
    }

    @Test(arguments: LogSort.allCases, UInt64(1)...20)
    func `ends with the same in whatever order ranges come, and how often`(sort: LogSort, seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let author = try Writer(sort, seed: 1)
        try author.write(3, 1, 4, 2, 5)
        var frames: [RangeFrame] = []
        for first in UInt64(1)...15 { frames.append(try author.range(first, min(15, first + numbers.next() % 4))) }
        frames += frames.prefix(5)
        frames.shuffle(using: &numbers)
        let reader = try Writer(sort, seed: 2)
        while !frames.isEmpty {
            let group = Array(frames.prefix(numbers.number(1...3)))
            frames.removeFirst(group.count)
            _ = try reader.log.receive(group, arrival: Arrival(milliseconds: 1000))
            if numbers.happens(30) { try reader.log.loseMemory() }
        }
        #expect(try reader.content() == author.content())
        #expect(try reader.log.leaves() == author.log.leaves())
        #expect(try reader.log.retainedFrames().isEmpty)
    }

    @Test(arguments: LogSort.allCases)
    func `shows no half batch, and keeps it for its other half over a restart`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(2, 4)
        #expect(try reader.receive(author.range(1, 4)).appendedCount == 2)
        try reader.log.loseMemory()
        #expect(try reader.log.retainedFrames().map(\.range) == [EventRange(author.replica, 1, through: 4)])
        #expect(try reader.receive(author.range(5, 6)).appendedCount == 4)
        #expect(try reader.log.retainedFrames().isEmpty)
    }

    @Test(arguments: LogSort.allCases)
    func `counts what it had already, and changes nothing`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(2, 2)
        try reader.receive(author.range(1, 4))
        let received = try reader.receive(author.range(1, 4), author.range(3, 4))
        #expect(received.repeatedCount == 6)
        #expect(received.appendedCount == 0 && received.replicas.isEmpty)
    }

    @Test(arguments: LogSort.allCases)
    func `takes for news what waits now, and not what waited already`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(1, 1, 1)
        #expect(try reader.receive(author.range(3, 3)).replicas == [author.replica])
        let again = try reader.receive(author.range(3, 3))
        #expect(again.replicas.isEmpty)
        #expect(again.pending == [EventRange(author.replica, 3, through: 3)])
    }

    @Test(arguments: LogSort.allCases)
    func `hands on what it can prove, and no more`(sort: LogSort) throws {
        let (author, relay, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2), try Writer(sort, seed: 3))
        try author.write(1, 1, 1, 1)
        // The first two, under a head of all four.
        let all = try Writer(sort, seed: 4)
        try all.receive(author.range(1, 4))
        let part = try #require(
            try all.log.frame(of: EventRange(author.replica, 1, through: 2), signedBy: nil, preferredBytes: 1 << 20))
        try relay.receive(part)
        #expect(try relay.log.vector()[author.replica] == 2)
        #expect(try relay.log.provenVector(signedBy: relay.identity)[author.replica] == 0)
        #expect(try relay.log.frame(of: part.range, signedBy: relay.identity, preferredBytes: 1 << 20) == nil)
        #expect(try relay.log.retainedFrames() == [part])
        try reader.receive(relay.log.retainedFrames()[0])
        #expect(try reader.log.vector()[author.replica] == 2)
        #expect(try author.log.provenVector(signedBy: author.identity)[author.replica] == 4)
        #expect(try author.log.provenVector(signedBy: nil)[author.replica] == 0)
    }

    @Test(arguments: LogSort.allCases)
    func `signs no half batch, so that nobody says it has one`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(2, 3)
        let half = try author.range(1, 4)
        #expect(half.range.last == 4 && half.head.sequence == 5)
        try reader.receive(half)
        // It has the first batch, and can prove it to nobody yet.
        #expect(try reader.log.vector()[author.replica] == 2)
        #expect(try reader.log.provenVector(signedBy: reader.identity)[author.replica] == 0)
    }

    @Test(arguments: LogSort.allCases)
    func `cuts a range where it is told to, and goes on there`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(1, 3, 1, 2)
        var next: UInt64 = 1
        var count = 0
        while next <= 7 {
            let frame = try author.range(next, 7, preferredBytes: 250)
            #expect(frame.range.first == next && frame.edge.count == next - 1)
            try reader.receive(frame)
            next = frame.range.last + 1
            count += 1
        }
        #expect(count > 2)
        #expect(try reader.content() == author.content())
    }

    @Test(arguments: LogSort.allCases)
    func `takes over a head that proves what is here already, and only of the same history`(sort: LogSort) throws {
        let author = try Writer(sort, seed: 1)
        try author.write(1, 1, 1)
        let twin = Writer(try author.log.copy(), author.identity)
        try author.write(1, 1, seed: 2)
        try twin.write(1, 1, seed: 3)
        let relay = try Writer(sort, seed: 2)
        try relay.receive(twin.range(1, 5))
        func part(_ first: UInt64, _ last: UInt64) throws -> RangeFrame {
            let made = try relay.log.frame(
                of: EventRange(author.replica, first, through: last), signedBy: nil, preferredBytes: 1 << 20)
            return try #require(made)
        }
        let reader = try Writer(sort, seed: 3)
        // Three events that both histories have, under the head of the twin's.
        try reader.receive(part(1, 3))
        #expect(try reader.log.provenVector(signedBy: nil)[author.replica] == 0)
        // Two more, of which nobody says that they are the twin's.
        try reader.receive(author.range(4, 4), author.range(5, 5))
        #expect(try reader.log.vector()[author.replica] == 5)
        #expect(try reader.log.signedHead(of: author.replica)?.root == author.log.root(of: author.replica, through: 5))
        let third = try Writer(sort, seed: 5)
        try third.receive(part(1, 3), author.range(4, 4), author.range(5, 5))
        #expect(try third.log.signedHead(of: author.replica)?.root == author.log.root(of: author.replica, through: 5))
        let other = try Writer(sort, seed: 4)
        try other.receive(part(1, 2))
        #expect(try other.log.provenVector(signedBy: nil)[author.replica] == 0)
        try other.receive(author.range(1, 2))
        #expect(try other.log.provenVector(signedBy: nil)[author.replica] == 2)
        #expect(try other.log.retainedFrames().isEmpty)
    }

    @Test(arguments: LogSort.allCases)
    func `refuses erased values for ever, from everywhere`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(1, 1, 1)
        try reader.receive(author.range(3, 3))
        try reader.receive(author.range(1, 1))
        let erased = EventSet([EventRange(author.replica, 1, through: 3)])
        try reader.log.erase(erased)
        #expect(try reader.log.erased() == erased)
        try reader.log.loseMemory()
        try reader.receive(author.range(1, 2))
        var isWithheld: [Bool] = []
        try reader.log.forEach(from: 1) { _, frame, _ in isWithheld.append(frame.isWithheld) }
        #expect(isWithheld == [true, true, true])
        #expect(try reader.content() == author.content())
    }

    @Test(arguments: LogSort.allCases)
    func `takes in values that come late, and writes nothing anew that it has`(sort: LogSort) throws {
        let (author, reader) = (try Writer(sort, seed: 1), try Writer(sort, seed: 2))
        try author.write(3, 2, 4)
        let whole = try author.range(1, 9)
        let missing = EventSet([EventRange(author.replica, 2, through: 4), EventRange(author.replica, 9, through: 9)])
        let leaves = try author.log.leaves()
        try reader.receive(
            whole.withholding(missing, Streams()) { leaves[Int($0.sequence) - 1] })
        #expect(try reader.log.missingValues() == missing)
        let checksums = try (1...9).map { try reader.log.checksum(at: $0) }
        #expect(try reader.receive(whole).filledCount == 4)
        for restart in [false, true] {
            if restart { try reader.log.loseMemory() }
            #expect(try reader.log.missingValues().isEmpty)
            #expect(try (1...9).map { try reader.log.checksum(at: $0) } == checksums)
            try reader.log.forEach(from: 1) { _, frame, _ in #expect(!frame.isWithheld) }
            #expect(try reader.log.leaves() == leaves)
        }
        #expect(try reader.receive(whole).filledCount == 0)
        // Erased, also what came late goes for ever.
        try reader.log.erase(EventSet([EventRange(author.replica, 3, through: 3)]))
        #expect(try reader.receive(whole).filledCount == 0)
        try reader.log.forEach(from: 1) { _, frame, _ in #expect(frame.isWithheld == (frame.id.sequence == 3)) }
        #expect(try reader.log.leaves() == leaves)
    }

    @Test(arguments: LogSort.allCases)
    func `copied goes on apart from its original`(sort: LogSort) throws {
        let author = try Writer(sort, seed: 1)
        try author.write(2)
        let copy = Writer(try author.log.copy(), author.identity)
        #expect(try copy.content() == author.content())
        try author.write(1, seed: 2)
        #expect(try copy.log.lastPosition() == 2)
        #expect(try author.log.lastPosition() == 3)
    }
}

import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import Testing

@testable import histories

/// Two stores that write as one replica, and those that hear of both.
private struct Twins {
    let author: Writer
    let twin: Writer

    /// Both have two events, and then as many batches of one event as is said.
    init(_ sort: LogSort, _ ahead: Int, _ other: Int) throws {
        author = try Writer(sort, seed: 1)
        try author.write(1, 1)
        twin = Writer(try author.log.copy(), author.identity)
        for number in 0..<ahead { try author.write(1, seed: 20 + UInt64(number)) }
        for number in 0..<other { try twin.write(1, seed: 40 + UInt64(number)) }
    }
}

extension Writer {
    /// How the names are read here in the first event of another writer.
    fileprivate func names(inFirstOf writer: Writer) throws -> WrittenNames {
        var names: WrittenNames?
        try log.forEach(from: 1) { _, frame, bytes in
            if frame.id == EventID(writer.replica, 1) { names = frame.names(in: bytes) }
        }
        return try #require(names)
    }
}

/// All that a log says of streams, in a form that can be compared.
private struct Said: Equatable {
    let vector: VersionVector
    let streams: Streams
    let leaves: Set<Hash256>

    init(_ writer: Writer) throws {
        vector = try writer.log.vector()
        streams = try writer.log.streams()
        leaves = Set(try writer.log.leaves())
    }
}

@Suite struct `A log, of a replica that has several histories` {
    @Test(arguments: LogSort.allCases)
    func `gives each a stream of its own, over a restart, and goes on with both`(sort: LogSort) throws {
        let twins = try Twins(sort, 2, 3)
        let (author, twin) = (twins.author, twins.twin)
        let reader = try Writer(sort, seed: 2)
        try reader.receive(author.range(1, 4))
        let received = try reader.receive(twin.range(3, 5))
        #expect(received.apart == [EventRange(author.replica, 3, through: 5)])
        #expect(received.isOfOwn(author.replica) && received.appendedCount == 3)
        #expect(try !reader.receive(twin.range(3, 5)).isOfOwn(author.replica))
        let streams = try reader.log.streams()
        let (one, other) = (streams.children(of: author.replica)[0], streams.children(of: author.replica)[1])
        let vector = try reader.log.vector()
        #expect(vector[author.replica] == 2)
        #expect(Set([vector[one], vector[other]]) == [2, 3])
        let before = try Said(reader)
        try reader.log.loseMemory()
        #expect(try Said(reader) == before)
        try author.write(1, seed: 4)
        try twin.write(1, seed: 5)
        #expect(try reader.receive(author.range(5, 5), twin.range(6, 6)).appendedCount == 2)
        #expect(try Set(reader.log.leaves()) == Set(author.log.leaves() + twin.log.leaves()))
    }

    @Test(arguments: LogSort.allCases)
    func `names them alike, whichever came first`(sort: LogSort) throws {
        let twins = try Twins(sort, 4, 4)
        let (author, twin) = (twins.author, twins.twin)
        // A third one parts from the first before its end, a fourth before all others.
        let late = Writer(try author.log.copy(), author.identity)
        try late.write(2, seed: 60)
        try author.write(1, 1, seed: 70)
        let early = try Writer(sort, seed: 1)
        try early.write(1)
        try early.write(1, 1, seed: 80)
        let all = [author, twin, late, early]
        var said: [Said] = []
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            let reader = try Writer(sort, seed: 2)
            for place in order {
                let source = all[place]
                let count = try source.log.vector()[author.replica]
                for first in stride(from: UInt64(1), through: count, by: 2) {
                    try reader.receive(source.range(first, min(first + 1, count)))
                }
            }
            said.append(try Said(reader))
            let present = Set(try reader.log.leaves())
            #expect(try reader.log.retainedFrames().allSatisfy { present.isSuperset(of: $0.leaves) })
            #expect(said[said.count - 1] == said[0])
        }
        #expect(said[0].vector.entries.count == 7)
        for source in all { #expect(try said[0].leaves.isSuperset(of: source.log.leaves())) }
    }

    @Test(arguments: LogSort.allCases)
    func `hands them on, so that others have the same`(sort: LogSort) throws {
        let twins = try Twins(sort, 3, 5)
        let reader = try Writer(sort, seed: 2)
        try reader.receive(twins.author.range(1, 5))
        try reader.receive(twins.twin.range(1, 7))
        let next = try Writer(sort, seed: 3)
        // The latest first.
        for entry in try reader.log.provenVector(signedBy: reader.identity).entries.reversed() {
            for number in (1...entry.sequence).reversed() {
                let range = EventRange(entry.replica, number, through: number)
                let frame = try #require(
                    try reader.log.frame(of: range, signedBy: reader.identity, preferredBytes: 1 << 20))
                #expect(frame.range.replica == twins.author.replica)
                try next.receive(RangeFrame(reading: frame.bytes, of: next.log.id))
            }
        }
        // What waited for where its history begins is looked at with the next range.
        try next.receive(twins.author.range(1, 2))
        #expect(try Said(next) == Said(reader))
    }

    @Test(arguments: LogSort.allCases)
    func `reads the replica's name as who wrote it meant it`(sort: LogSort) throws {
        let twins = try Twins(sort, 3, 3)
        let (one, other) = (try Writer(sort, seed: 2), try Writer(sort, seed: 3))
        try one.receive(twins.author.range(1, 5))
        try one.write(1, seed: 7)
        try other.receive(twins.twin.range(1, 5))
        try other.write(1, seed: 8)
        // What they saw has come from one of the two only when their events come.
        let first = try Writer(sort, seed: 4)
        try first.receive(twins.author.range(1, 4))
        try first.receive(one.range(1, 1), other.range(1, 1))
        try first.receive(twins.twin.range(1, 5))
        try first.receive(twins.author.range(5, 5))
        // Their events come with those that they saw, or with what those waited for.
        let second = try Writer(sort, seed: 5)
        try second.receive(
            one.range(1, 1), other.range(1, 1), twins.author.range(3, 5), twins.twin.range(3, 5),
            twins.author.range(1, 2))
        let third = try Writer(sort, seed: 6)
        try third.receive(twins.author.range(3, 5))
        try third.receive(twins.twin.range(3, 5))
        try third.receive(one.range(1, 1), other.range(1, 1))
        try third.receive(twins.author.range(1, 2))
        for reader in [first, second, third] {
            try reader.log.loseMemory()
            let streams = try reader.log.streams()
            for (writer, source) in [(one, twins.author), (other, twins.twin)] {
                let wanted = try #require(try source.log.leaves().last)
                var meant: [Hash256: EventID] = [:]
                var hasher = MerkleHasher()
                try reader.log.forEach(from: 1) { _, frame, bytes in
                    meant[hasher.leaf(of: frame, in: bytes)] = frame.id
                }
                let names = try reader.names(inFirstOf: writer)
                #expect(names(EventID(twins.author.replica, 5)) == meant[wanted])
                #expect(names(EventID(twins.author.replica, 2)) == EventID(twins.author.replica, 2))
                #expect(streams.branches[try #require(meant[wanted]).replica] != nil)
            }
        }
    }

    @Test(arguments: LogSort.allCases)
    func `knows which events somebody meant who names them, or that it cannot know yet`(sort: LogSort) throws {
        let twins = try Twins(sort, 2, 3)
        let (one, other) = (try Writer(sort, seed: 2), try Writer(sort, seed: 3))
        try one.receive(twins.author.range(1, 4))
        try one.write(1, seed: 7)
        try other.receive(twins.twin.range(1, 5))
        try other.write(1, seed: 8)
        let replica = twins.author.replica
        let reader = try Writer(sort, seed: 4)
        try reader.receive(one.range(1, 1), other.range(1, 1), twins.author.range(1, 3))
        func meaning(_ first: UInt64, _ last: UInt64, _ writer: Writer) throws -> Meaning {
            try reader.log.meaning(
                of: EventSet([EventRange(replica, first, through: last)]), namedBy: EventID(writer.replica, 1))
        }
        // Nothing is here yet with which what they had could be compared.
        #expect(try meaning(2, 3, one).certain.isEmpty && meaning(2, 3, one).open.count == 2)
        try reader.receive(twins.author.range(4, 4))
        #expect(try meaning(2, 4, one).certain.count == 3 && meaning(2, 4, one).open.isEmpty)
        #expect(try meaning(2, 4, other).certain.isEmpty && meaning(2, 4, other).open.count == 3)
        try twins.author.write(1, seed: 9)
        try reader.receive(twins.author.range(5, 5))
        // By its numbers it could be this event; by its root it is another one.
        #expect(try meaning(3, 5, other).certain.isEmpty && meaning(3, 5, other).open.isEmpty)
        // With the other history its name says which it is.
        try reader.receive(twins.twin.range(3, 5))
        let names = try reader.names(inFirstOf: other)
        let meant = EventSet(names(EventRange(replica, 2, through: 5)))
        #expect(try reader.log.meaning(of: meant, namedBy: EventID(other.replica, 1)).certain == meant)
    }

    @Test(arguments: LogSort.allCases)
    func `lets ranges of two histories wait that begin alike`(sort: LogSort) throws {
        let twins = try Twins(sort, 2, 3)
        let reader = try Writer(sort, seed: 2)
        try reader.receive(twins.author.range(3, 4))
        try reader.receive(twins.twin.range(3, 5))
        try reader.log.loseMemory()
        #expect(try reader.log.retainedFrames().count == 2)
        try reader.receive(twins.author.range(1, 2))
        #expect(try Set(reader.log.leaves()) == Set(twins.author.log.leaves() + twins.twin.log.leaves()))
    }

    @Test(arguments: LogSort.allCases)
    func `lets a later part of another history wait for where that begins`(sort: LogSort) throws {
        let twins = try Twins(sort, 4, 2)
        for isTogether in [false, true] {
            let reader = try Writer(sort, seed: 2)
            var received: Received
            if isTogether {
                received = try reader.receive(twins.twin.range(4, 4), twins.author.range(1, 6))
                #expect(received.apart == [EventRange(twins.author.replica, 4, through: 4)])
            } else {
                try reader.receive(twins.twin.range(4, 4))
                received = try reader.receive(twins.author.range(1, 6))
            }
            #expect(try reader.log.retainedFrames().map(\.range) == [EventRange(twins.author.replica, 4, through: 4)])
            #expect(try reader.log.streams().isEmpty)
            #expect(try reader.receive(twins.twin.range(3, 3)).appendedCount == 2)
            #expect(try Set(reader.log.leaves()) == Set(twins.author.log.leaves() + twins.twin.log.leaves()))
        }
    }

    @Test(arguments: LogSort.allCases)
    func `keeps the rest of a range that enters in part, where another history goes on`(sort: LogSort) throws {
        let author = try Writer(sort, seed: 1)
        try author.write(1, 1)
        let twin = Writer(try author.log.copy(), author.identity)
        try author.write(3, seed: 2)
        try twin.write(3, seed: 3)
        for isTogether in [false, true] {
            let reader = try Writer(sort, seed: 2)
            try reader.receive(twin.range(3, 5))
            // Two events that are of both, and the beginning of a batch that is of one.
            let ranges = isTogether ? [try author.range(1, 4), try author.range(5, 5)] : [try author.range(1, 4)]
            _ = try reader.log.receive(ranges, arrival: Arrival(milliseconds: 5))
            var held = Set(try reader.log.leaves())
            for frame in try reader.log.retainedFrames() { held.formUnion(frame.leaves) }
            #expect(try held.isSuperset(of: author.log.leaves().prefix(4)))
            try reader.receive(author.range(5, 5))
            #expect(try Set(reader.log.leaves()) == Set(author.log.leaves() + twin.log.leaves()))
        }
    }

    @Test(arguments: LogSort.allCases)
    func `does not begin one with half a batch`(sort: LogSort) throws {
        let author = try Writer(sort, seed: 1)
        try author.write(2)
        let twin = Writer(try author.log.copy(), author.identity)
        try author.write(2, seed: 2)
        try twin.write(3, seed: 3)
        let reader = try Writer(sort, seed: 2)
        try reader.receive(author.range(1, 2))
        try reader.receive(twin.range(3, 3))
        #expect(try reader.receive(author.range(3, 4)).appendedCount == 2)
        #expect(try reader.log.streams().isEmpty)
        #expect(try reader.log.retainedFrames().map(\.range) == [EventRange(author.replica, 3, through: 3)])
        #expect(try reader.receive(twin.range(4, 5)).appendedCount == 3)
        #expect(try reader.log.streams().branches.count == 2)
    }

    @Test(arguments: LogSort.allCases)
    func `keeps values erased in the history in which they were, and in no other`(sort: LogSort) throws {
        let twins = try Twins(sort, 3, 3)
        let reader = try Writer(sort, seed: 2)
        try reader.receive(twins.author.range(1, 5))
        try reader.log.erase(EventSet([EventRange(twins.author.replica, 2, through: 4)]))
        try reader.receive(twins.twin.range(1, 5))
        try reader.log.loseMemory()
        let erased = try Set([2, 3, 4].map { try twins.author.log.leaves()[$0 - 1] })
        var hasher = MerkleHasher()
        let refused = try reader.log.erased()
        try reader.log.forEach(from: 1) { _, frame, bytes in
            #expect(frame.isWithheld == erased.contains(hasher.leaf(of: frame, in: bytes)))
            #expect(frame.isWithheld == refused.contains(frame.id))
        }
    }
}

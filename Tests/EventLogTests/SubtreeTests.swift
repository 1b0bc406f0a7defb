import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import Testing

@Suite struct `Subtrees of a log` {
    /// Blocks of 16ⁿ leaves of a tree, the last ones cut off at its end.
    private static func blocks(_ size: Int) -> [Range<UInt64>] {
        [1, 16, 256, 4096].flatMap { step in
            stride(from: 0, to: size, by: step).map { UInt64($0)..<UInt64(min($0 + step, size)) }
        }
    }

    @Test(arguments: [1, 15, 16, 17, 255, 256, 257, 700, 1_100], [false, true])
    func `have the roots of RFC 6962, stored or hashed from the events`(count: Int, isSealed: Bool) throws {
        let store = try TestLog()
        try store.append(count)
        if isSealed {
            try store.log.sealPending()
            try store.append(1, as: ReplicaID(high: 9, low: 9))
        }
        let leaves = try Contents(of: store.log).leaves(of: store.replica)
        let trees = try HashedTrees(of: store.log)
        #expect(try trees.vector == store.log.vector())
        for size in [count, count - count / 3] {
            for range in Self.blocks(size) {
                let expected = Subtree.whole(Contents.root(of: leaves[Int(range.lowerBound)..<Int(range.upperBound)]))
                #expect(try store.log.subtree(of: store.replica, over: range) == expected)
                #expect(try trees.subtree(of: store.replica, over: range) == expected)
            }
        }
    }

    @Test func `are partial or absent where the log ends before them`() throws {
        let store = try TestLog()
        try store.append(300)
        let trees = try HashedTrees(of: store.log)
        try store.append(10)
        for (subtree, last) in [(store.log.subtree, 310), (trees.subtree, 300)]
            as [((ReplicaID, Range<UInt64>) throws -> Subtree, UInt64)]
        {
            #expect(try subtree(store.replica, 0..<last + 1) == .partial)
            #expect(try subtree(store.replica, last - 1..<last + 5) == .partial)
            #expect(try subtree(store.replica, last..<last + 1) == .absent)
            #expect(try subtree(ReplicaID(high: 9, low: 9), 0..<1) == .absent)
        }
    }

    /// Copies every event of `log` into a fresh one.
    private static func copy(
        _ store: TestLog, _ change: (SequenceNumber, [UInt8]) -> [UInt8] = { $1 }
    ) throws -> TestLog {
        let contents = try Contents(of: store.log)
        let copy = try TestLog()
        let frames = zip(contents.ids, contents.frames).map { change($0.sequence, $1) }
        _ = try copy.log.append(copying: frames, arrival: .test(1))
        return copy
    }

    private static func compare(_ here: TestLog, _ there: TestLog) throws -> TreeDifferences {
        let (here, there) = (try HashedTrees(of: here.log), try HashedTrees(of: there.log))
        let log = LogID(high: 1, low: 2)
        var comparison = TreeComparison(log: log, vector: here.vector)
        while let question = comparison.question {
            let asked = try question.withSpan { try ComparisonQuestion($0) }
            let answer = try asked.answer(log: log, vector: there.vector, subtree: there.subtree)
            try answer.withSpan { try comparison.receive($0, here: here.subtree) }
        }
        return comparison.differences
    }

    /// `frame` with other values, and a checksum that is right.
    private static func altered(_ frame: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(contentsOf: frame.dropLast(5) + [frame[frame.count - 5] ^ 1])
        writer.appendChecksum()
        return writer.bytes
    }

    @Test func `tell of an event that was altered in the file, where the stored nodes do not`() throws {
        let store = try TestLog()
        try store.append(700)
        let copy = try Self.copy(store)
        try copy.log.sealPending()
        let stored = try copy.log.subtree(of: store.replica, over: 0..<256)
        try copy.log.close()
        let environment = try Environment.open(copy.path)
        try environment.write { transaction in
            let events = try #require(try transaction.table("events", of: UInt64.self))
            let frame = try #require(try transaction.value(123, in: events))
            try transaction.put(Self.altered(frame).span.bytes, for: 123, in: events)
        }
        environment.close()
        let log = try EventLog(opening: copy.path)
        defer { try? log.close() }
        #expect(try log.subtree(of: store.replica, over: 0..<256) == stored)
        #expect(try HashedTrees(of: log).subtree(of: store.replica, over: 0..<256) != stored)
    }

    @Test func `differ where an event was altered on its way, and that one is named`() throws {
        let store = try TestLog()
        try store.append(5_000, batchCount: 100)
        let copy = try Self.copy(store) { $0 == 4_321 ? Self.altered($1) : $1 }
        let found = try Self.compare(store, copy)
        #expect(found.differing.map(\.id) == [EventID(store.replica, 4_321)])
        #expect(found.differing.first?.there == (try copy.log.leaf(of: EventID(store.replica, 4_321))))
        #expect(found.onlyHere.isEmpty && found.onlyThere.isEmpty && found.bytes < 2_500)
    }

    @Test func `are the same where values were withheld`() throws {
        let store = try TestLog()
        try store.append(50)
        let copy = try Self.copy(store) { sequence, bytes in
            guard sequence == 20, let frame = try? Frame(parsing: bytes.span.bytes) else { return bytes }
            let values = Array(bytes[frame.values]).withSpan { Hash256(hashing: $0) }
            var writer = ByteWriter()
            writer.append(contentsOf: Array(bytes[..<frame.values.lowerBound]))
            writer.append(values)
            writer.overwrite(littleEndian: UInt32(writer.count + 4), at: 4)
            // The length of the header stays, and the flag is set.
            writer.overwrite(littleEndian: UInt32(frame.header.count) | 1 << 16, at: 12)
            writer.appendChecksum()
            return writer.bytes
        }
        #expect(try copy.log.withEvent(at: 20) { frame, _ in frame.isWithheld } == true)
        #expect(try Self.compare(store, copy).isSame)
    }

    @Test func `of a damaged or missing event are an error, not a difference`() throws {
        let store = try TestLog()
        try store.append(20)
        try store.log.close()
        let environment = try Environment.open(store.path)
        try environment.write { transaction in
            let events = try #require(try transaction.table("events", of: UInt64.self))
            var frame = try #require(try transaction.value(12, in: events))
            frame[40] ^= 1
            try transaction.put(frame.span.bytes, for: 12, in: events)
        }
        environment.close()
        let log = try EventLog(opening: store.path)
        defer { try? log.close() }
        #expect(throws: EventLogError.self) { try HashedTrees(of: log) }
    }
}

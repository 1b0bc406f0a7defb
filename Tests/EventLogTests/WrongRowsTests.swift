import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

/// Rows with checksums that are right, and that say what cannot be: no flipped bit makes them, a mistake of a program may.
@Suite struct `Verifying rows that are whole and wrong` {
    private let test: TestLog
    private let frames: [[UInt8]]

    /// A log of batches of one event each.
    init() throws {
        test = try TestLog()
        try test.append(300, batchCount: 1)
        frames = try Contents(of: test.log).frames
    }

    /// Puts another event in the place of the last one, and has the other rows of the log say so too.
    private func replaceLast(by bytes: [UInt8], clock: Stamp? = nil) throws {
        try test.log.commit { transaction, tables, state in
            let position = state.nextPosition - 1
            let frame = try Frame(verifying: bytes.span.bytes, at: position)
            state.lastChecksum = frame.checksum(in: bytes.span.bytes)
            state.clock = clock ?? frame.stamp
            try transaction.put(bytes.span.bytes, for: position, in: tables.events)
            let head = HeadRow(sequence: frame.id.sequence, position: position, stamp: frame.stamp)
            try transaction.put(head.bytes.span.bytes, for: ReplicaKey(frame.id.replica), in: tables.heads)
        }
    }

    private func damage() throws -> [LogDamage] { try LogVerifier.verify(path: test.path).damage }

    @Test func `finds nothing where a row is put in the place of itself`() throws {
        try replaceLast(by: frames[299])
        #expect(try damage() == [])
    }

    @Test func `finds an event that does not follow the one before it`() throws {
        let last = frames[299]
        var writer = ByteWriter()
        writer.append(rechaining: last.span.bytes, after: 1)
        try replaceLast(by: writer.bytes)
        #expect(try damage().map(\.what) == [.chain])
        #expect(try damage().map(\.position) == [300])
    }

    @Test func `finds a stamp before that of the event before`() throws {
        let (former, last) = (frames[298], frames[299])
        let before = try Frame(verifying: former.span.bytes, at: 299)
        let bytes = last.span.bytes
        let frame = try Frame(verifying: bytes, at: 300)
        var writer = ByteWriter()
        writer.append(
            frame: EventHeader(id: frame.id, stamp: Stamp(rawValue: before.stamp.rawValue - 1), rest: 0),
            shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
            after: before.checksum(in: former.span.bytes))
        try replaceLast(by: writer.bytes, clock: before.stamp)
        #expect(try damage().map(\.what) == [.stamp])
        #expect(try damage().map(\.first) == [300])
    }

    @Test func `finds a page in use that is listed as free`() throws {
        try test.log.close()
        let pages = try LivePages(path: test.path)
        var bytes = pages.bytes
        func number(at offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        // A row: 8 bytes of its entry, 8 of its key, how many pages, and their numbers, which descend.
        let leaf = try #require(pages.leaves["free"]?.first) * 4096
        let lists = (0..<(number(at: leaf + 12, 2) - 16) / 2).map { leaf + number(at: leaf + 16 + 2 * $0, 2) + 16 }
        let used = try #require(pages.leaves["events"]?.min())
        let list = try #require(lists.first { number(at: $0 + 8 * number(at: $0, 8), 8) > used })
        let last = list + 8 * number(at: list, 8)
        for index in 0..<8 { bytes[last + index] = UInt8(truncatingIfNeeded: used >> (8 * index)) }
        try Data(bytes).write(to: URL(filePath: test.path))
        let found = try damage()
        #expect(found.map(\.what) == [.page])
        #expect(found.first?.detail.contains("page \(used)") == true)
    }

    @Test func `finds a tree that is not that of the events`() throws {
        let other = try TestLog()
        try other.append(300, batchCount: 1, sizes: .mixed)
        for log in [test, other] {
            try log.log.sealPending()
            try log.log.writeSeals()
        }
        #expect(try damage() == [])
        let key = ReplicaKey(test.replica)
        let edge = try #require(
            try other.log.read { try $0.value(key, in: LogTables(in: $0).trees) }, "its first 256 events were hashed")
        try test.log.commit { transaction, tables, _ in
            try transaction.put(edge.span.bytes, for: key, in: tables.trees)
        }
        #expect(try damage().map(\.what) == [.tree])
    }
}

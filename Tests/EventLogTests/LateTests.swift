import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

/// A log that has an author's events, some of them without values, and places of others that are lost.
private struct Partial {
    let author: Author
    let target: TestLog
    var replica: ReplicaID { author.identity.replica }

    /// - Parameters:
    ///   - count: How many events there are, in batches of three.
    ///   - isLost: Whether an event is lost; the last one must not be.
    ///   - isWithheld: Whether another one has no values.
    init(
        _ count: Int, seed: UInt64 = 1, sizes: Sizes = .small, lost isLost: (UInt64) -> Bool = { _ in false },
        withheld isWithheld: (UInt64) -> Bool = { _ in false }
    ) throws {
        author = try Author(seed: seed)
        try author.store.append(count, batchCount: 3, sizes: sizes, as: author.identity.replica)
        target = try TestLog()
        var frames: [[UInt8]] = []
        var before = Stamp(rawValue: 0)
        try author.log.scan(from: 1) { _, frame, bytes in
            var writer = ByteWriter()
            if isLost(frame.id.sequence) {
                writer.append(lost: frame.id, stamp: before, after: 0)
            } else if isWithheld(frame.id.sequence) {
                writer.append(withholding: frame, in: bytes, after: 0)
            } else {
                writer.append(rechaining: bytes, after: 0)
            }
            before = frame.stamp
            frames.append(writer.bytes)
            return true
        }
        _ = try target.log.append(copying: frames, arrival: .test(0))
    }

    /// Takes in the events of these numbers from their author.
    @discardableResult
    func receive(_ first: UInt64, _ last: UInt64) throws -> Received {
        try target.log.receive([author.frame(first, through: last)], arrival: .test(1))
    }

    /// The event of a number as its author's log has it, but for its chain.
    func content(_ sequence: UInt64, in log: EventLog) throws -> [UInt8]? {
        let position = try #require(try log.position(of: EventID(replica, sequence)))
        return try log.withEvent(at: position) { frame, bytes in
            var writer = ByteWriter()
            writer.append(rechaining: bytes, after: 0)
            return writer.bytes
        }
    }

    /// Expects the target to have what its author has, however it is asked for.
    func expectWhole(_ comment: Comment = "") throws {
        let log = target.log
        var frames: [[UInt8]] = []
        try log.scan(from: 1) { _, _, bytes in
            var writer = ByteWriter()
            writer.append(rechaining: bytes, after: 0)
            frames.append(writer.bytes)
            return true
        }
        let count = try author.log.lastPosition()
        #expect(frames.count == Int(count), comment)
        for sequence in 1...count {
            let expected = try content(sequence, in: author.log)
            #expect(frames[Int(sequence) - 1] == expected, "\(comment): \(sequence), in a scan")
            #expect(try content(sequence, in: log) == expected, "\(comment): \(sequence), by itself")
        }
        var ofRange = 0
        try log.scan(EventRange(replica, 1, through: count)) { _, frame, _ in
            ofRange += frame.isPartial ? 0 : 1
            return true
        }
        #expect(ofRange == Int(count), comment)
        var several = 0
        try log.withEvents(at: 1...count) { _, frame, _ in several += frame.isPartial ? 0 : 1 }
        #expect(several == Int(count), comment)
        #expect(try log.lostRanges().isEmpty && log.missingValues().isEmpty, comment)
        #expect(try log.root(of: replica) == author.log.root(of: replica), comment)
        #expect(try LogVerifier.verify(path: target.path).damage == [], comment)
    }
}

@Suite struct `Events that come late` {
    @Test(arguments: [Sizes.small, .mixed])
    func `are there wherever they are looked for, and nothing that was there is written anew`(sizes: Sizes) throws {
        let store = try Partial(
            60, sizes: sizes, lost: { (20..<30).contains($0) }, withheld: { $0 % 5 == 0 && !(20..<30).contains($0) })
        let log = store.target.log
        let (content, state) = (try log.content(), try log.state())
        let rows = try (1...60).map { try log.checksum(at: $0) }
        let received = try store.receive(1, 60)
        #expect(received.filledCount == 10 && received.returnedCount == 10 && received.placedCount == 10)
        #expect(received.appendedCount == 0)
        try store.expectWhole()
        #expect(try log.content() == LogContent(generation: content.generation, late: 20))
        #expect(try log.state().nextPosition == state.nextPosition && log.state().lastChecksum == state.lastChecksum)
        #expect(try (1...60).map { try log.checksum(at: $0) } == rows)
        let again = try store.receive(1, 60)
        #expect(again.filledCount == 0 && again.returnedCount == 0, "what is there does not come twice")
        #expect(try log.content().late == 20)
    }

    @Test func `are there after closing, in a rewrite, and in none of the tables of what came late behind it`() throws {
        let store = try Partial(40, lost: { $0 == 7 || $0 == 8 }, withheld: { $0 == 20 })
        _ = try store.receive(1, 40)
        try store.target.log.close()
        let log = try EventLog(opening: store.target.path)
        defer { try? log.close() }
        #expect(try store.content(7, in: log) == store.content(7, in: store.author.log))
        #expect(try log.letGo(EventSet([EventRange(store.replica, 30, through: 30)])) == 1)
        #expect(try log.content().late == 0)
        for sequence in UInt64(1)...40 where sequence != 30 {
            #expect(try store.content(sequence, in: log) == store.content(sequence, in: store.author.log))
        }
        #expect(try LogVerifier.verify(path: store.target.path).damage == [])
        #expect(try log.lostRanges().isEmpty)
    }

    @Test func `leave with a range, and with the proof of it`() throws {
        let store = try Partial(30, lost: { (10...12).contains($0) }, withheld: { $0 == 3 })
        _ = try store.receive(1, 30)
        let frame = try #require(
            try store.target.log.frame(of: EventRange(store.replica, 1, through: 30), signedBy: nil))
        let third = try TestLog()
        let received = try third.log.receive([RangeFrame(reading: frame.bytes, of: third.log.id)], arrival: .test(2))
        #expect(received.appendedCount == 30)
        #expect(try third.log.missingValues().isEmpty)
        #expect(try third.log.root(of: store.replica) == store.author.log.root(of: store.replica))
        #expect(
            try store.target.log.inclusionProof(of: EventID(store.replica, 11))
                == store.author.log.inclusionProof(of: EventID(store.replica, 11)))
    }

    @Test func `come without values first, and with them later`() throws {
        let store = try Partial(30, lost: { $0 == 10 })
        let whole = try store.author.frame(1, through: 30)
        let without = try whole.withholding(
            EventSet([EventRange(store.replica, 10, through: 10)]), store.author.log.streams()
        ) { try store.author.log.leaf(of: $0) }
        let log = store.target.log
        #expect(try log.receive([without], arrival: .test(1)).placedCount == 1)
        #expect(try log.lostRanges().isEmpty && log.missingValues().count == 1 && log.content().late == 1)
        #expect(try LogVerifier.verify(path: store.target.path).damage == [])
        #expect(try log.receive([whole], arrival: .test(1)).filledCount == 1)
        // The number of what came first is not given again.
        #expect(try log.content().late == 2)
        try store.expectWhole()
    }

    @Test func `take no value that was erased meanwhile`() throws {
        let store = try Partial(30, lost: { $0 == 10 || $0 == 11 }, withheld: { $0 == 20 })
        let log = store.target.log
        let erased = EventSet([EventRange(store.replica, 10, through: 10), EventRange(store.replica, 20, through: 20)])
        #expect(try log.erase(erased) == 0)
        let received = try store.receive(1, 30)
        #expect(received.filledCount == 0 && received.placedCount == 2)
        for sequence in UInt64(1)...30 {
            let isWithheld = try log.withEvent(at: sequence) { frame, _ in frame.isWithheld }
            #expect(isWithheld == erased.contains(EventID(store.replica, sequence)))
        }
        #expect(try log.lostRanges().isEmpty && log.missingValues().isEmpty)
        #expect(try LogVerifier.verify(path: store.target.path).damage == [])
        // And what came late is erased as anything else.
        #expect(try log.erase(EventSet([EventRange(store.replica, 11, through: 11)])) == 1)
        #expect(try log.withEvent(at: 11) { frame, _ in frame.isWithheld } == true)
        #expect(try log.content().late == 0)
        #expect(try LogVerifier.verify(path: store.target.path).damage == [])
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `are found by salvage, also where nothing leads to them`(seed: UInt64) throws {
        let store = try Partial(
            400, seed: seed, sizes: .few, lost: { (20..<90).contains($0) }, withheld: { $0 > 100 && $0 % 3 == 0 })
        _ = try store.receive(1, 400)
        try store.target.log.close()
        let pages = [UInt8](try Data(contentsOf: URL(filePath: store.target.path)))
        for part in ["whole", "without meta pages and branches"] {
            var bytes = pages
            if part != "whole" {
                for page in stride(from: 0, to: bytes.count, by: 4096) {
                    let isBranch = bytes[page + 10] & 1 != 0 && bytes[page + 10] < 8
                    if page < 8192 || isBranch { for index in page..<page + 4096 { bytes[index] = 0 } }
                }
            }
            let (damaged, made) = (
                store.target.folder.appending(path: "damaged-\(seed)").path,
                store.target.folder.appending(path: "\(part)-\(seed).mdb").path
            )
            try Data(bytes).write(to: URL(filePath: damaged))
            let salvage = try Salvage(path: damaged)
            #expect(salvage.missing == [] && salvage.count == 400, "\(part)")
            _ = try salvage.write(
                to: made, log: LogID(high: 1, low: 2), epoch: 9, arrival: .test(0), missing: salvage.missing)
            let log = try EventLog(opening: made)
            for sequence in UInt64(1)...400 {
                #expect(
                    try store.content(sequence, in: log) == store.content(sequence, in: store.author.log),
                    "\(part): \(sequence)")
            }
            #expect(try log.missingValues().isEmpty && log.content().late == 0)
            try log.close()
            #expect(try LogVerifier.verify(path: made).damage == [], "\(part)")
        }
    }

    @Test func `that are another one's, damaged or not to be found are found by verify`() throws {
        func damage(_ change: (borrowing WriteTransaction, LateTables) throws -> Void) throws -> [LogDamage.What] {
            let store = try Partial(30, lost: { $0 == 10 }, withheld: { $0 == 20 || $0 == 21 })
            _ = try store.receive(1, 30)
            try store.target.log.commit { transaction, _, _ in try change(transaction, LateTables(in: transaction)) }
            return try LogVerifier.verify(path: store.target.path).damage.map(\.what)
        }
        #expect(try damage { _, _ in } == [])
        let withoutRow = try damage { transaction, tables in _ = try transaction.remove(1, in: tables.late) }
        #expect(withoutRow.contains(.late))
        let withoutWay = try damage { transaction, tables in _ = try transaction.remove(20, in: tables.filled) }
        #expect(withoutWay.contains(.late))
        let another = try damage { transaction, tables in
            let (one, other) = (try transaction.value(1, in: tables.late), try transaction.value(2, in: tables.late))
            // The frame of one event at the position of the other.
            let row = try Array(#require(one).prefix(8)) + Array(#require(other).dropFirst(8))
            try transaction.put(row.span.bytes, for: 1, in: tables.late)
        }
        #expect(another.contains(.late))
        let nowhere = try damage { transaction, tables in
            let row = try #require(try transaction.value(1, in: tables.late))
            let moved = [99, 0, 0, 0, 0, 0, 0, 0] + row.dropFirst(8)
            try transaction.put(moved.span.bytes, for: 9, in: tables.late)
        }
        #expect(nowhere.contains(.late))
    }

    @Test(.enabled(if: FormatReader.absence == nil))
    func `are read by the reader that was made from the description of the format alone`() throws {
        let store = try Partial(40, sizes: .mixed, lost: { $0 == 9 }, withheld: { $0 % 7 == 0 })
        _ = try store.receive(1, 40)
        try store.target.log.close()
        let lines = try FormatReader.read(store.target.path).split(separator: "\n")
        let found = try lines.map { try JSONDecoder().decode(FormatReader.Event.self, from: Data($0.utf8)) }
        var expected: [FormatReader.Event] = []
        try store.author.log.scan(from: 1) { position, frame, bytes in
            expected.append(FormatReader.Event(frame, bytes.toArray(), at: Int(position)))
            return true
        }
        #expect(found == expected)
    }
}

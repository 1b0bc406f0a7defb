import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveProjections

/// A made-up series whose cells say in which order their blocks were added: cells of 10 and 40 items.
private let ordered = KindSchema(
    name: "count", fields: [],
    series: SeriesSchema(
        itemsPerCell: 10, factor: 4, levelCount: 2,
        add: { summary, cell in
            guard summary.byteCount == 8 else { return nil }
            var writer = ByteWriter()
            let known = cell.map { $0.withSpan { $0.uint64(at: 0) } } ?? 7
            writer.append(littleEndian: known &* 31 &+ summary.uint64(at: 0))
            return writer.bytes
        }))

private let kinds = Kinds([TestStore.kind, ordered])

/// Who writes events of few records, seeing what it has itself.
private final class LateAuthor {
    let folder: URL
    let log: EventLog
    let views: Views
    let identity: Identity
    private var next: UInt64 = 0

    init(using numbers: inout SeededGenerator) throws {
        identity = Identity.random(using: &numbers)
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        log = try EventLog.create(at: folder.appending(path: "log.mdb").path, id: LogID(high: 1, low: 2), epoch: 3)
        views = Views(of: log, kinds: kinds, at: folder.appending(path: "views.mdb").path)
        try views.catchUp()
    }

    deinit {
        views.close()
        try? log.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Appends a random batch of one to three events; some of them are not what their shape says.
    func write(using numbers: inout SeededGenerator) throws {
        var batch = DraftBatch()
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            let change = try change(using: &numbers)
            var whole = DraftBatch()
            whole.append(change, by: identity.replica, using: &numbers)
            let isMalformed = numbers.chance(0.1)
            whole.withEvent(at: 0) { shape, values in
                batch.append(
                    shape: { $0.append(contentsOf: shape) },
                    values: { $0.append(contentsOf: isMalformed ? values.extracting(0..<3) : values) })
            }
        }
        _ = try log.append([batch], as: identity.replica, arrival: .now())
        try views.catchUp()
    }

    private func change(using numbers: inout SeededGenerator) throws -> Change {
        if numbers.chance(0.3) {
            var summary = ByteWriter()
            summary.append(littleEndian: numbers.next() >> 8)
            next += UInt64.random(in: 1...9, using: &numbers)
            return Change(
                kind: "count", record: RecordID(high: 0, low: UInt64.random(in: 1...2, using: &numbers)),
                block: SeriesBlock(first: next, count: 1, summary: summary.bytes, content: [1, 2, 3]))
        }
        let id = RecordID(high: 0, low: UInt64.random(in: 0..<5, using: &numbers))
        let record = try views.read { try $0.record("thing", id) }
        let field = FieldKey.number(UInt32.random(in: 1...2, using: &numbers))
        let operation =
            numbers.chance(0.1)
            ? FieldOperation(.delete, .life, supersedes: record?.coveredByDelete ?? [])
            : FieldOperation(
                .set, field, supersedes: record?.superseded(by: field) ?? [],
                value: Array("v\(Int.random(in: 0..<9, using: &numbers))".utf8))
        return Change(kind: "thing", record: id, operations: [operation])
    }

    /// The events of these numbers, signed.
    func frame(_ first: UInt64, _ last: UInt64) throws -> RangeFrame? {
        try log.frame(of: EventRange(identity.replica, first, through: last), signedBy: identity)
    }
}

/// A store of others' events, in a folder of its own; another one takes its place when it loses events.
private final class Target {
    let folder: URL
    private(set) var log: EventLog
    private(set) var views: Views
    private var number = 0

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        log = try EventLog.create(
            at: folder.appending(path: "log-0.mdb").path, id: LogID(high: 1, low: 2), epoch: 3)
        views = Views(of: log, kinds: kinds, at: folder.appending(path: "views-0.mdb").path)
    }

    deinit {
        views.close()
        try? log.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// As after a crash: nothing is left of what this process knew.
    func reopen() throws {
        views.close()
        try log.close()
        log = try EventLog(opening: folder.appending(path: "log-\(number).mdb").path)
        views = Views(of: log, kinds: kinds, at: folder.appending(path: "views-\(number).mdb").path)
    }

    /// As after recovery: another log with what is left, and places for the rest.
    func lose(_ isLost: (EventID) -> Bool) throws {
        var frames: [[UInt8]] = []
        let (vector, erased) = (try log.vector(), try log.erased())
        var stamps: [ReplicaID: Stamp] = [:]
        try log.scan(from: 1) { _, frame, bytes in
            var writer = ByteWriter()
            if isLost(frame.id), frame.id.sequence < vector[frame.id.replica] {
                writer.append(lost: frame.id, stamp: stamps[frame.id.replica] ?? Stamp(rawValue: 0), after: 0)
            } else {
                writer.append(rechaining: bytes, after: 0)
                stamps[frame.id.replica] = frame.stamp
            }
            frames.append(writer.bytes)
            return true
        }
        views.close()
        try log.close()
        number += 1
        log = try EventLog.create(
            at: folder.appending(path: "log-\(number).mdb").path, id: LogID(high: 1, low: 2), epoch: UInt64(number))
        _ = try log.erase(erased)
        _ = try log.append(copying: frames, arrival: .now())
        views = Views(of: log, kinds: kinds, at: folder.appending(path: "views-\(number).mdb").path)
    }

    /// Everything that views show, by whomever they were folded.
    static func shown(_ views: Views) throws -> [String] {
        try views.read { view in
            var lines = ["\(try view.digest().hash)"]
            lines += try view.unreadEvents().map { "unread \($0.position) \($0.reason)" }
            for level in 1...2 {
                for record in 1...2 as ClosedRange<UInt64> {
                    _ = try view.forEachCell(of: "count", RecordID(high: 0, low: record), level: level) { first, cell in
                        lines.append("cell \(level) \(record) \(first) \(cell.toArray())")
                        return true
                    }
                }
            }
            try view.forEachEntry(of: "thing", index: 1) { key, record in
                lines.append("entry \(key.toArray()) \(record.low)")
                return true
            }
            for low in 0..<5 as Range<UInt64> {
                let positions = try view.state(of: "thing", RecordID(high: 0, low: low))?.history.positions
                lines.append("history \(low) \(positions?.description ?? "none")")
            }
            return lines
        }
    }

    /// Expects the views to show what others do that are built from the whole log, and each row to be counted.
    func expectAsRebuilt(_ comment: Comment) throws {
        let path = folder.appending(path: "fresh-\(UUID().uuidString).mdb").path
        let fresh = Views(of: log, kinds: kinds, at: path)
        defer { fresh.close() }
        try fresh.catchUp()
        try views.catchUp()
        let (shown, expected) = (Set(try Self.shown(views)), Set(try Self.shown(fresh)))
        #expect(shown.subtracting(expected) == [], "\(comment): shown")
        #expect(expected.subtracting(shown) == [], "\(comment): not shown")
        #expect(Views.damage(at: folder.appending(path: "views-\(number).mdb").path) == nil, comment)
    }
}

@Suite struct `Views and events that come late` {
    /// What of `frame` comes without its values.
    private static func leaving(_ frame: RangeFrame, _ author: LateAuthor, _ mask: UInt64) throws -> RangeFrame {
        var events = EventSet()
        for sequence in frame.range.first...frame.range.last where mask >> (sequence % 64) & 1 == 1 {
            events.insert(EventID(frame.range.replica, sequence))
        }
        return try frame.withholding(events, author.log.streams()) { try author.log.leaf(of: $0) }
    }

    @Test(arguments: UInt64(1)...15)
    func `show what views show that are built from the whole log, whatever came late and when they looked`(
        seed: UInt64
    ) throws {
        var numbers = SeededGenerator(seed: seed)
        let authors = [try LateAuthor(using: &numbers), try LateAuthor(using: &numbers)]
        let target = try Target()
        for step in 0..<60 {
            let author = authors[numbers.chance(0.5) ? 0 : 1]
            let (own, known) = (
                try author.log.vector()[author.identity.replica], try target.log.vector()[author.identity.replica]
            )
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0..<3: for _ in 0..<4 { try author.write(using: &numbers) }
            case 3..<5 where own > known:
                guard let frame = try author.frame(known + 1, own) else { break }
                let mask = numbers.next() & numbers.next()
                _ = try target.log.receive([Self.leaving(frame, author, mask)], arrival: .now())
            case 5..<9 where known > 0:
                let first = UInt64.random(in: 1...known, using: &numbers)
                let last = min(known, first + UInt64.random(in: 0...20, using: &numbers))
                guard let frame = try author.frame(first, last) else { break }
                // Now and then events come back, and their values later.
                let mask = numbers.chance(0.3) ? numbers.next() : 0
                _ = try target.log.receive([Self.leaving(frame, author, mask)], arrival: .now())
            case 9 where known > 0:
                let sequence = UInt64.random(in: 1...known, using: &numbers)
                let events = EventSet([EventRange(author.identity.replica, sequence, through: sequence)])
                if numbers.chance(0.5) { try target.log.erase(events) } else { try target.log.letGo(events) }
            case 10:
                let mask = numbers.next() & numbers.next()
                try target.lose { mask >> (($0.sequence + $0.replica.low) % 64) & 1 == 1 }
            default: try target.reopen()
            }
            if numbers.chance(0.4) { try target.views.catchUp() }
            if numbers.chance(0.4) { try target.expectAsRebuilt("seed \(seed), step \(step)") }
        }
        try target.expectAsRebuilt("seed \(seed), at the end")
    }

    /// A store whose every third event has lost its values, and a frame that has all of them.
    private static func lacking(_ seed: UInt64) throws -> (target: Target, author: LateAuthor, frame: RangeFrame) {
        var numbers = SeededGenerator(seed: seed)
        let author = try LateAuthor(using: &numbers)
        for _ in 0..<40 { try author.write(using: &numbers) }
        let frame = try #require(try author.frame(1, author.log.vector()[author.identity.replica]))
        let target = try Target()
        _ = try target.log.receive([leaving(frame, author, 0x9249_2492_4924_9249)], arrival: .now())
        try target.views.catchUp()
        return (target, author, frame)
    }

    @Test func `fold what these touch at the next read, and are not built anew`() throws {
        let (target, author, frame) = try Self.lacking(1)
        let before = try Target.shown(target.views)
        let rebuilds = target.views.rebuildsSoFar.count
        #expect(try target.log.receive([frame], arrival: .now()).filledCount > 10)
        let after = try Target.shown(target.views)
        #expect(after != before)
        #expect(target.views.rebuildsSoFar.count == rebuilds)
        try target.expectAsRebuilt("filled")
        #expect(try Target.shown(author.views).first == after.first, "the digest is that of the author")
    }

    @Test func `fold them in as many slices as there have to be, with what was appended meanwhile`() throws {
        let (target, author, frame) = try Self.lacking(2)
        var numbers = SeededGenerator(seed: 3)
        let last = frame.range.last
        for _ in 0..<20 { try author.write(using: &numbers) }
        let more = try #require(try author.frame(last + 1, author.log.vector()[author.identity.replica]))
        _ = try target.log.receive([frame, more], arrival: .now())
        var replayer = target.views.replayer
        replayer.sliceCount = 3
        _ = try replayer.catchUp(target.views.environment())
        try target.expectAsRebuilt("in slices of three")
        #expect(target.views.rebuildsSoFar.count == 1)
    }

    @Test func `a moment of the past shows what came late to who first looks at it afterwards, and to others`() throws {
        let (target, _, frame) = try Self.lacking(4)
        let position = try target.log.lastPosition()
        var pasts: [PastViews] = []
        for (name, end) in [("near", position - 1), ("far", 20)] {
            pasts.append(
                try PastViews(
                    of: target.views, EventFilter(try target.log.vector(through: end)),
                    temporaryPath: target.folder.appending(path: name).path))
        }
        let before = try pasts.map { past in try past.read { try $0.digest() } }
        _ = try target.log.receive([frame], arrival: .now())
        for (past, before) in zip(pasts, before) {
            let fresh = try PastViews(
                of: target.views, past.filter, temporaryPath: target.folder.appending(path: "fresh").path)
            let now = try past.read { try $0.digest() }
            #expect(now != before)
            #expect(try fresh.read { try $0.digest() } == now)
        }
    }
}

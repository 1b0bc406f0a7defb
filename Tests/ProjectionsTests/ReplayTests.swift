import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import Synchronization
import Testing

/// A log and its views in a folder of their own, with a made-up kind.
final class TestStore {
    let folder: URL
    let log: EventLog
    let views: Views
    let replica = ReplicaID(high: 7, low: 7)
    var generator = SystemRandomNumberGenerator()

    static let kind = KindSchema(
        name: "thing", fields: [FieldSchema(1, "A"), FieldSchema(2, "B")], indexes: [IndexSchema(1, "a")],
        indexEntries: { values, entries in entries.add(values.value(1) ?? [], to: 1) })

    init(kinds: Kinds = Kinds([kind])) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        log = try EventLog.create(at: folder.appending(path: "log.mdb").path, id: LogID(high: 1, low: 2), epoch: 3)
        views = Views(of: log, kinds: kinds, at: folder.appending(path: "views.mdb").path)
    }

    deinit {
        views.close()
        try? log.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ changes: [Change]) throws {
        var batch = DraftBatch()
        for change in changes { batch.append(change, by: replica, using: &generator) }
        _ = try log.append([batch], as: replica, arrival: .now())
    }

    func set(_ record: UInt64, _ field: UInt32, _ value: String) throws {
        let id = RecordID(high: 0, low: record)
        let before = try views.read { try $0.record("thing", id) }
        try write([
            Change(
                kind: "thing", record: id,
                operations: [
                    FieldOperation(
                        .set, .number(field), supersedes: before?.superseded(by: .number(field)) ?? [],
                        value: Array(value.utf8))
                ])
        ])
        try views.catchUp()
    }
}

@Suite struct `Replaying a log` {
    private final class Stage: Sendable {
        let isOver = Atomic(false)
        let isDone = Atomic(false)
    }

    @Test func `views that go on while the log is folded are compared where they have come to`() throws {
        let store = try TestStore()
        for number in 1...300 { try store.set(UInt64(number), 1, "before") }
        let stage = Stage()
        let (log, views, replica) = (store.log, store.views, store.replica)
        Thread.detachNewThread {
            defer { stage.isDone.store(true, ordering: .releasing) }
            var generator = SystemRandomNumberGenerator()
            while !stage.isOver.load(ordering: .acquiring) {
                var batch = DraftBatch()
                let set = FieldOperation(.set, .number(1), value: Array("meanwhile".utf8))
                batch.append(
                    Change(kind: "thing", record: .random(using: &generator), operations: [set]), by: replica,
                    using: &generator)
                do {
                    _ = try log.append([batch], as: replica, arrival: .now())
                    try views.catchUp()
                } catch {
                    Issue.record(error)
                    return
                }
            }
        }
        let path = store.folder.appending(path: "again.mdb").path
        var ends: Set<Int> = []
        // Many, since in few of them the views go on between the two reads.
        for _ in 0..<60 {
            let comparison = try views.compare(foldingInto: path)
            #expect(comparison.isSame)
            ends.insert(comparison.events)
            try FileManager.default.removeItem(atPath: path)
        }
        stage.isOver.store(true, ordering: .releasing)
        while !stage.isDone.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.01) }
        #expect(ends.count > 1, "the views went on")
    }

    @Test func `a view shows what was written, and its index finds it`() throws {
        let store = try TestStore()
        try store.views.catchUp()
        try store.set(1, 1, "one")
        try store.set(2, 1, "two")
        try store.set(1, 2, "other")
        try store.set(1, 1, "uno")
        try store.views.read { view in
            let record = try #require(try view.record("thing", RecordID(high: 0, low: 1)))
            #expect(record[.number(1)]?.shown.value == Array("uno".utf8))
            #expect(record[.number(1)]?.heads.count == 1)
            #expect(record.eventCount == 3)
            var found: [UInt64] = []
            try view.forEachEntry(of: "thing", index: 1, prefix: Array("uno".utf8)) { _, id in
                found.append(id.low)
                return true
            }
            #expect(found == [1])
        }
    }

    @Test func `views deleted by hand come back by themselves with the same digest`() throws {
        let store = try TestStore()
        for value in 0..<50 { try store.set(UInt64(value % 7), UInt32(1 + value % 2), "v\(value)") }
        let before = try store.views.read { try $0.digest() }
        try FileManager.default.removeItem(at: store.folder.appending(path: "views.mdb"))
        let after = try store.views.read { try $0.digest() }
        #expect(after == before)
        #expect(store.views.rebuildsSoFar.count == 2)
    }
}

extension EventLog {
    /// Erases values, as if the first event of the first author had said so.
    @discardableResult
    func erase(_ events: EventSet, baseWithout: (EventSet) throws -> [UInt8]? = { _ in nil }) throws -> Int {
        try erase(
            events.ranges.first.map { [EventID($0.replica, 1): events] } ?? [:], baseWithout: baseWithout)
    }
}

import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveProjections

@Suite struct `The checkpoint of the views` {
    private func digest(_ environment: Environment, _ kinds: Kinds) throws -> ViewDigest {
        try environment.read { try ViewReader.lend($0, kinds: kinds) { try $0.digest() } }
    }

    @Test(arguments: [1, 2, 3, 7, 50])
    func `a replay in slices of any length ends as one in a single slice`(length: Int) throws {
        let store = try TestStore()
        for value in 0..<40 { try store.set(UInt64(value * 7 % 11), UInt32(1 + value % 2), "v\(value)") }
        let expected = try store.views.read { try $0.digest() }
        let environment = try Views.create(
            at: store.folder.appending(path: "slices.mdb").path, log: store.log, kinds: store.views.kinds,
            store.log.content())
        defer { environment.close() }
        let replayer = Replayer(log: store.log, kinds: store.views.kinds, sliceCount: length)
        #expect(try replayer.catchUp(environment).events == 40)
        #expect(try digest(environment, store.views.kinds) == expected)
        let entries = try environment.read { transaction in
            try ViewReader.lend(transaction, kinds: store.views.kinds) { try $0.entries() }
        }
        #expect(try entries == store.views.read { try $0.entries() })
    }

    @Test func `a replay that stops after any event goes on from there, and folds none twice`() throws {
        let store = try TestStore()
        for value in 0..<25 { try store.set(UInt64(value % 4), 1, "v\(value)") }
        let expected = try store.views.read { try $0.digest() }
        let environment = try Views.create(
            at: store.folder.appending(path: "steps.mdb").path, log: store.log, kinds: store.views.kinds,
            store.log.content())
        defer { environment.close() }
        let replayer = Replayer(log: store.log, kinds: store.views.kinds)
        for end in 1...25 {
            #expect(try replayer.catchUp(environment, through: Position(end)).events == 1)
            #expect(try replayer.catchUp(environment, through: Position(end)).events == 0)
        }
        #expect(try digest(environment, store.views.kinds) == expected)
    }

    @Test func `views whose unfinished file was deleted, as whoever erases does, are built once more`() throws {
        let store = try TestStore()
        for value in 0..<10 { try store.set(UInt64(value), 1, "v\(value)") }
        let expected = try store.views.read { try $0.digest() }
        for deletion in ["before it is opened", "while it is opened", "later"] {
            var attempts = 0
            try store.views.replaceFile { aside in
                attempts += 1
                if attempts == 1, deletion == "before it is opened" { _ = try Environment.open(aside) }
                if attempts == 1, deletion == "while it is opened" {
                    // What LMDB makes of a file that was there when it was asked to open it.
                    try Environment.create(at: aside) { _ in }
                    _ = try Views.openNew(aside)
                }
                let (environment, events) = try Views.build(at: aside, of: store.log, kinds: store.views.kinds)
                defer { environment.close() }
                if attempts == 1 { unlink(aside) }
                let checkpoint = try environment.read { try Replayer.checkpoint(in: $0, ViewTables(in: $0)) }
                return ((), .init(reason: "requested", events: events, isRepair: false), checkpoint)
            }
            #expect(attempts == 2)
            #expect(try store.views.read { try $0.digest() } == expected)
        }
        // Whatever else goes wrong is not tried again.
        #expect(throws: ViewError.damaged("on purpose")) {
            try store.views.replaceFile { _ -> ((), Views.Rebuild, Checkpoint) in throw ViewError.damaged("on purpose")
            }
        }
    }

    @Test func `views of another history are built anew, though log and number of events are the same`() throws {
        // A log that is put back to an earlier state, and then written to once more, is of one generation all the time.
        let store = try TestStore()
        for value in 0..<10 { try store.set(UInt64(value), 1, "once \(value)") }
        let file = store.folder.appending(path: "log.mdb")
        let earlier = try Data(contentsOf: file)
        try store.set(3, 1, "left")
        store.views.close()
        try store.log.close()
        try earlier.write(to: file)
        let log = try EventLog(opening: file.path)
        var batch = DraftBatch()
        let operation = FieldOperation(.set, .number(1), supersedes: [], value: Array("right".utf8))
        let id = RecordID(high: 0, low: 3)
        batch.append(
            Change(kind: "thing", record: id, operations: [operation]), by: store.replica, using: &store.generator)
        _ = try log.append([batch], as: store.replica, arrival: .now())
        let views = Views(of: log, kinds: Kinds([TestStore.kind]), at: store.folder.appending(path: "views.mdb").path)
        defer {
            views.close()
            try? log.close()
        }
        try views.catchUp()
        let values = try views.read { try $0.record("thing", id)?[.number(1)]?.heads.compactMap(\.value) }
        #expect(values == [Array("once 3".utf8), Array("right".utf8)])
        #expect(views.rebuildsSoFar.last?.reason == "from another version or history")
    }

    @Test func `what another version of a kind indexes is made without a rebuild, and found`() throws {
        let store = try TestStore()
        for value in 0..<10 { try store.set(UInt64(value), 2, "b\(value)") }
        let digest = try store.views.read { try $0.digest() }
        store.views.close()
        // The next version of the kind finds records by their second field.
        let next = KindSchema(
            name: "thing", version: TestStore.kind.version + 1, fields: [FieldSchema(1, "A"), FieldSchema(2, "B")],
            indexes: [IndexSchema(1, "a")],
            indexEntries: { values, entries in entries.add(values.value(2) ?? [], to: 1) })
        let path = store.folder.appending(path: "views.mdb").path
        let views = Views(of: store.log, kinds: Kinds([next]), at: path)
        defer { views.close() }
        try views.catchUp()
        #expect(views.rebuildsSoFar.isEmpty)
        #expect(try views.read { try $0.digest() } == digest)
        var found: [RecordID] = []
        try views.read { view in
            try view.forEachEntry(of: "thing", index: 1, prefix: Array("b7".utf8)) { _, id in
                found.append(id)
                return true
            }
        }
        #expect(found == [RecordID(high: 0, low: 7)])
        // And the older program still has its own index beside that one.
        views.close()
        let old = Views(of: store.log, kinds: store.views.kinds, at: path)
        defer { old.close() }
        #expect(try old.read { try $0.digest() } == digest)
        #expect(try old.read { try $0.entries() }.keys.sorted() == [""], "nothing has a first field")
        #expect(old.rebuildsSoFar.isEmpty)
    }

    @Test func `views that are ahead of the log are built anew`() throws {
        let (long, short) = (try TestStore(), try TestStore())
        for value in 0..<10 { try long.set(UInt64(value), 1, "v\(value)") }
        try short.set(1, 1, "only")
        let expected = try short.views.read { try $0.digest() }
        long.views.close()
        short.views.close()
        let path = short.folder.appending(path: "views.mdb")
        try FileManager.default.removeItem(at: path)
        try FileManager.default.copyItem(at: long.folder.appending(path: "views.mdb"), to: path)
        try short.views.catchUp()
        #expect(try short.views.read { try $0.digest() } == expected)
    }
}

@Suite struct `The index of the views` {
    @Test func `an entry goes when what it was made of has changed`() throws {
        let store = try TestStore()
        try store.views.catchUp()
        try store.set(1, 1, "before")
        try store.set(1, 1, "after")
        #expect(try store.views.read { try $0.entries() } == ["after": [1]])
    }

    @Test(arguments: UInt64(1)...20)
    func `it finds exactly what the records show, after any history`(seed: UInt64) throws {
        let store = try TestStore()
        try store.views.catchUp()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let value = "v\(Int.random(in: 0..<6, using: &generator))"
            let record = UInt64.random(in: 0..<5, using: &generator)
            try store.set(record, UInt32.random(in: 1...2, using: &generator), value)
        }
        try store.views.read { view in
            var shown: [String: [UInt64]] = [:]
            try view.forEachRecord(of: "thing") { record in
                let value = record[.number(1)]?.shown.value ?? []
                shown[String(decoding: value, as: UTF8.self), default: []].append(record.id.low)
                return true
            }
            #expect(try view.entries() == shown.mapValues { $0.sorted() })
        }
    }
}

extension ViewReader {
    /// All entries of the index of test records: what finds which.
    func entries() throws -> [String: [UInt64]] {
        var entries: [String: [UInt64]] = [:]
        try forEachEntry(of: "thing", index: 1) { key, id in
            entries[String(decoding: key.toArray(), as: UTF8.self), default: []].append(id.low)
            return true
        }
        return entries.mapValues { $0.sorted() }
    }
}

import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords
import Testing

@testable import GroundwaveProjections

/// Whatever is wrong with views ends in others that are right: built anew in their place, or aside where that is not ours.
@Suite struct `Views that cannot be used` {
    private let store: TestStore
    private let digest: ViewDigest
    private let path: String

    init() throws {
        store = try TestStore()
        for value in 0..<30 { try store.set(UInt64(value % 20), UInt32(1 + value % 2), "v\(value)") }
        digest = try store.views.read { try $0.digest() }
        path = store.folder.appending(path: "views.mdb").path
    }

    /// Changes the file of the views behind their back, in one transaction.
    private func meddle(_ body: (borrowing WriteTransaction, ViewTables) throws -> Void) throws {
        store.views.close()
        // By the writer lock, so that nothing but the rows tells that the file has changed.
        var options = Views.options
        options.patience = WriterLock.Patience()
        let environment = try Environment.open(path, options: options)
        defer { environment.close() }
        try environment.write { try body($0, ViewTables(in: $0)) }
    }

    private func damageRecord() throws {
        try meddle { transaction, tables in
            let key = RecordKey.of(kind: "thing", RecordID(high: 0, low: 3))
            var row = try #require(try transaction.value(key, in: tables.records))
            row[row.count - 1] ^= 1
            try transaction.put(row.span.bytes, for: key, in: tables.records)
        }
    }

    /// Views of the same file that never write it.
    private func reader(aside folder: URL? = nil) -> Views {
        var aside: (@Sendable () throws -> Views.Aside)?
        if let folder {
            aside = {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                return (folder.appending(path: "views.mdb").path, folder)
            }
        }
        return Views(of: store.log, kinds: store.views.kinds, at: path, isReadOnly: true, aside: aside)
    }

    private var aside: URL { store.folder.appending(path: "aside") }

    @Test func `and that are never written are built aside in the read that met the damage`() throws {
        try damageRecord()
        let before = try Data(contentsOf: URL(filePath: path))
        let views = reader(aside: aside)
        defer { views.close() }
        #expect(try views.isCurrent(), "nothing was noticed when it was opened")
        #expect(try views.read { try $0.digest() } == digest)
        #expect(views.rebuildsSoFar.map(\.isRepair) == [true])
        #expect(try views.read { try $0.digest() } == digest)
        #expect(views.rebuildsSoFar.count == 1 && !views.isReadOnly)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test(arguments: ["deleted", "empty"])
    func `and that are never written are built aside where others do not leave them as they are`(loss: String) throws {
        let views = reader(aside: aside)
        defer { views.close() }
        store.views.close()
        switch loss {
        case "deleted": try FileManager.default.removeItem(atPath: path)
        case "empty":
            try FileManager.default.removeItem(atPath: path)
            try Data().write(to: URL(filePath: path))
        default: Issue.record("\(loss) is no loss")
        }
        #expect(try views.read { try $0.digest() } == digest)
    }

    @Test func `and that nobody has brought after a rewrite yet are built aside for a look at the past`() throws {
        store.views.close()
        let views = reader(aside: aside)
        defer { views.close() }
        let end = try store.log.lastPosition() - 2
        let past = try PastViews(
            of: views, EventFilter(try store.log.vector(through: end)),
            temporaryPath: store.folder.appending(path: "past").path)
        _ = try past.read { try $0.digest() }
        let before = try Data(contentsOf: URL(filePath: path))
        // As another process leaves it that has rewritten the log, and is not yet at the views.
        #expect(try store.log.erase(EventSet([EventRange(store.replica, 4, through: 4)])) == 1)
        let folded = store.folder.appending(path: "folded").path
        let (environment, _) = try Views.build(at: folded, of: store.log, kinds: store.views.kinds, through: end)
        defer { environment.close() }
        let expected = try environment.read {
            try ViewReader.lend($0, kinds: store.views.kinds) { try $0.digest() }
        }
        #expect(try past.read { try $0.digest() } == expected)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `and that have no place aside say so`() throws {
        try damageRecord()
        let views = reader()
        defer { views.close() }
        #expect(throws: ViewError.readOnly) { try views.read { try $0.digest() } }
        #expect(throws: ViewError.readOnly) { try views.moveAside() }
    }

    @Test func `and that lost a row since their checkpoint are not gone on with`() throws {
        try meddle { transaction, tables in
            let key = RecordKey.of(kind: "thing", RecordID(high: 0, low: 3))
            let wasThere = try transaction.remove(key, in: tables.records)
            #expect(wasThere)
        }
        // The record that is written is another one.
        try store.set(9, 1, "new")
        #expect(store.views.rebuildsSoFar.last?.isRepair == true)
        let reason = store.views.rebuildsSoFar.last?.reason ?? ""
        #expect(reason.contains("as many rows as its checkpoint counts"), "\(reason)")
        let digest = try store.views.read { try $0.digest() }
        try store.views.rebuild()
        #expect(try store.views.read { try $0.digest() } == digest)
    }

    @Test func `and of which no start of the machine is known are built by each who opens them, once`() throws {
        let unknown = [UInt8](repeating: 0, count: 16)
        func views() -> Views { Views(of: store.log, kinds: store.views.kinds, at: path, boot: unknown) }
        store.views.close()
        for _ in 0..<3 {
            // A row that says what an earlier commit said: what a page of the wrong age would.
            try meddle { transaction, tables in
                let key = RecordKey.of(kind: "thing", RecordID(high: 0, low: 3))
                var row = try #require(try transaction.value(key, in: tables.records))
                row[row.count - 1] ^= 1
                try transaction.put(row.span.bytes, for: key, in: tables.records)
            }
            let views = views()
            for _ in 0..<3 {
                let found = try views.read { try $0.digest() }
                #expect(found == digest)
            }
            let reason = "they may be from before the last start of the machine"
            #expect(views.rebuildsSoFar.map(\.reason) == [reason])
            views.close()
        }
        // The name of a start that was not known is none either where it is known again.
        let known = Views(of: store.log, kinds: store.views.kinds, at: path)
        defer { known.close() }
        #expect(try known.read { try $0.digest() } == digest)
        #expect(known.rebuildsSoFar.count == 1)
        known.close()
        let again = Views(of: store.log, kinds: store.views.kinds, at: path)
        #expect(try again.read { try $0.digest() } == digest)
        #expect(again.rebuildsSoFar.isEmpty)
        again.close()
    }
}

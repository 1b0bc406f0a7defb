import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import Testing

@Suite struct `Views whose rows are not what was written` {
    /// Changes the file of the views behind their back, in one transaction.
    private func meddle(_ store: TestStore, _ body: (borrowing WriteTransaction) throws -> Void) throws {
        store.views.close()
        var options = Environment.Options()
        options.tables = 8
        let environment = try Environment.open(store.folder.appending(path: "views.mdb").path, options: options)
        try environment.write(body)
        environment.close()
    }

    private func filledStore() throws -> (store: TestStore, digest: ViewDigest) {
        let store = try TestStore()
        try store.views.catchUp()
        for value in 0..<20 { try store.set(UInt64(value % 6), UInt32(1 + value % 2), "v\(value)") }
        return (store, try store.views.read { try $0.digest() })
    }

    @Test func `a row that stands under the key of another record is noticed`() throws {
        let (store, digest) = try filledStore()
        try meddle(store) { transaction in
            let table = try #require(try transaction.table("records", of: [UInt8].self))
            let (key, other) = (Self.key(3), Self.key(99))
            let row = try #require(try transaction.value(key, in: table))
            _ = try transaction.remove(key, in: table)
            try transaction.put(row.span.bytes, for: other, in: table)
        }
        #expect(try store.views.read { try $0.digest() } == digest)
        #expect(store.views.rebuildsSoFar.last?.reason.contains("wrong") == true)
    }

    @Test func `a row behind the last one of its kind is looked at before the kind is said to end`() throws {
        let (store, digest) = try filledStore()
        try meddle(store) { transaction in
            let table = try #require(try transaction.table("records", of: [UInt8].self))
            let row = try #require(try transaction.value(Self.key(5), in: table))
            _ = try transaction.remove(Self.key(5), in: table)
            try transaction.put(row.span.bytes, for: Array("thinh\0".utf8) + Self.key(5).suffix(16), in: table)
        }
        #expect(try store.views.read { try $0.digest() } == digest)
    }

    @Test(arguments: ["names", "checkpoint"])
    func `a row of the meta table that is lost is no row that was never there`(name: String) throws {
        let (store, digest) = try filledStore()
        try meddle(store) { transaction in
            let table = try #require(try transaction.table("meta", of: [UInt8].self))
            #expect(try transaction.remove([UInt8](name.utf8), in: table))
        }
        #expect(try store.views.read { try $0.digest() } == digest)
    }

    @Test func `an entry of the index that stands in a wrong place is noticed from both sides`() throws {
        for key in ["v0", "v9", "zz"] {
            let (store, _) = try filledStore()
            let entries = try store.views.read { try $0.entries() }
            try meddle(store) { transaction in
                let table = try #require(try transaction.table("index", of: [UInt8].self))
                let all = try transaction.withCursor(table) { cursor in
                    var keys: [[UInt8]] = []
                    try cursor.forEach(from: nil) { key, _ in
                        keys.append(key.toArray())
                        return true
                    }
                    return keys
                }
                let old = try #require(all.last)
                let value = try #require(try transaction.value(old, in: table))
                _ = try transaction.remove(old, in: table)
                let new = Array(old.prefix(3)) + Array(key.utf8) + old.suffix(16)
                try transaction.put(value.span.bytes, for: new, in: table)
            }
            #expect(try store.views.read { try $0.entries() } == entries)
        }
    }

    @Test func `an event that was damaged is never folded, and the error names its position`() throws {
        let (store, _) = try filledStore()
        store.views.close()
        try store.log.close()
        let path = store.folder.appending(path: "log.mdb")
        var bytes = try Data(contentsOf: path)
        // The value of the eighth event, in every page where it lies.
        var start = bytes.startIndex
        while let found = bytes.range(of: Data("v7".utf8), in: start..<bytes.endIndex) {
            bytes[found.upperBound - 1] ^= 1
            start = found.upperBound
        }
        try bytes.write(to: path)
        // On a disk that rots, nothing tells that the file has changed.
        #expect(WriterLock.note(try #require(FileState(of: path.path)), of: path.path))
        let log = try EventLog(opening: path.path)
        let views = Views(of: log, kinds: store.views.kinds, at: store.folder.appending(path: "new.mdb").path)
        let error = #expect(throws: EventLogError.self) { try views.catchUp() }
        guard case .damagedFrame(let position, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(position == 8)
        try log.close()
    }

    private static func key(_ record: UInt64) -> [UInt8] {
        Array("thing\0".utf8) + [UInt8](repeating: 0, count: 15) + [UInt8(record)]
    }
}

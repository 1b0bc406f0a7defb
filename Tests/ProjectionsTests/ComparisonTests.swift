import Foundation
import GroundwaveByteCoding
import GroundwaveLMDB
import Testing

@testable import GroundwaveProjections

/// Every checksum and every sum of these views is right, and they are not what the log says: only a comparison with
/// newly folded views finds it.
@Suite struct `Sound views that are not what the log says` {
    private let store: TestStore
    /// The digest of the views that the log says.
    private let digest: ViewDigest

    init() throws {
        store = try TestStore()
        for value in 0..<20 { try store.set(UInt64(value % 6), UInt32(1 + value % 2), "v\(value)") }
        digest = try store.views.read { try $0.digest() }
    }

    private static func key(_ record: UInt8) -> [UInt8] {
        Array("thing\0".utf8) + [UInt8](repeating: 0, count: 15) + [record]
    }

    /// Writes rows behind the back of the log, as a faulty fold would.
    private func write(_ body: (inout RowWriter, borrowing WriteTransaction) throws -> Void) throws {
        store.views.close()
        let environment = try Views.openNew(store.folder.appending(path: "views.mdb").path)
        defer { environment.close() }
        try environment.write { transaction in
            let checkpoint = try Replayer.checkpoint(in: transaction, ViewTables(in: transaction))
            var rows = try RowWriter(transaction)
            try body(&rows, transaction)
            try rows.put(checkpoint, transaction)
        }
    }

    /// The content of the row of `record`, without its checksum.
    private func content(of record: UInt8, _ transaction: borrowing WriteTransaction) throws -> [UInt8] {
        let tables = try ViewTables(in: transaction)
        return try Array(#require(try transaction.value(Self.key(record), in: tables.records)).dropFirst(4))
    }

    /// Record 5 has the values of record 3.
    private func exchangeRow() throws {
        try write { rows, transaction in
            let key = Self.key(5)
            let old = try #require(try transaction.value(key, in: rows.tables.records))
            let row = CheckedRow.seal(try content(of: 3, transaction), under: key)
            let mark = RowMark(key: key.span.bytes, row: old.span.bytes)
            try rows.putRecord(row.span.bytes, for: key, replacing: mark, transaction)
        }
    }

    /// Behind the last record is another one.
    private func appendRow() throws {
        try write { rows, transaction in
            let key = Self.key(9)
            let row = CheckedRow.seal(try content(of: 3, transaction), under: key)
            try rows.appendRecord(row.span.bytes, for: key, transaction)
        }
    }

    @Test(arguments: [true, false])
    func `are told from right ones by a comparison`(isExchanged: Bool) throws {
        try isExchanged ? exchangeRow() : appendRow()
        let wrong = try store.views.read { try $0.digest() }
        #expect(wrong != digest)
        let comparison = try store.views.compare(
            foldingInto: store.folder.appending(path: "folded.mdb").path)
        #expect(!comparison.isSame)
        #expect(comparison.before == wrong)
        #expect(comparison.after == digest)
        #expect(try store.views.read { try $0.digest() } == wrong, "a comparison writes nothing to the store")
    }

    @Test(arguments: [true, false])
    func `are told from right ones by a rebuild, and replaced`(isExchanged: Bool) throws {
        try isExchanged ? exchangeRow() : appendRow()
        let comparison = try store.views.rebuildComparing()
        #expect(!comparison.isSame)
        #expect(comparison.after == digest)
        #expect(try store.views.read { try $0.digest() } == digest)
        #expect(try store.views.rebuildComparing().isSame)
    }
}

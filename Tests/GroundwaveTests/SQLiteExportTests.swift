import Everything
import Foundation
import Groundwave
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `A database of contacts` {
    @Test func `has a row for each contact and a column for each field, in the order of the log`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(
            "<EOH><CALL:4>N0AB<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<NAME:3>J;o<APP_X_Y:2>''<EOR>"
                + "<CALL:4>N0CD<MODE:3>SSB<BAND:3>40m<COMMENT:4>a\"b,<EOR>")
        let folder = try TemporaryFolder()
        let path = folder.path("log.sqlite")
        let report = try store.export(.everything, as: .sqlite, created: 0, toFile: path)
        #expect(report.records == 2)
        #expect(report.bytes == (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int))
        let found = try sqliteRows(path, "SELECT * FROM qso")
        #expect(found.map { $0["CALL"] } == ["N0AB", "N0CD"])
        #expect(found[0]["_start"] == "2026-05-01T12:00:00Z")
        #expect(found[0]["APP_X_Y"] == "''")
        #expect(found[1]["COMMENT"] == "a\"b,")
        #expect(found[1]["_start"] == nil)
        let ids = try store.read { try $0.all(.everything).map { "\($0.id)" } }
        #expect(Set(found.compactMap { $0["_id"] }) == Set(ids))
        let facts = try sqliteRows(path, "SELECT * FROM export")
        #expect(facts.first { $0["key"] == "log" }?["value"] == "\(store.logID)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["log.sqlite"])
    }

    @Test(.enabled(if: Collection.folder != nil), arguments: ["m0nom", "ham2k-samples", "operators"])
    func `says of real logs what the contacts say`(name: String) async throws {
        let temporary = try await TemporaryStore(.full())
        for file in Collection.files(in: name).prefix(12) {
            _ = try? await temporary.store.importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
        }
        let folder = try TemporaryFolder()
        let path = folder.path("log.db")
        let report = try temporary.store.export(.everything, as: .sqlite, created: 0, toFile: path)
        #expect(report.remarks.isEmpty)
        try #require(report.records > 0)
        let found = try sqliteRows(path, "SELECT * FROM qso")
        var expected: [[String: String]] = []
        try temporary.store.forEachContactInOrder(.everything) { record in
            var row = ["_id": "\(record.id)"]
            row["_start"] = ContactFacts(record).startSeconds.map { UTCText.seconds($0) }
            for (name, value) in record.adifFields {
                row[name.name] =
                    String(validating: value, as: UTF8.self)
                    ?? value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "h"
            }
            expected.append(row)
        }
        #expect(found.count == expected.count)
        #expect(zip(found, expected).allSatisfy { $0 == $1 })
    }

    @Test func `is refused where only a stream is, and leaves what was there where it fails`() async throws {
        let temporary = try await TemporaryStore(.full())
        #expect(throws: StoreError.self) { try temporary.store.exported(.sqlite) }
        let folder = try TemporaryFolder()
        #expect(throws: StoreError.self) {
            try temporary.store.export(.everything, as: .sqlite, created: 0, toFile: folder.path("none/log.db"))
        }
        try Data("mine".utf8).write(to: URL(filePath: folder.path("log.db")))
        _ = try temporary.store.export(.everything, as: .sqlite, created: 0, toFile: folder.path("log.db"))
        #expect(try sqliteRows(folder.path("log.db"), "SELECT * FROM qso").isEmpty)
    }

    @Test func `of views that turn out damaged is written all the same, from new ones`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(200))
        try temporary.store.close()
        let views = temporary.url.appending(path: "views.mdb")
        var bytes = try Data(contentsOf: views)
        var start = bytes.startIndex
        while let place = bytes.range(of: Data("N0C77".utf8), in: start..<bytes.endIndex) {
            bytes[place.lowerBound + 4] = UInt8(ascii: "8")
            start = place.upperBound
        }
        try #require(start > bytes.startIndex)
        try bytes.write(to: views)
        let store = try await Store.open(at: temporary.url, .full()).whole
        let folder = try TemporaryFolder()
        let report = try store.export(.everything, as: .sqlite, created: 0, toFile: folder.path("log.db"))
        #expect(report.records == 200)
        #expect(try sqliteRows(folder.path("log.db"), "SELECT * FROM qso WHERE CALL = 'N0C77'").count == 1)
        try store.close()
    }

    @Test func `leaves out a field that is called like a column of ours, and says so`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText("<EOH><CALL:4>N0AB<BAND:3>20m<MODE:2>CW<_ID:1>7<EOR>")
        let folder = try TemporaryFolder()
        let report = try temporary.store.export(.everything, as: .sqlite, created: 0, toFile: folder.path("log.db"))
        #expect(report.remarks.map(\.field) == ["_ID"])
        #expect(try sqliteRows(folder.path("log.db"), "SELECT * FROM qso")[0]["_id"] != "7")
    }
}

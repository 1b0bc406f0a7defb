import Everything
import Foundation
import Groundwave
import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Exporting` {
    @Test func `ADI comes out with the bytes and the order of the file`() async throws {
        let temporary = try await TemporaryStore(.full())
        let records =
            "<MODE:2>CW<CALL:4>W1AW<APP_TEST_X:3> a <FREQ:8>14.07400<EOR>"
            + "<CALL:6>N0CALL<NAME:4>J\u{e9}r<COMMENT:0><EOR>"
        try await temporary.store.importText("x<EOH>" + records)
        let text = String(decoding: try temporary.store.exported(.adi), as: UTF8.self)
        let body = text.split(separator: "<EOH>\n")[1]
        #expect(body.replacing(/\n/, with: "") == records)
    }

    @Test func `a table has a column for each field in use, quoted where it must be`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(
            adi(["CALL": "W1AW", "QSO_DATE": "20260501", "NAME": "Doe, \"Joe\"", "COMMENT": "=1+1"])
                + adi(["CALL": "N0CALL", "APP_X": "two\r\nlines", "NOTES": " x"]))
        let text = String(decoding: try temporary.store.exported(.csv), as: UTF8.self)
        #expect(
            text == "QSO_DATE,TIME_ON,CALL,NAME,COMMENT,NOTES,APP_X\r\n"
                + "20260501,,W1AW,\"Doe, \"\"Joe\"\"\",'=1+1,,\r\n" + ",,N0CALL,,,\" x\",\"two\r\nlines\"\r\n")
    }

    @Test func `an empty log is a table of headings alone`() async throws {
        let temporary = try await TemporaryStore(.full())
        #expect(try temporary.store.exported(.csv) == Array("QSO_DATE,TIME_ON,CALL\r\n".utf8))
        #expect(try temporary.store.exported(.ndjson).isEmpty)
    }

    @Test func `JSON lines keep the order of fields, and bytes that are no text`() async throws {
        let temporary = try await TemporaryStore(.full())
        let bytes = Array("<CALL:4>W1AW<NAME:3>J".utf8) + [0xE9, 0x00] + Array("<COMMENT:4>\"\\\n\t<EOR>".utf8)
        try await temporary.store.importBytes(bytes, named: "x.adi")
        let id = try #require(try temporary.store.firstContact()).id
        let text = String(decoding: try temporary.store.exported(.ndjson), as: UTF8.self)
        let fields = #"{"CALL":"W1AW","NAME":{"base64":"SukA"},"COMMENT":"\"\\\n\t"}"#
        #expect(text == #"{"id":"\#(id)","fields":\#(fields)}"# + "\n")
    }

    @Test func `what XML cannot hold is told`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importBytes(
            Array("<CALL:4>W1AW<NAME:2>J".utf8) + [0xE9] + Array("<COMMENT:1>\u{1}<EOR>".utf8), named: "x.adi")
        let report = try temporary.store.export(.everything, as: .adx, created: 0) { _ in }
        #expect(report.remarks.map(\.field) == ["NAME", "COMMENT"])
        #expect(report.records == 1)
    }

    @Test func `hidden contacts are left out`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(3))
        let contact = try #require(try temporary.store.firstContact())
        _ = try await temporary.store.write { try $0.remove("qso", contact.id) }
        let report = try temporary.store.export(.everything, created: 0) { _ in }
        #expect(report.records == 2)
    }

    @Test func `an export under a name has what changed since the last one`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(5))
        func export(_ filter: String = "") async throws -> Int {
            let (query, _) = try store.query(.everything, newSinceExportNamed: "lotw", filter: filter)
            let report = try store.export(query, created: 0) { _ in }
            try store.finishExport(named: "lotw", filter: filter, report)
            return report.records
        }
        #expect(try await export() == 5)
        #expect(try await export() == 0)
        let contact = try #require(try store.firstContact())
        _ = try await store.write { try $0.set("qso", contact.id, [Assignment("NAME", text: "Joe")]) }
        try await store.importText(adi(["CALL": "W1AW"]))
        #expect(try await export() == 2)
        #expect(try await export("band=20m") == 6, "another filter begins anew")
        #expect(try store.query(.everything, newSinceExportNamed: "qrz", filter: "").isContinued == false)
    }

    @Test func `an export under a name has everything again after a clear, however long the log is`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(5))
        let report = try store.export(.everything, created: 0) { _ in }
        try store.finishExport(named: "lotw", filter: "", report)
        _ = try await store.clear(store.prepareClearing())
        try await store.importText(generatedLog(20))
        #expect(try store.currentToken().position > report.token.position)
        let (query, isContinued) = try store.query(.everything, newSinceExportNamed: "lotw", filter: "")
        #expect(!isContinued)
        #expect(try store.export(query, created: 0) { _ in }.records == 20)
    }

    @Test func `a file for each park and day has the contacts of it, those of two parks twice`() async throws {
        let temporary = try await TemporaryStore(.full())
        func contact(_ call: String, _ day: String, _ parks: String?) -> String {
            let record = ["CALL": call, "QSO_DATE": day, "TIME_ON": "1200", "STATION_CALLSIGN": "W1AW/P"]
            var fields = record
            fields["MY_POTA_REF"] = parks
            return fields.sorted { $0.key < $1.key }.map { adi([$0.key: $0.value]).replacing("<EOR>\n", with: "") }
                .joined() + "<EOR>\n"
        }
        try await temporary.store.importText(
            contact("N0A", "20260501", "US-0001,US-0002@US-MA") + contact("N0B", "20260501", "US-0001")
                + contact("N0C", "20260502", "US-0001") + contact("N0D", "20260502", nil)
                + adi(["CALL": "N0E", "MY_SIG": "POTA", "MY_SIG_INFO": "us-0003", "OPERATOR": "../W1AW"]))
        let folder = try TemporaryFolder()
        let (files, report) = try temporary.store.export(
            .everything, as: .adi, by: [.park, .day], into: folder.url, created: 0)
        let counts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.records) })
        #expect(
            counts == [
                "W1AW_P@US-0001-20260501.adi": 2, "W1AW_P@US-0002-20260501.adi": 1, "W1AW_P@US-0001-20260502.adi": 1,
                "W1AW_P-20260502.adi": 1, "___W1AW@US-0003-undated.adi": 1,
            ])
        #expect(report.records == 6)
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path)) == Set(counts.keys))
    }
}

@Suite struct `Export and import` {
    @Test(.enabled(if: Collection.folder != nil))
    func `of every file of the collection give the same content in every format`() async throws {
        for file in Collection.files() {
            let first = try await TemporaryStore(.full())
            let bytes = [UInt8](try Data(contentsOf: file))
            guard (try? await first.store.importBytes(bytes, named: file.lastPathComponent)) != nil else { continue }
            let content = try first.store.digest().content
            for format in [ExportFormat.adi, .adx, .ndjson] {
                var exported: [UInt8] = []
                let report = try first.store.export(.everything, as: format, created: 0) { exported += $0 }
                guard report.records > 0 else { continue }
                let second = try await TemporaryStore(.full())
                let imported = try await second.store.importBytes(exported, named: "again")
                #expect(imported.imported == report.records, "\(file.lastPathComponent)")
                // What was said to be changed is not expected to be the same: only ADX has such fields.
                #expect(report.remarks.isEmpty || format == .adx)
                let isSame = try second.store.digest().content == content
                #expect(isSame || !report.remarks.isEmpty, "\(file.lastPathComponent) as \(format)")
            }
        }
    }

    @Test func `JSON lines that are no contact are rejected with their place, and the rest comes in`() async throws {
        let temporary = try await TemporaryStore(.full())
        let good = #"{"id":"x","fields":{"CALL":"W1AW","FREQ":14.074,"NAME":null,"QTH":"\u00e9\ud83d\ude00"}}"#
        let bad = [
            "{", "[]", #"{"fields":{}}"#, #"{"fields":{"A:B":"x"}}"#, #"{"fields":{"CALL":true}}"#,
            #"{"fields":{"CALL":{"base64":"*"}}}"#, #"{"fields":{"CALL":"\ud800"}}"#, #"{"fields":{"CALL":"W1AW"}} x"#,
            String(repeating: "[", count: 100_000), #"{"fields":{"CALL":01}}"#,
        ]
        let text = (bad + [good]).joined(separator: "\n")
        var options = ImportOptions()
        options.format = .ndjson
        let report = try await temporary.store.importText(text, named: "x.ndjson", options)
        #expect(report.records == bad.count + 1)
        #expect(report.rejected == bad.count)
        #expect(report.remarks.map(\.code) == Array(repeating: "malformed-json", count: bad.count))
        #expect(report.remarks[1].offset == 2)
        let contact = try #require(try temporary.store.firstContact())
        #expect(contact.text("FREQ") == "14.074")
        #expect(contact.text("QTH") == "é😀")
        #expect(contact.text("NAME") == nil)
    }

    @Test func `a log of JSON lines is recognised by its first brace`() {
        #expect(LogFormat.detect(Array(" \n{\"id\"".utf8)) == .ndjson)
        #expect(LogFormat.detect(Array("<?xml version=\"1.0\"?><ADX>".utf8)) == .adx)
        #expect(LogFormat.detect(Array("<CALL:4>W1AW".utf8)) == .adi)
        #expect(LogFormat.detect([]) == .adi)
    }
}

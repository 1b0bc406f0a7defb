import Everything
import Foundation
import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Importing a series of one log as it grew` {
    @Test(.enabled(if: Collection.folder != nil), arguments: ["series-jtdx", "series-xforever1313-qrz"])
    func `adds exactly what is new in each file`(series: String) async throws {
        let temporary = try await TemporaryStore(.full())
        // What is there, computed from the files alone: contacts by call, date, minute, band and mode, with repeats.
        var known: [String: Int] = [:]
        for file in Collection.files(in: series) {
            let bytes = [UInt8](try Data(contentsOf: file))
            var inFile: [String: Int] = [:]
            for case .record(let record) in ADIReader.items(in: bytes) { inFile[Self.key(record), default: 0] += 1 }
            let new = inFile.reduce(0) { $0 + Swift.max(0, $1.value - known[$1.key, default: 0]) }
            let total = inFile.values.reduce(0, +)
            let report = try await temporary.store.importBytes(bytes, named: file.lastPathComponent)
            #expect(report.imported == new, "\(file.lastPathComponent)")
            #expect(report.records == total)
            #expect(report.imported + report.updated + report.unchanged + report.rejected == report.records)
            known.merge(inFile) { Swift.max($0, $1) }
            #expect(try temporary.store.read { try $0.count(.everything) } == known.values.reduce(0, +))
            let again = try await temporary.store.importBytes(bytes, named: file.lastPathComponent)
            #expect(again.unchanged == again.records && again.id == nil, "a second time it says nothing new")
        }
    }

    @Test(.enabled(if: Collection.folder != nil), arguments: ["series-jtdx", "series-xforever1313-qrz"])
    func `at the position of each import shows what a fresh store shows that had only the files up to it`(
        series: String
    ) async throws {
        let files = Collection.files(in: series)
        let temporary = try await TemporaryStore(.full())
        var positions: [UInt64] = []
        for file in files {
            try await temporary.store.importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
            positions.append(try temporary.store.log.lastPosition())
        }
        #expect(files.count > 1 && Set(positions).count > 1, "the log grew")
        for (count, position) in positions.enumerated() {
            let fresh = try await TemporaryStore(.full())
            for file in files[...count] {
                try await fresh.store.importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
            }
            let past = try await temporary.store.at(.position(position)).digest()
            let digest = try fresh.store.digest()
            #expect(
                past.content == digest.content && past.contentCount == digest.contentCount,
                "\(files[count].lastPathComponent)")
            #expect(past.contentCount > 0)
        }
    }

    private static func key(_ record: ADIFRecord) -> String { SeveralExporters.key(record) }
}

@Suite struct `Comparing a file with what is there` {
    private static func record(_ fields: KeyValuePairs<String, String> = [:]) -> String {
        adi(["CALL": "N0A", "QSO_DATE": "20260501", "TIME_ON": "1200", "BAND": "20m", "MODE": "CW"])
            .replacing("<EOR>", with: fields.isEmpty ? "<EOR>" : adi(fields).dropLast())
    }

    @Test func `a comment that a record repeats is kept whole, and of other fields the last value`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let repeated = Self.record([
            "COMMENT": "first", "COMMENT": "", "NOTES": "one", "COMMENT": "second", "NAME": "Bob", "COMMENT": "first",
            "NOTES": "two", "NAME": "Bill",
        ])
        let report = try await store.importText("x<EOH>" + repeated)
        #expect(report.remarks.contains { $0.code == "duplicate-field" && $0.message.contains("all are kept") })
        let contact = try #require(try store.read { try $0.all(.everything).first })
        #expect(contact.text("COMMENT") == "first; second" && contact.text("NOTES") == "one\r\ntwo")
        #expect(contact.text("NAME") == "Bill")
        #expect(try await store.importText("x<EOH>" + repeated).unchanged == 1)
    }

    @Test func `a contact known by the id of a service leaves its old key to another contact`() async throws {
        let temporary = try await TemporaryStore(.full())
        let known = ("APP_QRZLOG_LOGID", "7")
        func file(_ records: String...) -> String { "x<EOH>" + records.joined() }
        try await temporary.store.importText(file(Self.record([known.0: known.1, "NAME": "Hiram"])))
        let corrected = Self.record([known.0: known.1, "NAME": "Hiram"]).replacing("1200", with: "1207")
        let other = Self.record(["NAME": "Percy"])
        let report = try await temporary.store.importText(file(corrected, other))
        #expect(report.imported == 1 && report.updated == 1)
        var names: [String: String] = [:]
        try temporary.store.forEachContactInOrder(.everything) {
            names[$0.text("TIME_ON") ?? ""] = $0.text("NAME")
        }
        #expect(names == ["1207": "Hiram", "1200": "Percy"])
        let again = try await temporary.store.importText(file(corrected, other))
        #expect(again.unchanged == 2 && again.id == nil)
    }

    @Test func `an id of a service outranks the key, though another contact was imported with that`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = ("APP_QRZLOG_LOGID", "7")
        let early = Self.record([id.0: id.1, "NAME": "Hiram"]).replacing("1200", with: "1150")
        try await store.importText("x<EOH>" + Self.record(["NAME": "Percy"]) + early)
        let report = try await store.importText("x<EOH>" + early.replacing("1150", with: "1200"))
        #expect(report.imported == 0 && report.updated == 1)
        var names: [String: String] = [:]
        try store.forEachContactInOrder(.everything) { contact in
            #expect(contact.text("TIME_ON") == "1200")
            names[contact.text("NAME") ?? ""] = contact.text(FieldName(id.0)) ?? "-"
        }
        #expect(names == ["Hiram": "7", "Percy": "-"])
    }

    @Test(arguments: [false, true])
    func `what a file says of a contact logged by hand is heard, also of a source that is new`(isKnown: Bool)
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        if isKnown { try await store.importText("x<EOH>" + Self.record().replacing("N0A", with: "N0B")) }
        let values: KeyValuePairs = [
            "CALL": "N0A", "QSO_DATE": "20260501", "TIME_ON": "1200", "BAND": "20m", "MODE": "CW", "NAME": "Hiram",
        ]
        let id = try await store.write { batch in
            try batch.add("qso", values.map { Assignment($0.key, text: $0.value) })
        }.value
        let file = "x<EOH>" + Self.record(["NAME": "Hiram"])
        #expect(try await store.importText(file).unchanged == 1)
        try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Percy")]) }
        let again = try await store.importText(file)
        #expect(again.unchanged == 1 && again.id == nil, "it has said so before")
        let contact = try #require(try store.read { try $0.all(.contacts.worked("N0A")).first })
        let name = try #require(contact[.number(UInt32(FieldName("NAME").number))])
        #expect(name.heads.count == 1 && name.value == Array("Percy".utf8))
    }

    @Test func `what a long file repeats is a contact of its own`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        // The records at the end repeat the first ones, which were committed long before.
        let log = generatedLog(40_000)
        let records = log.split(separator: "<EOR>\n")
        let repeated = records[1...50].map { $0 + "<EOR>\n" }.joined()
        let report = try await store.importText(log + repeated)
        #expect(report.imported == 40_050 && report.updated == 0 && report.unchanged == 0)
        #expect(try store.read { try $0.count(.everything) } == 40_050)
        #expect(try store.compareWithReplay().isSame)
        let again = try await store.importText(log + repeated)
        #expect(again.unchanged == 40_050 && again.id == nil)
    }

    @Test func `a record that is compared again counts once`() async throws {
        let temporary = try await TemporaryStore(.full())
        let text = "x<EOH>" + Self.record()
        try await temporary.store.importText(text)
        let records = ADIReader.items(in: Array(text.utf8)).compactMap { item in
            if case .record(let record) = item { record } else { nil }
        }
        let record = try #require(records.first)
        try temporary.store.read { view in
            var comparison = ImportComparison(
                source: SourceID(name: "another"), ids: ContactIDs(key: try view.idKey(by: nil)))
            var contact = view.shownValues(of: QSOKind.name)
            for _ in 0..<3 {
                comparison.forget(after: 0)
                guard case .asserted = try comparison.compare(ImportedRecord(record), in: view, &contact) else {
                    Issue.record("it is the contact that is there")
                    return
                }
            }
            comparison.keep(comparison.count)
            comparison.forget(after: 0)
            guard case .new = try comparison.compare(ImportedRecord(record), in: view, &contact) else {
                Issue.record("a second one in the file is another contact")
                return
            }
        }
    }

    @Test func `a contact of another station is another contact, though all else is the same`() async throws {
        let temporary = try await TemporaryStore(.full())
        for station in ["N0CALL", "W1AW"] {
            let report = try await temporary.store.importText("x<EOH>" + Self.record(["STATION_CALLSIGN": station]))
            #expect(report.imported == 1)
        }
        // Who does not say which station it was may be either.
        #expect(try await temporary.store.importText("x<EOH>" + Self.record()).imported == 0)
        let again = try await temporary.store.importText("x<EOH>" + Self.record(["STATION_CALLSIGN": "W1AW"]))
        #expect(again.unchanged == 1)
        #expect(try temporary.store.read { try $0.count(.everything) } == 2)
    }
}

/// Programs export one contact with more or less of it.
@Suite struct `The file of a second exporter` {
    /// What is true of a contact, and what exporters leave of it: each value says as much as the ones after it, or more.
    private static let values: KeyValuePairs<String, [String]> = [
        "TIME_ON": ["120030", "1200"], "FREQ": ["14.074512", "14.0745", "14.074", "14.0740"],
        "GRIDSQUARE": ["FN31pr", "FN31", "fn31"], "NAME": ["Hiram", "HIRAM", ""], "BAND": ["20m", "20M"],
        "TX_PWR": ["5", ""], "APP_N0CALL_REMARK": ["as heard", ""],
    ]

    private static func text(_ source: String, _ choose: (_ field: String, _ values: [String]) -> String) -> String {
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        return "x\n" + field("PROGRAMID", source) + "<EOH>\n" + field("CALL", "N0CALL") + field("QSO_DATE", "20240501")
            + field("MODE", "FT8") + values.map { field($0.key, choose($0.key, $0.value)) }.joined() + "<EOR>\n"
    }

    private static func shown(_ store: Store) throws -> [String: String] {
        let contact = try #require(try store.firstContact())
        return Dictionary(uniqueKeysWithValues: values.map { ($0.key, contact.text(FieldName($0.key)) ?? "") })
    }

    @Test func `empties and coarsens nothing`() async throws {
        let temporary = try await TemporaryStore(.full())
        let fine = Self.text("A") { $1[0] }
        let poor = Self.text("B") { $1[$1.count - 1] }
        #expect(try await temporary.store.importText(fine).imported == 1)
        let before = try Self.shown(temporary.store)
        let report = try await temporary.store.importText(poor)
        #expect(report.unchanged == 1 && report.updated == 0)
        #expect(try Self.shown(temporary.store) == before)
        for again in [fine, poor] {
            let report = try await temporary.store.importText(again)
            #expect(report.unchanged == 1 && report.id == nil, "it says nothing new")
        }
    }

    @Test func `refines what the first one left out`() async throws {
        let temporary = try await TemporaryStore(.full())
        #expect(try await temporary.store.importText(Self.text("B") { $1[$1.count - 1] }).imported == 1)
        #expect(try await temporary.store.importText(Self.text("A") { $1[0] }).updated == 1)
        let shown = try Self.shown(temporary.store)
        for (field, values) in Self.values where field != "BAND" { #expect(shown[field] == values[0], "\(field)") }
    }

    @Test func `contradicts, and what was there first stays, until its own file corrects it`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(Self.text("A") { $1[0] })
        let other = ["FREQ": "14.07", "GRIDSQUARE": "FN42", "NAME": "Maria", "TX_PWR": "50"]
        let before = try Self.shown(temporary.store)
        // 14.07 is coarser. The others are other values.
        #expect(try await temporary.store.importText(Self.text("B") { other[$0] ?? $1[0] }).unchanged == 1)
        #expect(try Self.shown(temporary.store) == before)
        let contact = try #require(try temporary.store.firstContact())
        #expect(contact.fields.flatMap(\.contradictions).count == 3)
        #expect(contact.hasConflict == false)
        let right = ["GRIDSQUARE": "FN31pq", "NAME": "Percy"]
        #expect(try await temporary.store.importText(Self.text("A") { right[$0] ?? $1[0] }).updated == 1)
        let shown = try Self.shown(temporary.store)
        #expect(shown["FREQ"] == "14.074512" && shown["GRIDSQUARE"] == "FN31pq")
        #expect(shown["NAME"] == "Percy" && shown["TX_PWR"] == "5")
    }

    /// In any order of files, no field says less at the end than the finest that any file said.
    @Test(arguments: UInt64(1)...60) func `leaves no field poorer than any file had it`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        var best: [String: Int] = [:]
        for _ in 0..<Int.random(in: 2...6, using: &numbers) {
            let source = ["A", "B", "C"].randomElement(using: &numbers) ?? "A"
            let file = Self.text(source) { field, values in
                let place = Int.random(in: 0..<values.count, using: &numbers)
                best[field] = min(best[field] ?? .max, place)
                return values[place]
            }
            try await temporary.store.importText(file)
        }
        let shown = try Self.shown(temporary.store)
        for (field, values) in Self.values {
            let place = try #require(best[field])
            // Those that say the same may stand for each other.
            let same = [["14.074", "14.0740"], ["FN31", "fn31"], ["Hiram", "HIRAM"], ["20m", "20M"]]
            let wanted = same.first { $0.contains(values[place]) } ?? [values[place]]
            #expect(wanted.contains(shown[field] ?? "-"), "\(field)")
        }
    }
}

@Suite struct `An export of this log that is imported again` {
    /// A store with contacts of a file, of which one was edited, and its export.
    private static func store() async throws -> (TemporaryStore, RecordID, [UInt8]) {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(50))
        let id = try #require(try store.read { try $0.all(.contacts.worked("N0C7")).first?.id })
        try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Hiram")]) }
        return (temporary, id, try store.exported(.adi))
    }

    @Test func `is no news at all, and an undo takes what was done before`() async throws {
        let (temporary, id, export) = try await Self.store()
        let store = temporary.store
        let last = try store.log.lastPosition()
        let report = try await store.importBytes(export, named: "own.adi")
        #expect(report.unchanged == 50 && report.updated == 0 && report.absent == 0 && report.id == nil)
        #expect(try store.log.lastPosition() == last)
        _ = try await store.revert(try #require(try store.undoableSteps(1).first))
        #expect(try store.record("qso", id)?.text("NAME") == nil)
    }

    @Test func `brings back nothing that has changed since, whoever changed it`() async throws {
        let (temporary, id, export) = try await Self.store()
        let store = temporary.store
        var options = ImportOptions()
        options.source = "other"
        let other = adi([
            "CALL": "N0C9", "QSO_DATE": "20260501", "TIME_ON": "000009", "BAND": "20m", "MODE": "CW", "NAME": "Maria",
        ])
        try await store.importText(other, named: "other.adi", options)
        try await store.importText(other.replacing("Maria", with: "Marie"), named: "other.adi", options)
        let middle = try store.exported(.adi)
        try await store.importText(other.replacing("Maria", with: "Marta"), named: "other.adi", options)
        try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Percy")]) }
        let last = try store.log.lastPosition()
        for old in [export, middle] {
            #expect(try await store.importBytes(old, named: "own.adi").unchanged == 50)
        }
        #expect(try store.log.lastPosition() == last)
        #expect(try store.record("qso", id)?.text("NAME") == "Percy")
        #expect(try store.read { try $0.all(.contacts.worked("N0C9")).first?.text("NAME") } == "Marta")
    }

    @Test func `brings what somebody has written into it`() async throws {
        let (temporary, _, export) = try await Self.store()
        let store = temporary.store
        let text = String(decoding: export, as: UTF8.self).replacing("<CALL:4>N0C9", with: "<NAME:5>Maria<CALL:4>N0C9")
        let report = try await store.importText(text, named: "own.adi")
        #expect(report.unchanged == 49 && report.updated == 1)
        #expect(try store.read { try $0.all(.contacts.worked("N0C9")).first?.text("NAME") } == "Maria")
    }
}

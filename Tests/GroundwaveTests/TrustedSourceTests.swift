import Everything
import Foundation
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Files of a trusted source` {
    private static func file(_ source: String, _ fields: KeyValuePairs<String, String>) -> String {
        let key = "<CALL:5>N0AAA<QSO_DATE:8>20260102<TIME_ON:4>1200<BAND:3>20m"
        return "x\n<PROGRAMID:\(source.utf8.count)>\(source)<EOH>\n" + key + adi(fields)
    }

    private static func trusting(_ name: String) -> ImportOptions {
        var options = ImportOptions()
        options.trusted = name
        return options
    }

    private static func contact(_ store: Store) throws -> Record {
        try #require(try store.read { try $0.all(.contacts.worked("N0AAA")).first })
    }

    @Test func `lets a trusted source win, on every device and in any order`() async throws {
        let fleet = try await Fleet(2, seed: 3)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        try await one.importText(Self.file("A", ["NAME": "Hiram", "QTH": "Newington", "GRIDSQUARE": "FN31pr"]))
        let id = try Self.contact(one).id
        try fleet.meet()
        try await one.write { try $0.set("qso", id, [Assignment("NAME", text: "Percy")]) }
        try await one.write { try $0.set("qso", id, [Assignment("QTH", text: "")]) }
        let text = Self.file("LoTW", ["NAME": "Maxim", "QTH": "Hartford", "GRIDSQUARE": "FN31"])
        // What is not trusted stays beside what a person wrote or cleared.
        #expect(try await one.importText(text).updated == 0)
        #expect(try Self.contact(one).text("NAME") == "Percy")
        // The same file with trust is news, though its words were heard before; a coarser value still replaces nothing.
        #expect(try await one.importText(text, Self.trusting("LoTW")).updated == 1)
        try fleet.meet()
        // Another source comes later, here and elsewhere.
        try await two.importText(Self.file("B", ["NAME": "Bob", "QTH": "Boston", "GRIDSQUARE": "FN42"]))
        try fleet.meet()
        for store in [one, two] {
            let record = try Self.contact(store)
            #expect(record.text("NAME") == "Maxim" && record.text("QTH") == "Hartford")
            #expect(record.text("GRIDSQUARE") == "FN31pr")
            #expect(!record.hasConflict)
            let blame = try store.blame("qso", id)
            #expect(blame.first { $0.field == "NAME" }?.reason == .trusted)
            #expect(try store.compareWithReplay().isSame)
        }
        #expect(try one.digest().views == two.digest().views)
        // A person may change it again, and the next file that is trusted is no news.
        try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Hiram P.")]) }
        #expect(try Self.contact(two).text("NAME") == "Hiram P.")
        #expect(try await one.importText(text, Self.trusting("LoTW")).unchanged == 1)
    }

    @Test func `is undone like any other, and comes back as what it was`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(Self.file("A", ["NAME": "Hiram"]))
        let report = try await store.importText(Self.file("LoTW", ["NAME": "Maxim"]), Self.trusting("LoTW"))
        #expect(try Self.contact(store).text("NAME") == "Maxim")
        try await store.revert(store.events(ofImport: try #require(report.id)))
        #expect(try Self.contact(store).text("NAME") == "Hiram")
        try await store.revert(try #require(try store.undoableSteps(1).first))
        let head = try #require(try Self.contact(store)[QSOKind.schema.key(for: "NAME")]?.shown)
        #expect(head.value == Array("Maxim".utf8) && head.isTrusted && head.source == SourceID(name: "LoTW"))
    }

    @Test func `never makes one register of two`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(Self.file("A", ["FREQ": "14.0741"]))
        let id = try Self.contact(store).id
        try await store.write {
            try $0.set("qso", id, [Assignment("FREQ", text: "14.2"), Assignment("BAND", text: "20m")])
        }
        try await store.importText(Self.file("LoTW", ["FREQ": "14.0742"]), Self.trusting("LoTW"))
        #expect(try Self.contact(store).text("FREQ") == "14.0742")
        #expect(try Self.contact(store).text("BAND") == "20m")
    }

    @Test func `a file of another source is refused, and nothing is written`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let before = try store.log.lastPosition()
        let error = await #expect(throws: StoreError.self) {
            try await store.importText(Self.file("A", ["NAME": "Hiram"]), Self.trusting("LoTW"))
        }
        #expect(error?.code == .usage && error?.message.contains("is from the source A, not from LoTW") == true)
        #expect(try store.log.lastPosition() == before)
    }

    @Test func `says of each field what became of the values of a file`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.importText(
            Self.file(
                "A", ["NAME": "Hiram", "FREQ": "14.074", "GRIDSQUARE": "FN31pr", "RST_SENT": "59", "QTH": "Newington"]))
        #expect(first.fields.isEmpty, "a new contact had no values")
        let id = try Self.contact(store).id
        try await store.write { try $0.set("qso", id, [Assignment("RST_SENT", text: "")]) }
        let second = try await store.importText(
            Self.file(
                "B",
                [
                    "NAME": "Maxim", "FREQ": "14.0742", "GRIDSQUARE": "FN31", "RST_SENT": "59", "QTH": "NEWINGTON",
                    "COMMENT": "from B",
                ]))
        #expect(
            second.fields == [
                "NAME": [.contradicted: 1], "FREQ": [.refined: 1], "GRIDSQUARE": [.kept: 1],
                "RST_SENT": [.contradicted: 1],
                "COMMENT": [.filled: 1],
            ])
        let third = try await store.importText(Self.file("A", ["NAME": "Percy", "COMMENT": ""]))
        #expect(third.fields["NAME"] == [.corrected: 1])
        #expect(third.fields["COMMENT"] == nil || third.fields["COMMENT"] == [.kept: 1])
        #expect(third.fields["FREQ"] == nil, "what a file does not have is told of by none")
    }
}

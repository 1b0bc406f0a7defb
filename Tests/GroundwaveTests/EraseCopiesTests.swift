import Everything
import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// The same contact as another record, and its values in other records.
@Suite struct `Erasing reaches copies on other devices, and` {
    private static let texts = ["N0GONE", "Bartholomew"]

    private static func search(_ store: Store) throws -> [String] {
        try StoreSearch.files(below: store.url, holding: texts)
    }

    /// One record of a file.
    private static func record(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "<\($0.key):\($0.value.utf8.count)>\($0.value)" }.joined() + "<EOR>\n"
    }

    /// Writes something else: what is due happens then.
    private static func writeSomething(in store: Store) async throws {
        try await store.write { _ = try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }
    }

    @Test(arguments: [true, false])
    func `takes the contact that another device has from another program's file, whichever comes first`(
        erasesFirst: Bool
    ) async throws {
        let fleet = try await Fleet(2, seed: 9)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        func file(_ source: String, _ time: String) -> String {
            "x\n<PROGRAMID:\(source.utf8.count)>\(source)<EOH>\n"
                + adi([
                    "CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": time, "BAND": "20m", "NAME": "Bartholomew",
                ])
        }
        // Neither device knows of the other's file, nor the second one of the erase.
        let imports = [
            { try await one.importText(file("A", "120030")) }, { try await two.importText(file("B", "1200")) },
        ]
        for take in erasesFirst ? imports : imports.reversed() { #expect(try await take().imported == 1) }
        let id = try #require(try one.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        try await one.erase([id])
        try fleet.meet()
        for store in [one, two] { try await Self.writeSomething(in: store) }
        try fleet.meet()
        for store in [one, two] {
            #expect(try StoreSearch.files(below: store.url, holding: Self.texts) == [])
            #expect(try store.read { try $0.all(.contacts.worked("N0GONE")) }.isEmpty)
            #expect(try await store.importText(file("C", "1200")).erased == 1)
        }
        try fleet.meet()
        #expect(try one.digest().views == two.digest().views)
    }

    @Test func `takes what was merged, whatever was done with it`() async throws {
        let fleet = try await Fleet(2, seed: 11)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        func add(_ fields: [String: String]) async throws -> RecordID {
            try await one.write { try $0.add("qso", fields.map { Assignment($0, text: $1) }) }.value
        }
        let gone = try await add(["CALL": "N0GONE", "NAME": "Bartholomew"])
        let middle = try await add(["CALL": "N0CALL", "QTH": "Here"])
        let last = try await add(["CALL": "W1AW", "COMMENT": "of its own"])
        try fleet.meet()
        // Merged on, undone and done again, on a device that hears of the erase last.
        _ = try await two.merge([gone], into: middle)
        _ = try await two.merge([middle], into: last)
        #expect(try two.record("qso", last)?.text("NAME") == "Bartholomew")
        let undone = try await two.revert(try #require(try two.undoableSteps(1).first))
        #expect(try two.record("qso", last)?.text("NAME") == nil)
        try await two.revert(
            EventSet(undone.batches.map { EventRange($0.first.replica, $0.first.sequence, through: $0.last.sequence) }))
        #expect(try two.record("qso", last)?.text("NAME") == "Bartholomew")
        try await two.write { try $0.set("qso", last, [Assignment("NAME", text: "Barty")]) }
        try await two.revert(try #require(try two.undoableSteps(1).first))
        #expect(try two.record("qso", last)?.text("NAME") == "Bartholomew")
        try await one.erase([gone])
        try fleet.meet()
        for store in [one, two] { try await Self.writeSomething(in: store) }
        try fleet.meet()
        for store in [one, two] {
            #expect(try Self.search(store) == [])
            let record = try #require(try store.record("qso", last))
            #expect(record.isVisible && record.text("NAME") == nil)
            #expect(
                record.text("COMMENT") == "of its own" && record.text("QTH") == nil, "its values went with those merged"
            )
            #expect(try store.compareWithReplay().isSame)
            #expect(try !store.erasing.isPending())
        }
        #expect(try one.digest().views == two.digest().views)
    }

    @Test func `choosing a value that was merged does not keep it`() async throws {
        let fleet = try await Fleet(2, seed: 13)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        func add(_ call: String, _ name: String?) async throws -> RecordID {
            let fields = [Assignment("CALL", text: call)] + (name.map { [Assignment("NAME", text: $0)] } ?? [])
            return try await one.write { try $0.add("qso", fields) }.value
        }
        let (gone, kept) = (try await add("N0GONE", "Bartholomew"), try await add("N0CALL", nil))
        try fleet.meet()
        _ = try await one.merge([gone], into: kept)
        try await two.write { try $0.set("qso", kept, [Assignment("NAME", text: "Hiram")]) }
        try fleet.meet()
        let record = try #require(try two.record("qso", kept))
        let conflict = try #require(try two.conflicts(in: record).first { $0.field == "NAME" })
        let merged = try #require(conflict.candidates.first { $0.value == Array("Bartholomew".utf8) })
        _ = try await two.choose(merged, in: conflict)
        #expect(try two.record("qso", kept)?.text("NAME") == "Bartholomew")
        try await one.erase([gone])
        try fleet.meet()
        for store in [one, two] { try await Self.writeSomething(in: store) }
        try fleet.meet()
        for store in [one, two] { #expect(try Self.search(store) == []) }
        #expect(try one.digest().views == two.digest().views)
    }

    /// Neither device has heard of what the other one has.
    @Test(arguments: ["N0CALL", nil], [true, false])
    func `takes the contact that another device logs or imports`(station: String?, isImported: Bool) async throws {
        let fleet = try await Fleet(2, seed: 15)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let fields =
            ["CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m", "NAME": "Bartholomew"]
            .merging(station.map { ["STATION_CALLSIGN": $0] } ?? [:]) { first, _ in first }
        #expect(try await two.importText(Self.record(fields)).imported == 1)
        let id: RecordID
        if isImported {
            #expect(try await one.importText("x\n<PROGRAMID:5>Other<EOH>" + Self.record(fields)).imported == 1)
            id = try #require(try one.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        } else {
            id = try await one.write { try $0.add("qso", fields.map { Assignment($0, text: $1) }) }.value
        }
        let imported = try #require(try two.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        #expect(try await one.erase([id]).withheldCount > 0)
        try fleet.meet()
        for store in [one, two] { try await Self.writeSomething(in: store) }
        try fleet.meet()
        for store in [one, two] {
            #expect(try Self.search(store) == [])
            #expect(try store.read { try $0.all(.contacts.worked("N0GONE")) }.isEmpty)
            #expect(try await store.importText(Self.record(fields)).erased == 1)
            #expect(try store.compareWithReplay().isSame)
            // Also the one that was erased by an id that it came to have elsewhere proves what it is, and no more.
            let proven = try store.proof(ofContact: imported).check()
            #expect(proven.isErased && proven.record.id == imported && proven.record.fields.isEmpty)
            #expect(proven.events.contains { $0.isWithheld })
        }
        try fleet.meet()
        #expect(try one.digest().views == two.digest().views)
    }

    @Test(arguments: [false, true])
    func `takes no contact that is here and was not named`(isHidden: Bool) async throws {
        let fleet = try await Fleet(2, seed: 17)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        @Sendable func fields(_ call: String) -> [String: String] {
            ["CALL": call, "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m"]
        }
        // A call was mistyped that another contact of that minute really has.
        try await one.importText(Self.record(fields("N0CALL")))
        let other = try #require(try one.read { try $0.all(.contacts.worked("N0CALL")).first?.id })
        if isHidden { try await one.write { try $0.remove("qso", other) } }
        let id = try await one.write { batch in
            try batch.add("qso", fields("N0CALL").map { Assignment($0, text: $1) })
        }.value
        try await one.write { try $0.set("qso", id, [Assignment("CALL", text: "N0GONE")]) }
        try await one.erase([id])
        try fleet.meet()
        for store in [one, two] {
            let record = try #require(try store.record("qso", other))
            #expect(!record.isErased && record.isVisible != isHidden && record.text("CALL") == "N0CALL")
        }
        #expect(try one.digest().views == two.digest().views)
    }
}
